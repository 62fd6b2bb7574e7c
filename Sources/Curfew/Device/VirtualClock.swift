public import CurfewEngine
import CurfewSystem

/// A device's virtual time as a Swift `Clock`, for code that takes a clock as a
/// parameter: `func retry(on clock: any Clock<Duration> = ContinuousClock())`.
///
/// This works on every platform and compiler: a task that sleeps on this clock resumes when
/// the device's time reaches the task's deadline, and Swift runs everything else as usual.
/// A test must await `Device.settle(advancing:)` after each call that starts async code, and before
/// time passes. If `CurfewTesting.VirtualTime.isAvailable`, a test with the trait `.device` needs
/// neither this clock nor `settle`: Swift's own clocks count the device's time, and at each instant
/// all async code runs until it is at rest.
public struct VirtualClock: Clock {
  /// An instant of a device's virtual time.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The same instant in the device's time.
    public let onDevice: CurfewEngine.Instant

    /// The instant `duration` later; saturates.
    public func advanced(by duration: Duration) -> Instant {
      Instant(onDevice: onDevice + Interval(duration))
    }
    /// The time from this instant to `other`.
    public func duration(to other: Instant) -> Duration { Duration(other.onDevice - onDevice) }
    /// Whether the first instant is earlier.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.onDevice < second.onDevice
    }
  }

  private let core: DeviceCore

  init(_ core: DeviceCore) { self.core = core }

  /// `Device.now`.
  public var now: Instant { Instant(onDevice: core.now) }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns when the device's time has reached `deadline`, in the order of deadlines; `tolerance`
  /// is not used.
  /// - Throws: `CancellationError`, when the task is cancelled or the device is closed.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await core.sleep(until: deadline.onDevice)
  }
}

extension Device {
  /// The device's virtual time as a Swift clock.
  /// - Precondition: The device's own clock is virtual.
  public var clock: VirtualClock {
    precondition(
      core.clock == nil,
      "Device.clock needs a virtual clock; in real time use ContinuousClock")
    return VirtualClock(core)
  }

  /// Waits until async code is at rest, as far as that can be observed from outside. Then lets
  /// virtual time pass, and waits again at each instant at which something is due or a sleep on
  /// `clock` ends.
  ///
  /// In a test whose device comes from `CurfewTesting`, the wait is exact. Elsewhere it is a
  /// heuristic: this function yields to Swift's threads and the main actor until, for many turns,
  /// no code has called the device and no task has begun to sleep. Code that pauses longer between
  /// two calls (for a file, a network, or on a busy machine) may be missed: await it yourself.
  ///
  /// ```swift
  /// device.home()
  /// await device.settle(advancing: .seconds(10))
  /// ```
  ///
  /// - Parameter interval: The time to let pass.
  /// - Precondition: The clock is virtual.
  public func settle(advancing interval: Duration = .zero) async {
    precondition(interval >= .zero, "The interval to advance is negative: \(interval)")
    precondition(
      core.clock == nil, "settle() needs a virtual clock; a real clock advances by itself")
    if core.work != nil {
      core.advance(by: Interval(interval))
      return
    }
    let end = core.now + Interval(interval)
    await core.rest()
    while let next = core.withState({ $0.nextInstant }), next <= end {
      core.advance(by: max(next - core.now, .zero))
      await core.rest()
    }
    core.advance(by: max(end - core.now, .zero))
    await core.rest()
  }

  /// The number of tasks that sleep on the device's clock.
  package var sleeperCount: Int { core.withState { $0.sleeps.sleeperCount } }
}

extension DeviceCore {
  /// Yields to Swift's threads until no code has called the device for at least 20 turns and
  /// a millisecond.
  fileprivate func rest() async {
    var (seen, quiet, since) = (activity, 0, ContinuousClock.now)
    // The limit of 1,000 turns is for callers whose own clock is virtual, for instance the clock
    // of another device: on such a clock the millisecond never passes.
    while quiet < 20 || quiet < 1000 && ContinuousClock.now - since < .milliseconds(1) {
      // Continues after all work that is already queued for the thread pool, even at the lowest
      // priority, or for the main actor.
      await Task.yield()
      await Task.detached(priority: .background) {}.value
      await MainActor.run {}
      let now = activity
      quiet += 1
      if now != seen { (seen, quiet, since) = (now, 0, .now) }
    }
  }

  /// A number that grows with every event and every sleep requested of the device.
  private var activity: Int { withState { $0.counts.events &+ $0.sleeps.asked } }
}
