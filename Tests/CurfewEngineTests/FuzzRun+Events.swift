import TestSupport

@testable import CurfewEngine

/// The events of a random life, in small numbers, so that they collide.
extension FuzzRun {
  mutating func randomEvent() -> Event {
    let app = random.pick(apps)
    let named = random.oneIn(3) ? nil : app
    switch random.below(66) {
    case 0...7: return .launch(app)
    case 8...12: return .home(named)
    case 13: return random.oneIn(8) ? .removeApp(app) : .lock
    case 14...15: return .unlock
    case 16...17: return .interrupt(named)
    case 18: return .acceptInterruption(named)
    case 19: return .ignoreInterruption(named)
    case 20: return .forceQuit(app)
    case 21: return random.oneIn(6) ? .reboot : .unlock
    case 22...23: return .expireTasks(named, random.pick(ExpirationReason.allCases))
    case 24...30:
      return .deliver(
        app, random.oneIn(12) ? random.pick(policy.kinds) : random.pick(policyKinds(.wake)),
        for: someTimes())
    case 31 where !policy.facts.ofApps.isEmpty:
      return .setFact(app, random.oneIn(9) ? .charging : FuzzRun.appFact, holds: random.oneIn(2))
    case 32 where !policy.facts.ofDevice.isEmpty:
      return .setFact(nil, FuzzRun.deviceFact, holds: random.oneIn(2))
    case 31...32:
      return .setRefresh(
        named, random.pick([.available, .available, .available, .denied, .restricted]))
    case 33...36: return .setDevice(changedFacts())
    case 37...40:
      return .setFootprint(app, random.oneIn(30) ? .max : Int64(random.below(6)) * 25 << 20)
    case 41...46: return .post(random.oneIn(2) ? nil : app, somePost())
    default: return ownCall(random.oneIn(4) ? app : somebodyAwake() ?? app)
    }
  }

  /// A wake's own length and warning, around those of its row.
  private mutating func someTimes() -> RunTimes? {
    random.oneIn(3)
      ? RunTimes(
        length: .seconds(Int64(1 + random.below(40))), warning: .seconds(Int64(random.below(12))))
      : nil
  }

  private mutating func somebodyAwake() -> AppID? {
    var awake: [AppID] = []
    for app in apps where driver.engine.state(of: app).isAwake { awake.append(app) }
    return awake.isEmpty ? nil : random.pick(awake)
  }

  private mutating func changedFacts() -> DeviceFacts {
    var facts = driver.engine.deviceFacts
    for _ in 0...random.below(2) {
      switch random.below(8) {
      case 0:
        facts.backgroundRefresh = random.pick([
          .available, .available, .available, .denied, .restricted,
        ])
      case 1: facts.lowPowerMode.toggle()
      case 2: facts.battery = random.pick([0, 19, 20, 100])
      case 3: facts.charging.toggle()
      case 4: facts.network = facts.hasNetwork ? .none : .wifi
      case 5: facts.memory = random.pick([nil, 0, 100 << 20, 200 << 20, 300 << 20, 4 << 30])
      default: facts.thermal = random.pick(ThermalState.allCases)
      }
    }
    return facts
  }

  /// A post under one of three names that coalesce or one that queues.
  private mutating func somePost() -> NotificationPost {
    let name = UInt32(random.below(4))
    return NotificationPost(
      name: name, value: random.oneIn(5) ? nil : UInt32(random.below(3)),
      manner: name == 3 ? .queueing : .coalescing)
  }

  /// The calls that apps make.
  enum Topic: CaseIterable {
    case tasks, sessions, wakes, schedules, requests, locks, processor, notifications, footprint,
      life
  }

  private static let topics: [Topic] = [
    .tasks, .tasks, .tasks, .tasks, .tasks, .tasks, .sessions, .sessions, .wakes, .schedules,
    .requests, .locks, .processor, .notifications,
    .footprint,
    .life,
  ]

  /// A call of an app, every third time on this life's topic.
  mutating func ownCall(_ app: AppID) -> Event {
    switch random.oneIn(3) ? topic : random.pick(FuzzRun.topics) {
    case .tasks:
      if random.oneIn(2) {
        return .beginTask(
          app, label: UInt32(random.below(5)), handler: random.oneIn(4) ? .absent : .present)
      }
      guard !someTasks.isEmpty else { return .probe(app) }
      let (owner, task) = random.pick(someTasks)
      return .endTask(random.oneIn(6) ? app : owner, task)
    case .sessions:
      if random.oneIn(3) { return .stopSession(app, random.pick(policyKinds(.session))) }
      return .startSession(
        app, random.oneIn(8) ? random.pick(policy.kinds) : random.pick(policyKinds(.session)),
        handler: random.oneIn(3) ? .absent : .present
      )
    case .wakes:
      let kind = random.oneIn(2) ? nil : random.pick(policyKinds(.wake))
      if random.oneIn(5) {
        return .setWakeHandler(
          app, WakeID(rawValue: UInt32(1 + random.below(6))), random.oneIn(3) ? .absent : .present)
      }
      let id = random.oneIn(4) ? WakeID(rawValue: UInt32(1 + random.below(5))) : nil
      let choice = WakeChoice(
        id: id, kind: kind, identifier: random.oneIn(6) ? UInt32(random.below(3)) : nil)
      return .completeWake(app, choice, random.oneIn(4) ? nil : random.pick(WakeResult.allCases))
    case .schedules:
      if random.oneIn(2) {
        let kind = random.pick(
          [.voipKeepAlive, .voipKeepAlive, FuzzRun.beat(policy)] as [AssertionKind])
        return .setInterval(app, kind, random.oneIn(6) ? nil : random.pick(pace.intervals))
      }
      return .setInterval(
        app, random.pick([.fetch, .fetch, FuzzRun.glance(policy), .region]),
        random.oneIn(6) ? nil : random.oneIn(20) ? .nanoseconds(.max) : random.pick(pace.intervals))
    case .requests:
      return random.oneIn(3)
        ? .cancelTask(app, identifier: UInt32(random.below(3))) : .submitTask(app, someRequest())
    case .locks: return random.oneIn(3) ? .lockFile(app) : .unlockFile(app)
    case .processor:
      let share: UInt32 = random.pick([0, 20, 50, 79, 81, 100, 250, 10_000])
      return .useCPU(app, share: share, for: random.oneIn(9) ? .nanoseconds(.max) : someInterval())
    case .notifications:
      if random.oneIn(6) { return .cancelNotification(app, id: UInt32(random.below(5))) }
      let interval =
        random.oneIn(3)
        ? someInterval() : random.pick([.milliseconds(1), .seconds(5), .seconds(60)])
      return .scheduleNotification(app, id: UInt32(random.below(5)), after: interval)
    case .footprint: return .setFootprint(app, Int64(random.below(6)) * 25 << 20)
    case .life:
      return random.oneIn(4) ? .crash(app, someCrash()) : .probe(app)
    }
  }

  private mutating func someCrash() -> CrashReason {
    random.pick([
      .abnormalExit, .badAccess, .illegalInstruction, .normalAppExit, .oomKill, .hostFailure,
      .exit(status: random.pick([0, 1, 255])), .signal(random.pick([1, 9, 126])),
      .spawnFailed(random.pick(SpawnError.allCases)),
    ])
  }

  private mutating func someRequest() -> TaskRequest {
    TaskRequest(
      identifier: random.oneIn(9) ? 3 : UInt32(random.below(3)),
      kind: random.oneIn(20)
        ? .fetch : random.pick([.appRefresh, .processing, FuzzRun.backup(policy)]),
      earliest: random.oneIn(2) ? .zero : someInterval(), requiresNetwork: random.oneIn(4),
      requiresPower: random.oneIn(4))
  }

  private mutating func someInterval() -> Interval {
    switch random.below(6) {
    case 0: .zero
    case 1: .nanoseconds(Int64(random.below(3_000_000)))
    case 2: .milliseconds(Int64(random.below(8)))
    case 3: .seconds(Int64(random.below(8)))
    case 4: .seconds(60)
    default: .milliseconds(Int64(random.below(100_000)))
    }
  }

  /// The policy's kinds of a class, in their own order; every kind of the policy if it has none.
  private func policyKinds(_ kinds: AssertionClass) -> [AssertionKind] {
    let all = policy.kinds.filter { policy.names.class(of: $0) == kinds }
    let known = all.filter { policy.sessions[$0] != nil || policy.wakes[$0] != nil }
    return known.isEmpty ? all : known
  }
}
