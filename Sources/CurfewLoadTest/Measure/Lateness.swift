#if os(Linux)
  import CurfewSystem

  /// The lateness of a floor's deadlines, measured at the place where they fired.
  package struct Lateness: Sendable {
    /// The delay of each deadline that fired, in nanoseconds, in the order of the deadlines;
    /// negative if the deadline fired early.
    package let nanoseconds: [Int64]
    /// The number of deadlines that had not fired when the run was stopped.
    package let unfired: Int
    /// The number of firings for deadlines that had already fired; should be zero.
    package let repeated: Int
    /// The number of times the kernel woke the thread up.
    package let wakeUps: Int
    /// Processor time of the thread that waited, from the first wait to the last deadline.
    package let processorNanoseconds: Int64
    /// The greatest time after its deadline to which the kernel's timer was set, in nanoseconds,
    /// as the kernel says; 0 if it was never set late.
    package let armedLate: Int64
  }

  /// The log of a floor's firings. Allocated beforehand, so that nothing is allocated during
  /// the run.
  package struct FiringLog {
    private static let never = Int64.min

    package let deadlines: [Int64]
    package private(set) var remaining: Int
    private var latenesses: [Int64]
    private var repeated = 0
    private var processorStart: Int64 = 0
    package var wakeUps = 0
    /// The greatest time after its deadline to which the timer was set, in nanoseconds.
    package var armedLate: Int64 = 0

    package init(_ deadlines: [Int64]) {
      self.deadlines = deadlines
      remaining = deadlines.count
      latenesses = Array(repeating: Self.never, count: deadlines.count)
    }

    /// Records that a deadline fires at an instant.
    package mutating func fire(_ index: Int, at now: Int64) {
      let lateness = now - deadlines[index]
      guard latenesses[index] == Self.never else {
        repeated += 1
        return
      }
      latenesses[index] = lateness
      remaining -= 1
    }

    /// Starts counting processor time.
    package mutating func start() { processorStart = SystemClock.thread.now }

    package func finish() -> Lateness {
      // The processor time is read before the list is created.
      let processor = SystemClock.thread.now - processorStart
      return Lateness(
        nanoseconds: latenesses.filter { $0 != Self.never }, unfired: remaining, repeated: repeated,
        wakeUps: wakeUps,
        processorNanoseconds: processor, armedLate: armedLate)
    }
  }
#endif
