public import CurfewEngine
import CurfewSystem

/// A device's virtual time as a Swift `Clock`, for code that is handed its
/// clock: `func retry(on clock: any Clock<Duration> = ContinuousClock())`.
///
/// This is the plain way, for every platform and compiler: who sleeps by this clock goes on
/// when the device's time comes to it, and Swift runs all else as ever. After whatever sets
/// async code off, and before time passes, a test awaits `Device.settle(advancing:)`. Where
/// `CurfewTesting.VirtualTime.isAvailable`, its trait `.device` needs neither: there Swift's own
/// clocks count the device's time, and at each instant all async code comes to rest by itself.
public struct VirtualClock: Clock {
  /// An instant of a device's virtual time.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// As the device says it.
    public let onDevice: CurfewEngine.Instant

    /// `duration` later, at the most as late as time goes.
    public func advanced(by duration: Duration) -> Instant {
      Instant(onDevice: onDevice + Interval(duration))
    }
    /// How long it is from here to `other`.
    public func duration(to other: Instant) -> Duration { Duration(other.onDevice - onDevice) }
    /// Whether the first is the earlier.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.onDevice < second.onDevice
    }
  }

  private let core: DeviceCore

  init(_ core: DeviceCore) { self.core = core }

  /// What `Device.now` says.
  public var now: Instant { Instant(onDevice: core.now) }
  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Comes back when the device's time has come to `deadline`, in the order of deadlines;
  /// `tolerance` is not used.
  /// - Throws: `CancellationError`, when the task is cancelled or the device is closed.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await core.sleep(until: deadline.onDevice)
  }
}

extension Device {
  /// Its time as a Swift clock.
  /// - Precondition: The device's own clock is virtual.
  public var clock: VirtualClock {
    precondition(
      core.clock == nil,
      "Device.clock is for a virtual clock; in real time code sleeps by ContinuousClock")
    return VirtualClock(core)
  }

  /// Waits until async code has come to rest, as far as one can see that from outside; then lets
  /// virtual time pass, and at each instant at which something is due or a sleep by `clock` ends,
  /// waits again.
  ///
  /// In a test that has its device from `CurfewTesting` the rest is exact. Elsewhere it is a matter
  /// of patience: Swift's threads and the main actor are given turn after turn, until in many
  /// of them nothing has been asked of the device and nobody has begun to sleep. Code that takes
  /// long to get from one to the other (a file, a network, a busy machine) may come later than
  /// that: await it yourself.
  ///
  /// ```swift
  /// device.home()
  /// await device.settle(advancing: .seconds(10))
  /// ```
  ///
  /// - Parameter interval: How much time passes.
  /// - Precondition: The clock is virtual.
  public func settle(advancing interval: Duration = .zero) async {
    precondition(interval >= .zero, "Time goes backwards by \(interval)")
    precondition(core.clock == nil, "settle() is for a virtual clock; a real one goes by itself")
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

  /// How many sleep by its clock.
  package var sleeperCount: Int { core.withState { $0.sleeps.sleeperCount } }
}

extension DeviceCore {
  /// Gives Swift's threads turns, until in many of them, and for a millisecond, nothing has come
  /// of it.
  fileprivate func rest() async {
    var (seen, quiet, since) = (activity, 0, ContinuousClock.now)
    // The millisecond never passes where the caller's own clock is virtual, another device's
    // for instance.
    while quiet < 20 || quiet < 1000 && ContinuousClock.now - since < .milliseconds(1) {
      // Behind what waits for the pool already, and what waits for it at the least priority,
      // and for the main actor.
      await Task.yield()
      await Task.detached(priority: .background) {}.value
      await MainActor.run {}
      let now = activity
      quiet += 1
      if now != seen { (seen, quiet, since) = (now, 0, .now) }
    }
  }

  /// Grows with whatever is asked of the device.
  private var activity: Int { withState { $0.counts.events &+ $0.sleeps.asked } }
}
