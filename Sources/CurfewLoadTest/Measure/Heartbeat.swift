import CurfewSystem

/// A thread that only sleeps and reads the clock, to learn when the process stood still. If this
/// thread wakes up late, so does every other: the process was stopped, or the machine had no core
/// for it. Nothing of Curfew can delay this thread, so Curfew's own lateness excuses nothing.
final class Heartbeat: @unchecked Sendable {
  /// The time between two beats, in nanoseconds.
  private static let period: Int64 = 2_000_000

  /// The time that a process needs after a standstill to catch up, as a multiple of the standstill.
  /// If calls take four fifths of its time, a standstill leaves work for four times its length.
  static let catchUpFactor: Int64 = 4

  /// The delay of a beat from which on the process counts as having stood still.
  private let margin: Int64
  private let lock = Lock()
  // Protected by the lock.
  private var standstills: [ClosedRange<Int64>] = []
  private var last: Int64
  private var isOver = false
  private var hasEnded = false

  /// Creates a heartbeat whose thread starts at once. Without a thread, nothing counts as
  /// a standstill.
  init(margin: Int64) {
    self.margin = margin
    last = SystemClock.monotonic.now
    let answer = ThreadStart.system.start("curfew.pulse") { [self] in beat() }
    if answer != 0 { (isOver, hasEnded) = (true, true) }
  }

  /// An account without a thread, for tests: the process stood still in these ranges.
  init(standstills: [ClosedRange<Int64>]) {
    (margin, last, isOver, hasEnded) = (0, .max, true, true)
    self.standstills = standstills
  }

  /// An account without a thread, for tests: the last beat was at this instant, and the next has
  /// not come.
  init(margin: Int64, last: Int64) { (self.margin, self.last, hasEnded) = (margin, last, true) }

  /// Ends the thread, at its next beat.
  func stop() { lock.withLock { isOver = true } }

  /// Whether the thread runs.
  var isBeating: Bool { lock.withLock { !hasEnded } }

  private func beat() {
    while lock.withLock({ !isOver }) {
      SystemClock.monotonic.sleep(until: last + Heartbeat.period)
      let now = SystemClock.monotonic.now
      lock.withLock {
        if now - last - Heartbeat.period > margin { standstills.append(last...now) }
        last = now
      }
    }
    lock.withLock { hasEnded = true }
  }

  /// The part of a time, in nanoseconds of the monotonic clock, in which the process stood still.
  /// A standstill that is not over yet counts until `end`.
  func standstill(from start: Int64, to end: Int64) -> Int64 {
    lock.withLock {
      var sum: Int64 = 0
      if !isOver, end - last - Heartbeat.period > margin { sum = end - max(start, last) }
      // Standstills are in order, and later ones are asked about more often.
      for range in standstills.reversed() {
        guard range.upperBound > start else { break }
        sum += max(0, min(end, range.upperBound) - max(start, range.lowerBound))
      }
      return sum
    }
  }

  /// Whether the process stood still at any time between two instants, or was catching up after
  /// a standstill before.
  func isCatchingUp(from start: Int64, to end: Int64) -> Bool {
    lock.withLock {
      if !isOver, end - last - Heartbeat.period > margin { return true }
      return standstills.contains {
        let catchUp = Heartbeat.catchUpFactor * ($0.upperBound - $0.lowerBound)
        return $0.lowerBound < end && start < $0.upperBound + catchUp
      }
    }
  }
}
