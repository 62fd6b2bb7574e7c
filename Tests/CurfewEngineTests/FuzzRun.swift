import TestSupport

@testable import CurfewEngine

/// One random life of a device with six apps, from one seed: the events (`FuzzRun+Events`), what
/// the apps do meanwhile, and how long their callbacks take.
struct FuzzRun: ~Copyable {
  /// A call to the engine.
  enum Call: Equatable {
    case advance(Instant)
    case event(Event, Instant)
  }

  private enum Line {
    case said(Event)
    case done(Action)
  }

  let name: String
  private(set) var calls: [Call] = []
  private(set) var actions: [Action] = []
  private let manifests: [Manifest]
  let policy: Policy
  let pace: Pace
  /// The most frequent calls of its apps.
  let topic: Topic
  private let device: DeviceFacts
  /// Whether the host meets every deadline in time, as in virtual time.
  private let isPunctual: Bool
  var random: SeededGenerator
  private(set) var driver: Driver
  private var picky: PickyHost
  private var checker: RuleChecker
  private var now = Instant.zero
  /// Resting apps in the order in which they began to rest, as the driver should have them.
  private var returns: [(at: Instant, app: AppID, turn: Int)] = []
  /// The app that has the turn.
  private var turn: AppID?
  /// The calls that each app still makes inside its callback: some of any kind, then `doings`.
  private var called: [AppID: (calls: Int, doings: [Event])] = [:]
  /// Apps that were notified and will act on it outside a callback.
  private var spontaneous: [AppID] = []
  private(set) var someTasks: [(app: AppID, task: BackgroundTask)] = []
  /// The calls and the actions, formatted only if there is a failure.
  private var log: [(at: Instant, line: Line)] = []
  let apps: [AppID]

  init(seed: UInt64) {
    let (name, named) = FuzzRun.policies[Int(seed % UInt64(FuzzRun.policies.count))]
    var random = SeededGenerator(seed: seed)
    isPunctual = !random.oneIn(5)
    pace = random.oneIn(3) ? .hours : .seconds
    topic = random.pick(Topic.allCases)
    (self.name, policy) = ("\(name), \(pace)", FuzzRun.colliding(named, pace, &random))
    device = DeviceFacts(
      backgroundRefresh: random.oneIn(6) ? .denied : .available, lowPowerMode: random.oneIn(4),
      battery: random.pick([10, 90, 90, 90]), charging: random.oneIn(4),
      memory: random.oneIn(4) ? 300 << 20 : nil)
    manifests = (0..<6).map { _ in FuzzRun.manifest(&random) }
    self.random = random
    let pace = isPunctual ? Driver.Pace.punctual : .late
    driver = Driver(FuzzRun.engine(policy, device, manifests), pace: pace)
    picky = PickyHost(FuzzRun.engine(policy, device, manifests), pace: pace, seed: seed)
    checker = RuleChecker(
      policy: policy, device: device, manifests: manifests, isPunctual: isPunctual)
    apps = manifests.indices.map { AppID(rawValue: UInt32($0)) }
  }

  private static func manifest(_ random: inout SeededGenerator) -> Manifest {
    Manifest(
      backgroundModes: BackgroundModes(rawValue: (random.next() | random.next()) & 0x7ff),
      exitsOnSuspend: random.oneIn(8),
      backgroundRefresh: random.oneIn(4) ? random.pick([.denied, .restricted]) : .available,
      permittedIdentifiers: random.oneIn(6) ? [1] : [0, 1, 2],
      footprint: random.oneIn(2) ? nil : Int64(random.below(3)) * 40 << 20,
      memoryLimit: random.oneIn(9) ? 80 << 20 : nil,
      startCost: random.oneIn(2) ? nil : .milliseconds(Int64(random.below(4)) * 250),
      handlesWakeExpiration: random.oneIn(2))
  }

  private static func engine(_ policy: Policy, _ device: DeviceFacts, _ manifests: [Manifest])
    -> Engine
  {
    var engine = Engine(policy: policy, device: device)
    for manifest in manifests { _ = engine.addApp(manifest) }
    return engine
  }

  /// Returns an engine at the start of this life.
  func newEngine() -> Engine { FuzzRun.engine(policy, device, manifests) }

  /// Performs `count` events.
  /// - Returns: The failure, with the log that led to it; nil for none.
  mutating func perform(steps: Int) -> String? {
    for step in 0..<steps {
      run(to: nextTarget())
      if checker.failure == nil { say(randomEvent()) }
      takeTurns()
      settle()
      checker.compare(with: driver.engine)
      if checker.failure == nil { driver.engine.checkInvariants() }
      if let failure = checker.failure {
        return "step \(step) under \(name)\(isPunctual ? "" : ", late"): \(failure)\n"
          + log.suffix(40).map(FuzzRun.words).joined(separator: "\n")
      }
    }
    return nil
  }

  private static func words(_ entry: (at: Instant, line: Line)) -> String {
    switch entry.line {
    case .said(let event): "\(entry.at.text) > \("\(event)".replacing("CurfewEngine.", with: ""))"
    case .done(let action): "\(entry.at.text) \(action.text)"
    }
  }

  // MARK: Time

  private mutating func nextTarget() -> Instant {
    // With times of decades, targets are kept near enough that sums do not saturate.
    let deadline = driver.engine.nextDeadline.flatMap { $0.nanoseconds < 1 << 61 ? $0 : nil } ?? now
    switch random.below(20) {
    case 0...7: return now
    case 8...11: return deadline
    case 12: return max(now, deadline - .nanoseconds(1))
    case 13...15: return now + .milliseconds(Int64(random.below(8)))
    case 16...18: return now + .milliseconds(Int64(random.below(20_000)))
    default:
      let target = now + .seconds(Int64(random.below(400_000)))
      return checker.hasOpportunities ? min(target, now + pace.longest) : target
    }
  }

  /// Runs to every deadline and every return on the way; a late host goes straight to `target`.
  private mutating func run(to target: Instant) {
    var target = target
    let hadOpportunities = checker.hasOpportunities
    while isPunctual, checker.failure == nil, let next = driver.nextInstant, next <= target {
      if next > now, random.oneIn(4) { expectNothing(until: next - .nanoseconds(1)) }
      forgetTheDead()
      checker.demand(!returns.contains { $0.at < next }, "an app rests for too long")
      let isDeadline = next == driver.engine.nextDeadline
      now = max(now, next)
      if isDeadline { checker.demand(step(), "nothing was due at the next deadline") }
      settle()
      // If repeated opportunities begin on the way, the target comes nearer.
      if !hadOpportunities, checker.hasOpportunities { target = min(target, now + pace.longest) }
    }
    if isPunctual { expectNothing(until: target) } else { now = target }
    settle()
  }

  private mutating func expectNothing(until instant: Instant) {
    now = max(now, instant)
    checker.demand(!step(), "something happened before its deadline")
  }

  /// Performs everything that is due now, one step at a time: the engine's deadlines, then
  /// the apps' own steps (rule C2), then the memory check (rule M1).
  private mutating func settle() {
    while checker.failure == nil, step() {}
  }

  // MARK: Calls

  private mutating func step() -> Bool {
    checker.move(to: now)
    // A failure may have left a step unfinished.
    guard checker.failure == nil else { return false }
    forgetTheDead()
    let isLook = driver.engine.isOnlyMemoryDue(at: now)
    let isDeadline = !isLook && driver.engine.nextDeadline.map { $0 <= now } ?? false
    if !isDeadline { checker.settle() }
    let isDue = driver.step(until: now)
    checker.demand(isDue || !isDeadline && !isLook, "something was due, but nothing happened")
    let isDueToo = picky.step(until: now)
    checker.demand(isDueToo == isDue, "\(picky.words) takes other steps")
    let rested =
      isDeadline
      ? nil
      : returns.indices.filter { returns[$0].at <= now }.min {
        (returns[$0].at, $0) < (returns[$1].at, $1)
      }
    if let rested, isDue {
      let app = returns.remove(at: rested).app
      let (item, same) = (driver.pull(), picky.pull())
      checker.demand(item == .turn(app), "it is the turn of \(app.text), which has rested")
      checker.demand(same == item, "\(picky.words) gets another turn")
      say(.returned(app))
    } else {
      calls.append(.advance(now))
      let new = takeActions()
      checker.demand(isDue || new.isEmpty, "nothing was due, but something happened")
      if isDue { checker.noteAdvance(new, isLook: isLook) }
      noteCalls(new)
    }
    takeTurns()
    return isDue
  }

  private mutating func forgetTheDead() {
    returns.removeAll { $0.turn != checker.apps[Int($0.app.rawValue)].turn }
  }

  /// Passes an event to the engine, and asks what apps do in response.
  private mutating func say(_ event: Event) {
    checker.move(to: now)
    calls.append(.event(event, now))
    log.append((now, .said(event)))
    driver.say(event, at: now)
    picky.say(event, at: now)
    let new = takeActions()
    checker.note(event, new)
    noteCalls(new)
  }

  /// The actions up to the next turn.
  private mutating func takeActions() -> [Action] {
    precondition(turn == nil, "the last turn has not been taken")
    var new: [Action] = []
    while turn == nil, let item = driver.pull() {
      switch item {
      case .action(let action): new.append(action)
      case .turn(let app): turn = app
      case .due: checker.demand(false, "an item is due that no app has planned")
      }
    }
    let getsWanted = picky.gets(new, then: turn)
    checker.demand(getsWanted, "\(picky.words) gets other actions")
    checker.demand(picky.isLike(driver), "\(picky.words) has another state")
    actions += new
    log += new.map { (now, .done($0)) }
    return new
  }

  /// Plans the apps' responses to the actions.
  private mutating func noteCalls(_ new: [Action]) {
    for action in new {
      if case .taskBegan(let app, let task) = action {
        if someTasks.count == 12 { someTasks.remove(at: random.below(12)) }
        someTasks.append((app, task))
      }
      if case .notification(let app, _, _) = action, random.oneIn(6) { spontaneous.append(app) }
      guard let app = action.deliveredTo else { continue }
      var doings: [Event] = []
      if case .wakeBegan(_, let wake) = action, random.oneIn(2) {
        doings.append(.completeWake(app, WakeChoice(id: wake.id), random.pick(WakeResult.allCases)))
      }
      if case .expiration(_, let task, _, _) = action, random.oneIn(2) {
        doings.append(.endTask(app, task))
      }
      called[app] = (max(0, random.below(4) - 1), doings)
    }
  }

  /// Lets the apps make their planned calls inside callbacks, one a turn, and those outside
  /// of them.
  private mutating func takeTurns() {
    while checker.failure == nil {
      if let app = turn {
        turn = nil
        takeTurn(app)
      } else if let app = spontaneous.popLast() {
        say(ownCall(app))
      } else {
        return
      }
    }
  }

  private mutating func takeTurn(_ app: AppID) {
    let (calls, doings) = called[app] ?? (0, [])
    if calls > 0 {
      called[app]?.calls -= 1
      say(ownCall(app))
    } else if let doing = doings.first {
      called[app]?.doings.removeFirst()
      say(doing)
    } else if random.oneIn(4) {
      let length = duration()
      returns.append((now + length, app, checker.apps[Int(app.rawValue)].turn))
      driver.rest(app, for: length)
      picky.rest(app, for: length)
      noteCalls(takeActions())
    } else {
      say(.returned(app))
    }
  }

  private mutating func duration() -> Interval {
    switch random.below(4) {
    case 0: .seconds(Int64(random.below(25)))  // often exactly a limit
    case 1: .milliseconds(Int64(random.below(12_000)))
    case 2: .nanoseconds(1)
    default: .milliseconds(Int64(random.below(6)))
    }
  }
}
