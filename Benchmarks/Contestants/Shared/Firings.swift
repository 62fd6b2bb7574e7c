import Synchronization

/// The timers that have fired in a segment, in their order. Any thread may add to them.
final class Firings: @unchecked Sendable {
  /// The time after the last deadline at which timers that have not fired count as lost.
  private static let patience: Int64 = 10_000_000_000

  private let deadlines: Deadlines
  private let isCancelled: [Bool]
  /// Room for every timer to fire twice, so that such a mistake is seen.
  private let fired: UnsafeMutableBufferPointer<(timer: Int, late: Int64)>
  private let count = Atomic(0)
  /// The timers that have to fire.
  private let missing = Countdown()
  /// The start of the segment. It is set before a timer is armed.
  private(set) var start: Int64 = 0

  init(_ deadlines: Deadlines) {
    self.deadlines = deadlines
    var isCancelled = [Bool](repeating: false, count: deadlines.count)
    for cancel in deadlines.cancels { isCancelled[cancel.timer] = true }
    self.isCancelled = isCancelled
    fired = .allocate(capacity: deadlines.count * 2)
    fired.initialize(repeating: (0, 0))
  }

  deinit { fired.deallocate() }

  /// Begins a segment.
  func reset(start: Int64) {
    self.start = start
    count.store(0, ordering: .relaxed)
    missing.reset(to: deadlines.count - deadlines.cancels.count)
  }

  func instant(of timer: Int) -> Int64 { start + deadlines.dues[timer] }

  /// Notes that a timer's handler is at its first line. The handler calls nothing before this.
  @inline(__always)
  func fire(_ timer: Int) {
    let time = now()
    note(timer, late: time - instant(of: timer))
  }

  func note(_ timer: Int, late: Int64) {
    let place = count.add(1, ordering: .relaxed).oldValue
    if place < fired.count { fired[place] = (timer, late) }
    if !isCancelled[timer] { missing.count() }
  }

  /// Blocks the thread until all timers that have to fire have done so, or are lost.
  func wait() { missing.wait(until: start + deadlines.last + Firings.patience) }

  func append(to text: inout Text) {
    text.append(",\"late\":[")
    for place in 0..<min(count.load(ordering: .acquiring), fired.count) {
      text.append(place == 0 ? "[" : ",[")
      text.append(Int64(fired[place].timer))
      text.append(",")
      text.append(fired[place].late)
      text.append("]")
    }
    text.append("]")
  }
}
