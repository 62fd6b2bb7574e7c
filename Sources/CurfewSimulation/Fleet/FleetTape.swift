public import CurfewEngine

/// All that one device of a fleet said to its driver, so that a benchmark can say it again without
/// whoever found it out: the floor of what a fleet may take.
@_spi(Benchmarks) public struct FleetTape: Sendable {
  private let policy: Policy
  private let device: DeviceFacts
  private let manifests: [Manifest]
  private var deeds: [Deed] = []
  /// The numbers of what is planned, in the order of planning.
  private var plans: [Driver.Plan: Int] = [:]
  private var planCount = 0

  enum Deed: Sendable {
    /// A turn, or something that is due, was pulled: what follows was said then.
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

  /// Says all of it to a driver of its own, and pulls what comes.
  /// - Returns: How many actions came.
  public func play(until end: Instant) -> Int {
    var driver = Driver(Engine(policy: policy, device: device, minimumCapacity: manifests.count))
    for manifest in manifests { _ = driver.addApp(manifest) }
    var (place, actions, planned) = (0, 0, [Driver.Plan]())
    planned.reserveCapacity(planCount)
    say(&place, &planned, &driver)
    repeat {
      while let item = driver.pull() {
        if case .action = item {
          actions += 1
          continue
        }
        place += 1
        say(&place, &planned, &driver)
      }
    } while driver.step(until: end)
    return actions
  }

  /// What was said before the next thing was pulled.
  private func say(_ place: inout Int, _ planned: inout [Driver.Plan], _ driver: inout Driver) {
    while place < deeds.count {
      switch deeds[place] {
      case .pull: return
      case .say(let event): driver.say(event)
      case .plan(let number, let instant): planned.append(driver.plan(number, at: instant))
      case .cancel(let number): driver.cancel(planned[number])
      case .rest(let app, let length): driver.rest(app, for: length)
      }
      place += 1
    }
  }
}

extension Fleet {
  /// What each of the first devices said to its driver.
  @_spi(Benchmarks) public func tapes(ofFirst count: Int) -> [FleetTape] {
    let plan = FleetPlan(workload, seed: seed, length: length)
    return (0..<min(count, devices)).compactMap { device in
      var run = DeviceRun(plan, device: UInt64(device), isTaped: true)
      if case .complete = run.run(isStopped: { false }) { return run.tape }
      return nil
    }
  }
}
