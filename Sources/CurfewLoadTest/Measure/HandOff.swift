import CurfewSystem

/// The floor of callbacks: one thread hands an instant to another that waits for it.
///
/// The device calls an app's callbacks on a thread that is not the caller's, so no callback can
/// begin sooner than the other thread wakes up. Both threads only wait and read the clock. Each
/// hand-off finds the other thread asleep, as callbacks usually do.
package struct HandOff {
  /// The number of hand-offs before a segment, and again after it: together enough for a p99.
  static let usualCount = 500
  /// The time between two hand-offs, in nanoseconds.
  static let spacing: Int64 = 500_000

  /// The lengths of hand-offs, and their second account, kept by the thread that receives them.
  package struct Lengths {
    package var percentiles = LatenessPercentiles()
    package var control = ControlSum()
  }

  private let count: Int

  /// Creates a floor of this many hand-offs.
  package init(count: Int) { self.count = count }

  /// Hands off from this thread until all is done or `isStopped` returns true, which is called
  /// before each hand-off. nil if the system has no thread for it.
  package func run(until isStopped: () -> Bool = { false }) -> Lengths? {
    let receiver = Receiver(count: count)
    guard ThreadStart.system.start("curfew.handoff", { receiver.run() }) == 0 else { return nil }
    let start = SystemClock.monotonic.now + HandOff.spacing
    for number in 0..<Int64(count) where !isStopped() {
      SystemClock.monotonic.sleep(until: start + number * HandOff.spacing)
      receiver.hand(SystemClock.monotonic.now)
    }
    return receiver.finish()
  }
}

/// The thread that waits for instants, and the time that each needed to reach it.
private final class Receiver: @unchecked Sendable {
  private let lock = Lock()
  // Protected by the lock.
  private var handed: Int64?
  private var isOver = false
  private var hasEnded = false
  private var lengths: [Int64] = []
  private var control = ControlSum()

  init(count: Int) { lengths.reserveCapacity(count) }

  func run() {
    lock.withLock {
      while true {
        while handed == nil, !isOver { lock.wait() }
        guard let sent = handed.take() else { break }
        let now = SystemClock.monotonic.now
        lengths.append(now - sent)
        control.add(due: sent, happened: now)
        lock.broadcast()
      }
      hasEnded = true
      lock.broadcast()
    }
  }

  /// Hands over an instant as soon as the one before has been received.
  func hand(_ instant: Int64) {
    lock.withLock {
      while handed != nil { lock.wait() }
      handed = instant
    }
    lock.broadcast()
  }

  /// Waits for the thread, and returns the lengths of all hand-offs.
  func finish() -> HandOff.Lengths {
    lock.withLock {
      isOver = true
      lock.broadcast()
      while !hasEnded { lock.wait() }
      var result = HandOff.Lengths(control: control)
      for length in lengths { result.percentiles.record(length) }
      return result
    }
  }
}
