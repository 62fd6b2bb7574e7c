public import Curfew
public import CurfewEngine
import CurfewSystem

/// The real clock of a device: one kernel timer on a libuv loop, set to the next deadline only.
///
/// While no deadline is set, the loop does not wake up. Ticks run on the loop's thread.
///
/// ```swift
/// let clock = try UVClock(scale: TimeScale("0.01")!)  // a grant of 30 s is over in 300 ms
/// ```
public final class UVClock: RealTimeClock, @unchecked Sendable {
  /// The system clock that this clock follows.
  public let source: Source
  /// The timer that wakes the loop: `timerfd` or `uvTimer`, never `best`.
  public let timerKind: TimerKind
  /// The ratio of wall time to engine time.
  public let scale: TimeScale
  /// A remark for people about the precision of the timer; nil if it is the best possible.
  public let notice: String?

  /// The engine's time at the start.
  public let startInstant: Instant
  /// The longest intended delay of a wake-up, in wall nanoseconds.
  private let wallLeeway: Int64
  private let loop: UVLoop
  private let ownsLoop: Bool
  private let alarm: any Alarm
  private let lock = Lock()
  private var isStarted = false
  /// The source's time at the start. Needs no lock: the protocol starts the clock before other
  /// threads use it.
  package private(set) var origin: Int64

  /// Creates a clock on `loop`, or on its own loop.
  ///
  /// With a leeway, the timer is set to a later wall time: the deadline plus the leeway.
  /// Everything that becomes due meanwhile is handled in one wake-up, late by at most the leeway
  /// plus the machine's own delay. A leeway saves wake-ups and power if precision does not matter.
  /// The leeway has to be shorter, in wall time, than the warning of the device's policy: at `0.01`
  /// a warning of 5 s takes 50 ms. `Device.init` refuses any other leeway.
  ///
  /// `startingAt` is the engine's time at the start: a run that goes on where a trace ended begins
  /// at the trace's last instant, plus the time away.
  /// - Precondition: The start is not before zero, and time goes on after it.
  /// - Throws: `UVError` if the system has no more threads or descriptors, or if `timer`
  ///   is `.timerfd` and the system has none.
  public init(
    _ loop: UVLoop? = nil, startingAt start: Instant = .zero, source: Source = .monotonic,
    timer: TimerKind = .best,
    scale: TimeScale = .one, leeway: Duration = .zero
  ) throws(UVError) {
    precondition(leeway >= .zero, "A leeway is not negative, found \(leeway)")
    precondition(
      start >= .zero && start < .distantFuture, "A clock starts at \(start.nanoseconds) ns")
    wallLeeway = leeway.nanoseconds
    startInstant = start
    self.loop = if let loop { loop } else { try UVLoop() }
    ownsLoop = loop == nil
    self.source = source
    self.scale = scale
    (alarm, notice) = try Self.alarm(timer, on: self.loop.core, source: source)
    timerKind = alarm is TimerAlarm ? .uvTimer : .timerfd
    origin = source.read()
  }

  deinit { stop() }

  /// `monotonic` or `boottime`.
  public var name: String { source.rawValue }

  /// The smallest difference between two instants that cause separate wake-ups.
  public var resolution: Duration { timerKind == .timerfd ? .nanoseconds(1) : .milliseconds(1) }

  /// The longest intended delay of a wake-up, in engine time: the wall time, converted by the scale
  /// and rounded up.
  public var leeway: Interval { scale.engineLength(ofWall: wallLeeway) }

  /// The number of times the loop woke up for this clock.
  package var wakeUps: Int { alarm.gate.wakeUps }

  /// The number of times a deadline was set or cancelled.
  package var armings: Int { alarm.armings }

  /// Wall nanoseconds since the start.
  public func wallNow() -> Int64 { source.read() - origin }

  /// The start, and the engine time since then, rounded down.
  public func now() -> Instant { startInstant + (scale.engine(atWall: wallNow()) - .zero) }

  /// Sets the timer, on the calling thread, to the first wall nanosecond at which `now` is
  /// `deadline` or later, plus the leeway.
  public func arm(_ deadline: Instant?) { alarm.set(deadline.flatMap(wallInstant)) }

  /// The source's time at which the timer for `deadline` fires; nil for never.
  package func wallInstant(of deadline: Instant) -> Int64? {
    let wall =
      deadline == .distantFuture ? .max : scale.wall(for: .zero + (deadline - startInstant))
    let (instant, overflow) = origin.addingReportingOverflow(wall)
    let (late, isNever) = instant.addingReportingOverflow(wallLeeway)
    return wall == .max || overflow || isNever ? nil : late
  }

  /// True for a kernel timer without leeway on the clock's own loop, until the clock is stopped.
  public var ticksImmediately: Bool {
    ownsLoop && timerKind == .timerfd && wallLeeway == 0 && !alarm.gate.isClosed
  }

  /// Makes the thread that runs the loop do `work`, if the loop is the clock's own and another
  /// thread stands by to take over.
  public func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    loop.core.runAfterTick(work)
  }

  /// Starts counting time. Must be called once; after `stop`, or on a closed loop, no tick comes.
  public func start(_ tick: @escaping @Sendable () -> Void) {
    let isFirst = lock.withLock {
      defer { isStarted = true }
      return !isStarted
    }
    precondition(isFirst, "A clock is started once")
    origin = source.read()
    alarm.gate.open(tick)
    loop.core.open(alarm)
  }

  /// Stops the ticks. When it returns, no tick is running, unless a tick called it. Closes the loop
  /// if it is the clock's own.
  ///
  /// The caller must not hold a lock that a tick waits for.
  public func stop() {
    alarm.gate.shut()
    loop.core.close(alarm)
    if ownsLoop { loop.close() }
  }
}

extension UVClock {
  private static func alarm(
    _ kind: TimerKind, on core: LoopCore, source: Source
  ) throws(UVError) -> (any Alarm, notice: String?) {
    let rounding = "deadlines are kept by uv_timer, rounded up to whole milliseconds"
    if kind == .uvTimer {
      return (TimerAlarm(on: core, source: source), "As requested, \(rounding)")
    }
    #if os(Linux)
      do {
        return (try DescriptorAlarm(on: core, source: source), nil)
      } catch {
        // The kernel has no timerfd, or none for this clock. A lack of descriptors is no reason
        // to use a less precise timer from now on.
        guard kind == .best, error.isMissingFeature else { throw error }
      }
    #else
      if kind == .timerfd { throw UVError.noTimerDescriptor }
    #endif
    return (
      TimerAlarm(on: core, source: source),
      "There is no timerfd for the clock '\(source.rawValue)' here: \(rounding)"
    )
  }
}

extension Duration {
  /// Whole nanoseconds; at most 292 years.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || sumOverflow ? .max : sum
  }
}
