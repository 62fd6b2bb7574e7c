public import CurfewEngine

/// A clock that goes by itself: what a device needs to run in real time.
///
/// A device stands behind one lock. It reads the clock and arms it inside that lock, from whatever
/// thread calls the device, and the clock calls back on a thread of its own, outside it. Engine
/// time is whatever the clock says it is: its zero is the start, and it never goes back.
public protocol RealTimeClock: AnyObject, Sendable {
  /// What it counts, as a trace's header names it: `monotonic` or `boottime`.
  var name: String { get }

  /// The time since the start.
  ///
  /// Never later than the truth: where it is computed from another unit it rounds down, so that
  /// nothing is early. Called from any thread, under the device's lock; it has to be quick,
  /// and must not call the device.
  func now() -> Instant

  /// Asks for `tick` as soon as `now` is `deadline` or later; nil for not at all. Replaces what was
  /// asked for before.
  ///
  /// A tick that finds nothing due is harmless. Called from any thread, under the device's lock,
  /// only when the deadline has changed or has been ticked for; it must not block, and must
  /// not call `tick` itself.
  func arm(_ deadline: Instant?)

  /// Starts to count, and to call `tick`. Called once, before anything else.
  func start(_ tick: @escaping @Sendable () -> Void)

  /// Runs `work`, which may take as long as it likes, on the ticking thread as soon as the tick has
  /// returned; for clocks that have another thread to keep the time meanwhile. It saves a handler
  /// the way to another thread. Only called from inside a tick, and outside the device's lock.
  ///
  /// - Returns: Whether it will run; where it does not, the device has another thread do it. A
  ///   clock that does not say does not.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool

  /// Whether a tick follows its deadline at once, on a thread that does little else: somebody's
  /// call that comes upon a deadline just then decides, and may leave it to that tick to call apps.
  /// False where the clock does not say so.
  var ticksAtOnce: Bool { get }

  /// Ends the ticks: when it returns none is running, unless it is called from one, and none will
  /// come. May be called from any thread, a tick included, and more than once.
  func stop()

  /// How much later than due a tick may come by the clock's own choice, in engine time, rounded up.
  ///
  /// A device refuses a clock whose leeway reaches its policy's warning: such a tick would come
  /// when the grant is over, and end every app whose handler was never called. Constant; asked
  /// once, when a device is made.
  var leeway: Interval { get }
}

extension RealTimeClock {
  /// None: a tick comes as soon as it can.
  public var leeway: Interval { .zero }
}

extension RealTimeClock {
  /// False.
  public var ticksAtOnce: Bool { false }
  /// Does not.
  public func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool { false }
}
