public import CurfewEngine

/// A clock that advances by itself, which a device needs to run in real time.
///
/// A device has one lock. It reads and arms the clock inside that lock, on any thread that calls
/// the device. The clock calls back on a thread of its own, outside the lock. The clock defines
/// the engine's time: its zero is the start, and it never goes back.
public protocol RealTimeClock: AnyObject, Sendable {
  /// The name of its source, as written in a trace's header: `monotonic` or `boottime`.
  var name: String { get }

  /// The time since the start.
  ///
  /// Never later than the true time: if it is converted from another unit, it is rounded down, so
  /// that nothing is early. Called from any thread, under the device's lock. It has to be fast,
  /// and must not call the device.
  func now() -> Instant

  /// Asks for `tick` as soon as `now` is `deadline` or later; nil for no tick. Replaces the
  /// previous request.
  ///
  /// A tick that finds nothing due is harmless. Called from any thread, under the device's lock,
  /// only when the deadline has changed or has already ticked. It must not block, and must not call
  /// `tick` itself.
  func arm(_ deadline: Instant?)

  /// Starts counting and calling `tick`. Called once, before anything else.
  func start(_ tick: @escaping @Sendable () -> Void)

  /// Runs `work`, which may take any time, on the ticking thread as soon as the tick has returned.
  /// A clock that has another thread to keep the time meanwhile can do this, and then no further
  /// thread has to be woken for a handler. Only called from inside a tick, and outside the
  /// device's lock.
  ///
  /// - Returns: Whether it will run. If not, the device uses another thread. The default is false.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool

  /// Whether a tick follows its deadline at once, on a thread that does little else. If so, a call
  /// that finds a deadline in the past decides it, but may leave the delivery to apps to that tick.
  /// The default is false.
  var ticksImmediately: Bool { get }

  /// Stops the ticks. When it returns, no tick is running (unless it was called from one), and none
  /// will come. May be called from any thread, a tick included, and more than once.
  func stop()

  /// The longest delay of a tick that the clock allows itself, in engine time, rounded up.
  ///
  /// A device refuses a clock whose leeway reaches its policy's warning: such a tick would come
  /// after the grant is over, and end every app before its handler was called. Constant; read once,
  /// when a device is created.
  var leeway: Interval { get }
}

extension RealTimeClock {
  /// None: a tick comes as soon as it can.
  public var leeway: Interval { .zero }
}

extension RealTimeClock {
  /// The default: false.
  public var ticksImmediately: Bool { false }
  /// The default: does not run `work`.
  public func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool { false }
}
