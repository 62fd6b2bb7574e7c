public import CurfewEngine

/// A clock that advances by itself, which a device needs to run in real time.
///
/// A device has one lock. It reads and arms the clock under that lock, on any thread that calls the
/// device. The clock calls back on its own thread, outside the lock. The clock defines the engine's
/// time: it begins at zero and never goes back.
public protocol RealTimeClock: AnyObject, Sendable {
  /// The name of the clock's source, as written in a trace's header: `monotonic` or `boottime`.
  var name: String { get }

  /// The time since the start.
  ///
  /// Never later than the true time, so that nothing is early: round down when converting from
  /// another unit. Called from any thread, under the device's lock. Must be fast, and must not call
  /// the device.
  func now() -> Instant

  /// Asks for `tick` as soon as `now` is `deadline` or later; nil for no tick. Replaces the
  /// previous request.
  ///
  /// A tick that finds nothing due is harmless. Called from any thread, under the device's lock,
  /// only when the deadline has changed or has already ticked. Must not block, and must not call
  /// `tick` itself.
  func arm(_ deadline: Instant?)

  /// Starts counting and calling `tick`. Called once, before anything else.
  func start(_ tick: @escaping @Sendable () -> Void)

  /// Runs `work`, which may take any time, on the ticking thread as soon as the tick has returned.
  /// The device then need not wake another thread for a handler. Only a clock with a second
  /// thread, which keeps the time meanwhile, can do this. Called only from inside a tick, outside
  /// the device's lock.
  ///
  /// - Returns: Whether `work` will run. If not, the device uses another thread. The default
  ///   is false.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool

  /// Whether a tick follows its deadline at once, on a thread that does little else. If so, a call
  /// that finds a past deadline makes the decision and may leave the delivery to the tick. The
  /// default is false.
  var ticksImmediately: Bool { get }

  /// Stops the ticks. After it has returned, no tick is running (unless `stop` was called from
  /// a tick), and none will come. May be called from any thread, from a tick, and more than once.
  func stop()

  /// The longest delay that the clock allows for a tick, in engine time, rounded up.
  ///
  /// A device refuses a clock whose leeway is at least its policy's warning: a tick could then come
  /// after the grant is over, and end every app before its handler was called. Constant; read once,
  /// when a device is created.
  var leeway: Interval { get }
}

extension RealTimeClock {
  /// The default: zero, so that a tick comes as soon as possible.
  public var leeway: Interval { .zero }
}

extension RealTimeClock {
  /// The default: false.
  public var ticksImmediately: Bool { false }
  /// The default: does not run `work`.
  public func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool { false }
}
