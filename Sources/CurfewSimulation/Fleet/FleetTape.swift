public import CurfewEngine

/// A recording of all calls that one device of a fleet made to its driver. A benchmark replays
/// them without the model that computed them. The time of the replay is a lower bound on the time
/// of a fleet.
@_spi(Benchmarks) public struct FleetTape: Sendable {
  private let policy: Policy
  private let device: DeviceFacts
  private let manifests: [Manifest]
  private var deeds: [Deed] = []
  /// The ordinal numbers of the plans that can be cancelled.
  private var plans: [Driver.Plan: Int] = [:]
  private var planCount = 0

  enum Deed: Sendable {
    /// The device pulled a turn or a due plan. The following deeds are the resulting calls.
    case pull
    case say(Event)
    case plan(UInt32, Instant)
    case cancel(Int)
    case rest(AppID, Interval)
  }

  init(_ policy: Policy, _ device: DeviceFacts, _ manifests: [Manifest]) {
    (self.policy, self.device, self.manifests) = (policy, device, manifests)
  }

  mutating func note(_ deed: Deed) { deeds.append(deed) }

  mutating func note(_ deed: Deed, _ plan: Driver.Plan) {
    deeds.append(deed)
    plans[plan] = planCount
    planCount += 1
  }

  mutating func noteCancel(of plan: Driver.Plan) {
    if let number = plans.removeValue(forKey: plan) { deeds.append(.cancel(number)) }
  }

  /// Counts of replays, which equal the figures of the fleet with the same names.
  @_spi(Benchmarks) public struct Counts: Sendable {
    /// Events that entered the engines, and steps that the engines took by themselves.
    public fileprivate(set) var events = 0
    /// Suspensions.
    public fileprivate(set) var suspensions = 0

    /// Creates counts of 0.
    public init() {}
  }

  /// Replays the tape on a new driver, and adds to `counts`.
  public func play(until end: Instant, into counts: inout Counts) {
    var driver = Driver(Engine(policy: policy, device: device, minimumCapacity: manifests.count))
    for manifest in manifests { _ = driver.addApp(manifest) }
    var (place, planned) = (0, [Driver.Plan]())
    planned.reserveCapacity(planCount)
    say(&place, &planned, &driver, &counts)
    while true {
      while let item = driver.pull() {
        if case .action(let action) = item {
          if case .state(_, _, .suspended) = action { counts.suspensions += 1 }
          continue
        }
        place += 1
        say(&place, &planned, &driver, &counts)
      }
      guard driver.step(until: end) else { return }
      if driver.hasAdvanced { counts.events += 1 }
    }
  }

  /// Replays the calls up to the next pull.
  private func say(
    _ place: inout Int, _ planned: inout [Driver.Plan], _ driver: inout Driver,
    _ counts: inout Counts
  ) {
    while place < deeds.count {
      switch deeds[place] {
      case .pull: return
      case .say(let event):
        driver.say(event)
        counts.events += 1
      case .plan(let number, let instant): planned.append(driver.plan(number, at: instant))
      case .cancel(let number): driver.cancel(planned[number])
      case .rest(let app, let length): driver.rest(app, for: length)
      }
      place += 1
    }
  }
}

extension Fleet {
  /// The tapes of the first `count` devices, except for devices on which time stands still.
  @_spi(Benchmarks) public func tapes(ofFirst count: Int) -> [FleetTape] {
    let plan = FleetPlan(workload, seed: seed, length: length)
    return (0..<min(count, devices)).compactMap { device in
      var run = DeviceRun(plan, device: UInt64(device), isTaped: true)
      if case .complete = run.run(isStopped: { false }) { return run.tape }
      return nil
    }
  }
}
