public import Curfew
public import CurfewEngine
import CurfewSystem

/// The real clock of a device: one kernel timer on a libuv loop, set to the next deadline and to
/// nothing else.
///
/// While nothing is armed nothing wakes up. Ticks come on the loop's thread.
///
/// ```swift
/// let clock = try UVClock(scale: TimeScale("0.01")!)  // a grant of 30 s is over in 300 ms
/// ```
public final class UVClock: RealTimeClock, @unchecked Sendable {
  /// What it counts.
  public let source: Source
  /// What wakes the loop: `timerfd` or `uvTimer`, never `best`.
  public let timerKind: TimerKind
  /// Wall time for engine time.
  public let scale: TimeScale
  /// Something a person should be told about how the time is kept; nil where it is kept as well as
  /// can be.
  public let notice: String?

  /// How much later than due the loop may wake up, in wall nanoseconds.
  private let wallLeeway: Int64
  private let loop: UVLoop
  private let ownsLoop: Bool
  private let alarm: any Alarm
  private let lock = Lock()
  private var isStarted = false
  /// The source's time at the start. No lock: whoever reads it was told of the clock after it had
  /// been started, as the protocol has it.
  package private(set) var origin: Int64

  /// A clock on `loop`, or on a loop of its own.
  ///
  /// With a leeway the timer is set so much later than the deadline that it is for, in wall time:
  /// what is due meanwhile is done in one wake-up, late by no more than the leeway and by what
  /// the machine adds. It saves wake-ups, and power, where exactness is not what one is after.
  /// It has to be shorter than the warning of the device's policy takes in wall time: at `0.01`
  /// a warning of 5 s takes 50 ms. `Device.init` refuses any other.
  /// - Throws: `UVFailure` if the system has no more threads or descriptors, or if `timer`
  ///   is `.timerfd` where there is none.
  public init(
    _ loop: UVLoop? = nil, source: Source = .monotonic, timer: TimerKind = .best,
    scale: TimeScale = .one, leeway: Duration = .zero
  ) throws(UVFailure) {
    precondition(leeway >= .zero, "A leeway of \(leeway)")
    wallLeeway = leeway.nanoseconds
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

  /// The least by which two instants can differ that the loop wakes up for.
  public var resolution: Duration { timerKind == .timerfd ? .nanoseconds(1) : .milliseconds(1) }

  /// How much later than due the loop may wake up, in engine time: the wall time that was asked
  /// for, by the scale, rounded up.
  public var leeway: Interval { scale.engineLength(ofWall: wallLeeway) }

  /// How often the loop woke up for this clock.
  package var wakeUps: Int { alarm.gate.wakeUps }

  /// How often a deadline was set or taken back.
  package var armings: Int { alarm.armings }

  /// Wall nanoseconds since the start.
  public func wallNow() -> Int64 { source.read() - origin }

  /// Engine time since the start, rounded down.
  public func now() -> Instant { scale.engine(atWall: wallNow()) }

  /// Sets the timer, from the calling thread, to the first wall nanosecond at which `now`
  /// is `deadline` or later.
  public func arm(_ deadline: Instant?) { alarm.set(deadline.flatMap(wallInstant)) }

  /// The source's time when the timer for `deadline` goes off; nil for never.
  package func wallInstant(of deadline: Instant) -> Int64? {
    let wall = scale.wall(for: deadline)
    let (instant, overflow) = origin.addingReportingOverflow(wall)
    let (late, isNever) = instant.addingReportingOverflow(wallLeeway)
    return wall == .max || overflow || isNever ? nil : late
  }

  /// True for a kernel timer without leeway on a loop of the clock's own, until it is stopped.
  public var ticksAtOnce: Bool {
    ownsLoop && timerKind == .timerfd && wallLeeway == 0 && !alarm.gate.isClosed
  }

  /// Done by the thread that runs the loop, if that is one of the clock's own loop and another
  /// stands by to take its place.
  public func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    loop.core.runAfterTick(work)
  }

  /// Starts to count. Called once; after `stop`, or on a loop that has been closed, no tick comes.
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

  /// Ends the ticks: when it returns none is running, unless it is called from one. Closes the loop
  /// if it is the clock's own.
  ///
  /// Not under a lock that a tick waits for.
  public func stop() {
    alarm.gate.shut()
    loop.core.close(alarm)
    if ownsLoop { loop.close() }
  }
}

extension UVClock {
  private static func alarm(
    _ kind: TimerKind, on core: LoopCore, source: Source
  ) throws(UVFailure) -> (any Alarm, notice: String?) {
    let rounding = "deadlines are kept by uv_timer, rounded up to whole milliseconds"
    if kind == .uvTimer { return (TimerAlarm(on: core, source: source), "As asked, \(rounding)") }
    #if os(Linux)
      do {
        return (try DescriptorAlarm(on: core, source: source), nil)
      } catch {
        // A kernel without timerfd, or without this clock in it. Being out of descriptors is no
        // reason to be less exact from now on.
        guard kind == .best, error.isMissingFeature else { throw error }
      }
    #else
      if kind == .timerfd { throw UVFailure.noTimerDescriptor }
    #endif
    return (
      TimerAlarm(on: core, source: source),
      "There is no timerfd for the clock '\(source.rawValue)' here: \(rounding)"
    )
  }
}

extension Duration {
  /// Whole nanoseconds; no more than 292 years.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || sumOverflow ? .max : sum
  }
}
