/// What wakes a loop at an instant of a wall clock. One for each clock.
///
/// Two stand behind it: the descriptor of a kernel timer, and libuv's own timer where the kernel
/// has none to give.
protocol Alarm: AnyObject, Sendable {
  /// Where its wake-ups go.
  var gate: TickGate { get }
  /// The instant that it was set to, on the monotonic clock; `Int64.max` for none, and for one that
  /// the loop itself knows of.
  var wakeUp: Int64 { get }
  /// How often it was set.
  var armings: Int { get }

  /// Asks for a wake-up at `instant` of its clock or as soon after as can be, and for none before;
  /// nil for not at all. From any thread; does not block.
  func set(_ instant: Int64?)

  /// Begins to wake the loop. Only on the loop's thread; does nothing once it is closed.
  func open()

  /// Ends it for good. Only on the loop's thread.
  func close()

  /// Ends it for good, from any thread, if it has not been opened. Answers whether it is closed.
  func closeUnopened() -> Bool
}
