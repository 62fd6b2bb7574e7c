/// The timer of one clock: wakes a loop at an instant of a wall clock.
///
/// It has two implementations: the descriptor of a kernel timer, and libuv's own timer if the
/// kernel offers none.
protocol Alarm: AnyObject, Sendable {
  /// Receives the wake-ups.
  var gate: TickGate { get }
  /// The instant that it is set to, on the monotonic clock; `Int64.max` for none, and for an alarm
  /// that the loop itself accounts for.
  var wakeUp: Int64 { get }
  /// The number of times it was set.
  var armings: Int { get }

  /// Asks for a wake-up at `instant` of its clock, or as soon after as possible and never before;
  /// nil for none. From any thread; does not block.
  func set(_ instant: Int64?)

  /// Begins to wake the loop. Only on the loop's thread; does nothing after it is closed.
  func open()

  /// Closes it for good. Only on the loop's thread.
  func close()

  /// Closes it for good, from any thread, unless it has been opened. Returns whether it is closed.
  func closeUnopened() -> Bool
}
