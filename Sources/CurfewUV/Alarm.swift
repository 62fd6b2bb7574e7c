/// The timer of one clock: wakes a loop at an instant of a wall clock.
///
/// There are two implementations: the descriptor of a kernel timer, and libuv's own timer if
/// the kernel offers no such descriptor.
protocol Alarm: AnyObject, Sendable {
  /// Receives the wake-ups.
  var gate: TickGate { get }
  /// The instant that the alarm is set to, on the monotonic clock; `Int64.max` if there is none,
  /// or if libuv itself accounts for the alarm.
  var wakeUp: Int64 { get }
  /// The number of times it was set.
  var armings: Int { get }

  /// Requests a wake-up at `instant` of the alarm's clock, or as soon as possible after it, never
  /// before; nil cancels the request. May be called from any thread; does not block.
  func set(_ instant: Int64?)

  /// Begins to wake the loop. Must be called on the loop's thread; has no effect on a closed alarm.
  func open()

  /// Closes the alarm permanently. Must be called on the loop's thread.
  func close()

  /// Closes the alarm permanently, unless it has been opened. May be called from any thread.
  /// Returns whether the alarm is closed.
  func closeUnopened() -> Bool
}
