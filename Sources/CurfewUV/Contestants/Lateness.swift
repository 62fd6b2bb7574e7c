#if os(Linux)
  import CurfewSystem

  /// How late the deadlines of a contestant fired, measured where they fired.
  package struct Lateness: Sendable {
    /// For each deadline that fired, in the deadlines' order: nanoseconds after it; negative
    /// before it.
    package let nanoseconds: [Int64]
    /// How many of the deadlines had not fired when the run was stopped.
    package let unfired: Int
    /// How many firings came for deadlines that had fired before. There ought to be none.
    package let repeated: Int
    /// How often the kernel woke the contestant up.
    package let wakeUps: Int
    /// Processor time of the thread that ran it, from the first wait to the last deadline.
    package let processorNanoseconds: Int64

    /// How many fired before they were due.
    package var early: Int { nanoseconds.count { $0 < 0 } }
  }

  /// What a contestant writes down as its deadlines fire. Made beforehand, so that nothing
  /// is allocated meanwhile.
  package struct FiringLog {
    private static let never = Int64.min

    package let deadlines: [Int64]
    package private(set) var remaining: Int
    private var latenesses: [Int64]
    private var repeated = 0
    private var processorStart: Int64 = 0
    package var wakeUps = 0

    package init(_ deadlines: [Int64]) {
      self.deadlines = deadlines
      remaining = deadlines.count
      latenesses = Array(repeating: Self.never, count: deadlines.count)
    }

    /// Notes that a deadline fires now.
    package mutating func fire(_ index: Int) {
      let lateness = UVClock.Source.monotonic.read() - deadlines[index]
      guard latenesses[index] == Self.never else {
        repeated += 1
        return
      }
      latenesses[index] = lateness
      remaining -= 1
    }

    /// Processor time counts from here.
    package mutating func start() { processorStart = SystemClock.thread.now }

    package func finish() -> Lateness {
      // Before the list is made.
      let processor = SystemClock.thread.now - processorStart
      return Lateness(
        nanoseconds: latenesses.filter { $0 != Self.never }, unfired: remaining, repeated: repeated,
        wakeUps: wakeUps,
        processorNanoseconds: processor)
    }
  }
#endif
