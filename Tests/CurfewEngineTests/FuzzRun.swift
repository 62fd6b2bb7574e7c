import CurfewEngine

/// One random life of a device with six apps, from one seed: what happens, what the apps do meanwhile, and how long their callbacks take.
struct FuzzRun: ~Copyable {
  /// Something that was said to the engine.
  enum Call: Equatable {
    case advance(Instant)
    case event(Event, Instant)
  }

  static let policies: [(name: String, policy: Policy)] = [
    ("ios13", .ios13), ("tiny", .tiny), ("noMultitasking", .noMultitasking), ("unlimitedForeground", .unlimitedForeground),
    ("tiny, strict, two in front", .tiny.with { ($0.tasks.lateBegin, $0.foregroundLimit) = (.invalid, 2) }),
    ("slowToSuspend", .slowToSuspend),
    ("seedStrict", .seedStrict), ("zero", .zero), ("ios7", .ios7), ("endless", .endless(1 << 60)), ("twoInFront", .twoInFront),
    ("tiny, unlimited, slow to suspend", .tiny.with { ($0.foregroundLimit, $0.suspendDelay) = (nil, .milliseconds(4)) }),
  ]

  let name: String
  private(set) var calls: [Call] = []
  private(set) var actions: [Action] = []
  private let manifests: [Manifest]
  private let policy: Policy
  private let device: DeviceFacts
  /// Whether the host comes to every deadline in time, as it does in virtual time.
  private let isPunctual: Bool
  private var random: SeededGenerator
  private var engine: Engine
  private var checker: RuleChecker
  private var buffer = ActionBuffer()
  private var now = Instant.zero
  /// Returns that take their time, in the order in which they were set off.
  private var returns: [(at: Instant, app: AppID, turn: Int)] = []
  private var someTasks: [(app: AppID, task: BackgroundTask)] = []
  private var lines: [String] = []
  private var apps: [AppID] = []

  init(seed: UInt64) {
    (name, policy) = FuzzRun.policies[Int(seed % UInt64(FuzzRun.policies.count))]
    var random = SeededGenerator(seed: seed)
    isPunctual = !random.oneIn(5)
    device = DeviceFacts(
      backgroundRefresh: random.oneIn(4) ? .denied : .available, lowPowerMode: random.oneIn(4), battery: random.oneIn(4) ? 5 : 100)
    manifests = (0..<6).map { _ in
      Manifest(
        backgroundModes: BackgroundModes(rawValue: UInt16(truncatingIfNeeded: random.next() | random.next()) & 0x3ff),
        exitsOnSuspend: random.oneIn(8), backgroundRefresh: random.pick([.available, .available, .available, .denied, .restricted]))
    }
    self.random = random
    engine = FuzzRun.engine(policy, device, manifests)
    checker = RuleChecker(policy: policy, apps: manifests.count, isPunctual: isPunctual)
    apps = manifests.indices.map { AppID(rawValue: UInt32($0)) }
  }

  private static func engine(_ policy: Policy, _ device: DeviceFacts, _ manifests: [Manifest]) -> Engine {
    var engine = Engine(policy: policy, device: device)
    for manifest in manifests { _ = engine.addApp(manifest) }
    return engine
  }

  /// An engine at the start of this life.
  func newEngine() -> Engine { FuzzRun.engine(policy, device, manifests) }

  /// Lives through so many events.
  /// - Returns: what went wrong, with what led to it.
  mutating func perform(steps: Int) -> String? {
    for step in 0..<steps {
      run(to: nextTarget())
      say(randomEvent())
      settle()
      checker.compare(with: engine)
      if checker.failure == nil { engine.checkInvariants() }
      if let failure = checker.failure {
        return "step \(step) under \(name)\(isPunctual ? "" : ", late"): \(failure)\n" + lines.suffix(40).joined(separator: "\n")
      }
    }
    return nil
  }

  // MARK: Time

  private mutating func nextTarget() -> Instant {
    // Where decades are at stake: not so far that sums saturate.
    let deadline = engine.nextDeadline.flatMap { $0.nanoseconds < 1 << 61 ? $0 : nil } ?? now
    switch random.below(20) {
    case 0...7: return now
    case 8...11: return deadline
    case 12: return max(now, deadline - .nanoseconds(1))
    case 13...15: return now + .milliseconds(Int64(random.below(8)))
    case 16...18: return now + .milliseconds(Int64(random.below(20_000)))
    default: return now + .seconds(Int64(random.below(400_000)))
    }
  }

  /// To every deadline and every return on the way; a late host goes straight there.
  private mutating func run(to target: Instant) {
    while isPunctual, checker.failure == nil, let next = [engine.nextDeadline, returns.map(\.at).min()].compactMap({ $0 }).min(),
      next <= target
    {
      if next > now, random.oneIn(4) { expectNothing(until: next - .nanoseconds(1)) }
      if next == engine.nextDeadline {
        now = max(now, next)
        let isDue = advance()
        checker.demand(isDue, "nothing was due at the next deadline")
      }
      now = max(now, next)
      settle()
    }
    if isPunctual { expectNothing(until: target) } else { now = target }
    settle()
  }

  private mutating func expectNothing(until instant: Instant) {
    now = max(now, instant)
    let isDue = advance()
    checker.demand(!isDue, "something happened before its deadline")
  }

  /// Lets everything happen that is due now: the engine's deadlines, then the apps' own doings, one at a time (rule C2).
  private mutating func settle() {
    while checker.failure == nil {
      if advance() { continue }
      guard let index = returns.indices.filter({ returns[$0].at <= now }).min(by: { (returns[$0].at, $0) < (returns[$1].at, $1) }) else {
        break
      }
      let (_, app, turn) = returns.remove(at: index)
      if checker.apps[Int(app.rawValue)].turn == turn { say(.returned(app)) }
    }
  }

  // MARK: Calls

  private mutating func advance() -> Bool {
    checker.move(to: now)
    calls.append(.advance(now))
    checker.note(nil)
    let isDue = engine.advance(to: now, into: &buffer)
    checker.demand(isDue || buffer.count == 0, "nothing was due, and something happened")
    absorb()
    return isDue
  }

  private mutating func say(_ event: Event) {
    checker.move(to: now)
    calls.append(.event(event, now))
    lines.append("\(now.text) > \(event)")
    checker.note(event)
    engine.handle(event, at: now, into: &buffer)
    absorb()
  }

  /// Notes what came out, and does what the apps do about it at once.
  private mutating func absorb() {
    let new = buffer.actions
    buffer.removeAll()
    checker.note(new)
    guard !new.isEmpty else { return }
    actions += new
    lines += new.map { "\(now.text) \($0.text)" }
    for action in new {
      if case .taskBegan(let app, let task) = action {
        if someTasks.count == 12 { someTasks.remove(at: random.below(12)) }
        someTasks.append((app, task))
      }
    }
    for action in new {
      guard let app = action.deliveredTo, checker.failure == nil else { continue }
      let turn = checker.apps[Int(app.rawValue)].turn
      for _ in 0..<max(0, random.below(4) - 1) { say(ownCall(app)) }
      if case .expiration(_, let task, _, _) = action, random.oneIn(2) { say(.endTask(app, task)) }
      guard checker.apps[Int(app.rawValue)].turn == turn else { continue }  // it died of what it did
      if random.oneIn(4) {
        returns.append((now + duration(), app, turn))
      } else {
        say(.returned(app))
      }
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

  // MARK: What happens

  private mutating func randomEvent() -> Event {
    let app = random.pick(apps)
    let named = random.oneIn(3) ? nil : app
    switch random.below(48) {
    case 0...7: return .launch(app)
    case 8...12: return .home(named)
    case 13: return .lock
    case 14...15: return .unlock
    case 16...17: return .interrupt(named)
    case 18: return .acceptInterruption(named)
    case 19: return .ignoreInterruption(named)
    case 20: return .forceQuit(app)
    case 21: return random.oneIn(6) ? .reboot : .unlock
    case 22...23: return .expireTasks(named, random.pick(ExpirationReason.allCases))
    case 24...30: return .deliver(app, random.oneIn(12) ? random.pick(AssertionKind.allCases) : random.pick(policyKinds(.wake)))
    default: return ownCall(app)
    }
  }

  private mutating func ownCall(_ app: AppID) -> Event {
    switch random.below(24) {
    case 0...8: return .beginTask(app, label: UInt32(random.below(5)), handler: random.oneIn(4) ? .absent : .present)
    case 9...13:
      guard !someTasks.isEmpty else { return .probe(app) }
      let (owner, task) = random.pick(someTasks)
      return .endTask(random.oneIn(6) ? app : owner, task)
    case 14...16: return .startSession(app, random.oneIn(8) ? random.pick(AssertionKind.allCases) : random.pick(policyKinds(.session)))
    case 17...18: return .stopSession(app, random.pick(policyKinds(.session)))
    case 19...21: return .completeWake(app, random.oneIn(2) ? nil : random.pick(policyKinds(.wake)), nil)
    case 22: return random.oneIn(4) ? .crash(app, random.pick(CrashReason.allCases)) : .probe(app)
    default: return .probe(app)
    }
  }

  /// The kinds of a class that the policy has, in their own order; all of them where it has none.
  private func policyKinds(_ kinds: AssertionKind.Class) -> [AssertionKind] {
    let all = AssertionKind.allCases.filter { $0.class == kinds }
    let known = all.filter { policy.sessions[$0] != nil || policy.wakes[$0] != nil }
    return known.isEmpty ? all : known
  }
}
