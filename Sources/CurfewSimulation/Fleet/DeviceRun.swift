import CurfewEngine
import CurfewTrace

/// One device of a fleet, from its start to its end.
///
/// It hosts an engine as `Simulation` does, but writes no trace. The behavior of apps and users
/// is drawn at random, and the engine's actions are counted.
struct DeviceRun: ~Copyable {
  let plan: FleetPlan
  let device: UInt64
  var driver: Driver
  var meter: Meter
  var apps: [FleetApp]
  var works: [Work] = []
  private var freeWorks: [Int] = []
  var user: FleetUser
  /// The day of the next occurrence of each daily change.
  var days: [Int]
  var facts: DeviceFacts
  var batteryTick = Driver.Plan.none
  /// The number of events sent to the engine, and of the engine's own steps.
  private(set) var events = 0
  /// The calls to the driver; nil if they are not recorded.
  private(set) var tape: FleetTape?
  private let isTaped: Bool

  /// A sort of plan, encoded in the number that the driver returns when the plan is due.
  enum Due: UInt32 {
    case user, daily, battery, arrival, work

    /// The number of the plan for item `what`.
    func number(_ what: Int) -> UInt32 {
      precondition(what < 1 << 27, "The item \(what) is too large for a plan")
      return rawValue << 27 | UInt32(what)
    }

    static func of(_ number: UInt32) -> (Due, Int) {
      guard let due = Due(rawValue: number >> 27) else {
        preconditionFailure("No plan has the number \(number)")
      }
      return (due, Int(number & (1 << 27 - 1)))
    }
  }

  init(_ plan: FleetPlan, device: UInt64, isTaped: Bool = false) {
    (self.plan, self.device, self.isTaped) = (plan, device, isTaped)
    days = Array(repeating: 0, count: plan.workload.device.daily.count)
    facts = plan.workload.device.start
    let (installed, user) = FleetUser.installation(plan, device: device)
    var settings = RandomStream(user.path.device(.settings))
    if settings.chance(plan.workload.device.refreshOff), facts.backgroundRefresh == .available {
      facts.backgroundRefresh = .denied
    }
    self.user = user
    apps = []
    apps.reserveCapacity(installed.count)
    driver = Driver(Engine(policy: plan.policy, device: facts, minimumCapacity: installed.count))
    var manifests: [Manifest] = []
    var footprints: [Int64?] = []
    for (sort, path) in installed {
      var settings = RandomStream(path.app(.settings))
      let own = plan.sorts[sort]
      var manifest = own.manifest
      let footprint = own.model.footprint?.interval(&settings).nanoseconds
      if let footprint { manifest.footprint = min(footprint, 1 << 60) }
      if settings.chance(own.model.refreshOff) { manifest.backgroundRefresh = .denied }
      _ = driver.addApp(manifest)
      if isTaped { manifests.append(manifest) }
      footprints.append(manifest.footprint)
      apps.append(FleetApp(own, sort, path: path))
    }
    tape = isTaped ? FleetTape(plan.policy, facts, manifests) : nil
    meter = Meter(
      plan.blank, sorts: installed.map(\.sort), policy: plan.policy,
      radioTail: plan.workload.radioTail)
    if plan.looksBack { meter.lookBack(capacity: facts.memory, footprints: footprints) }
    begin()
  }

  private mutating func begin() {
    beginUser()
    beginDay()
    for app in apps.indices {
      for (index, wake) in plan.sorts[apps[app].sort].model.wakes.enumerated() where wake.perDay > 0
      { planArrival(app, index) }
    }
  }

  /// The way in which a run ends.
  enum Ending {
    /// The run reached the plan's end.
    case complete
    /// The caller stopped the run.
    case stopped
    /// Time stands still (rule C4).
    case standstill(Standstill)
  }

  /// Runs to the plan's end.
  mutating func run(isStopped: () -> Bool) -> Ending {
    var steps = 0
    repeat {
      while let item = driver.pull() { take(item) }
      steps += 1
      if steps & 1023 == 0, isStopped() { return .stopped }
    } while step()
    if let standstill = driver.standstill { return .standstill(named(standstill)) }
    if driver.now < plan.end { driver.move(to: plan.end) }
    meter.finish(at: plan.end, events: events)
    return .complete
  }

  private func named(_ standstill: Driver.Standstill) -> Standstill {
    func name(_ app: AppID) -> String { plan.sorts[apps[Int(app.rawValue)].sort].model.name }
    return Standstill(standstill) {
      name($0)
    } planner: { number in
      switch Due.of(number) {
      case (.user, _), (.daily, _), (.battery, _): nil
      case (.arrival, let arrival): name(AppID(rawValue: UInt32(arrival >> FleetPlan.wakeBits)))
      case (.work, let work): name(works[work].app)
      }
    }
  }

  private mutating func step() -> Bool {
    guard driver.step(until: plan.end) else { return false }
    if driver.hasAdvanced { events += 1 }
    return true
  }

  private mutating func take(_ item: Driver.Item) {
    switch item {
    case .action(let action): note(action)
    case .turn(let app):
      if isTaped { tape?.note(.pull) }
      takeTurn(app)
    case .due(let number):
      if isTaped { tape?.note(.pull) }
      let (due, what) = Due.of(number)
      switch due {
      case .user: userIsDue()
      case .daily: dailyIsDue(what)
      case .battery: batteryIsDue()
      case .arrival: arrivalIsDue(what)
      case .work: finish(what)
      }
    }
  }

  // MARK: Input

  mutating func say(_ event: Event) {
    isSaid(event)
    driver.say(event)
  }

  mutating func ask(_ event: Event) -> EventAnswer {
    isSaid(event)
    return driver.ask(event)
  }

  private mutating func isSaid(_ event: Event) {
    meter.note(event, at: driver.now)
    isSaidUnmetered(event)
  }

  @inline(__always)
  private mutating func isSaidUnmetered(_ event: Event) {
    events += 1
    if isTaped { tape?.note(.say(event)) }
  }

  /// Sends an event that no figure reads, such as a return, the most frequent one.
  mutating func sayUnmetered(_ event: Event) {
    isSaidUnmetered(event)
    driver.say(event)
  }

  @discardableResult
  mutating func plan(_ number: UInt32, at instant: Instant) -> Driver.Plan {
    let plan = driver.plan(number, at: instant)
    if isTaped { tape?.note(.plan(number, instant), plan) }
    return plan
  }

  mutating func cancel(_ plan: Driver.Plan) {
    driver.cancel(plan)
    if isTaped { tape?.noteCancel(of: plan) }
  }

  mutating func rest(_ app: AppID, for length: Interval) {
    driver.rest(app, for: length)
    if isTaped { tape?.note(.rest(app, length)) }
  }

  // MARK: Work

  mutating func add(_ work: Work) {
    let place = freeWorks.popLast() ?? works.count
    if place == works.count { works.append(work) } else { works[place] = work }
    apps[Int(work.app.rawValue)].works.append(place)
    if work.runningSince != nil { plan(place) }
  }

  /// Removes work that is finished or given up, and frees its index.
  mutating func remove(_ place: Int) {
    cancel(works[place].plan)
    let app = Int(works[place].app.rawValue)
    if let index = apps[app].works.firstIndex(of: place) { apps[app].works.remove(at: index) }
    freeWorks.append(place)
  }

  /// Resumes paused work.
  mutating func resume(_ place: Int) {
    works[place].runningSince = driver.now
    plan(place)
  }

  private mutating func plan(_ place: Int) {
    works[place].plan = plan(Due.work.number(place), at: driver.now + works[place].left)
  }

  /// Pauses work, and keeps its remaining time.
  mutating func pause(_ place: Int) {
    guard let since = works[place].runningSince else { return }
    cancel(works[place].plan)
    let left = works[place].left.nanoseconds - (driver.now - since).nanoseconds
    works[place].left = Interval(nanoseconds: max(0, left))
    works[place].runningSince = nil
  }
}
