import Curfew
import CurfewPolicy
import TestRuns
import TestSupport
import Testing

/// Questions to a device, answered by a copy and verified by doing.
@Suite(.inTurn) struct DeviceExplainTests {
  /// Keeps its wakes, so that tests can complete them.
  private final class Keeper: AppDelegate, @unchecked Sendable {
    var wakes: [Wake] = []
    func application(_ app: App, didReceive wake: Wake) { wakes.append(wake) }
  }

  /// A policy with budgets of both sorts; an overrun ends only the wake.
  private static func thrifty() throws -> PolicyFile {
    var policy = PolicyFile.ios13
    try policy.set("wakes.fetch", "{overrun: drop, admissions: 3, window: 20m}")
    try policy.set(
      "wakes.remoteNotification",
      "{overrun: drop, admissions: 4, runTime: 40s, window: 10m, leastRoom: 7s}")
    try policy.set("wakes.urlSession", "{overrun: drop, runTime: 1s, window: 5m}")
    return policy
  }

  private static let kinds: [KindName] = [.fetch, .remoteNotification, .urlSession]

  @Test
  func
    `a denial is told with its conditions, what would turn it, and from when it would be otherwise`()
    throws
  {
    let device = Device(policy: .ios13)
    let chat = device.register(
      "chat", manifest: AppManifest(backgroundModes: .remoteNotification), delegate: Keeper())
    chat.launch()
    #expect(device.explain(.remoteNotification, for: chat)?.isAllowed == true, "It is in front")
    device.home()
    for _ in 0..<3 { #expect(chat.deliver(.remoteNotification)?.isAllowed == true) }
    device.update { $0.backgroundRefresh = .denied }
    device.advance(by: .seconds(60))
    let both = try #require(device.explain(.remoteNotification, for: chat))
    #expect(
      both.denials == [.backgroundRefreshDenied, .budget] && both.instant == .zero + .seconds(60))
    #expect(
      both.possibleFrom == nil && both.changes.isEmpty, "Neither the switch nor time does it alone")
    #expect(both.conditions.filter { !$0.passes }.map(\.name) == ["backgroundRefresh", "budget"])
    #expect(both.conditions.last?.explanation?.possibleFrom == .zero + .seconds(3600))
    device.update { $0.backgroundRefresh = .available }
    #expect(device.explain(.remoteNotification, for: chat)?.possibleFrom == .zero + .seconds(3600))
    device.update { $0.lowPowerMode = true }
    let fetching = device.register("news", manifest: AppManifest(backgroundModes: .fetch))
    #expect(
      device.explain(.fetch, for: fetching)?.changes == [[.fact("lowPowerMode", holds: false)]])
  }

  @Test func `a kind that cannot be queried has no answer`() {
    let device = Device(policy: .ios13)
    let music = device.register("music", manifest: AppManifest(backgroundModes: .audio))
    #expect(
      device.explain(.audio, for: music) == nil && device.explain(.finiteTask, for: music) == nil)
    music.launch()
    #expect(
      device.explain(.audio, for: music)?.isAllowed == true
        && device.explain(.finiteTask, for: music)?.isAllowed == true)
    music.startSession(.audio)
    #expect(device.explain(.audio, for: music) == nil)
    device.close()
    #expect(device.explain(.finiteTask, for: music) == nil)
  }

  @Test
  func
    `W4 a budget that denies has room from when it says, not a nanosecond before, whatever has happened`()
    throws
  {
    var (known, unknown) = (0, 0)
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let (device, app, keeper) = try Self.random(&random)
      for _ in 0..<40 {
        Self.step(device, app, keeper, &random)
        let kind = random.pick(Self.kinds)
        guard let decision = app.deliver(kind), decision.reasons.contains(.budget) else { continue }
        let next = decision.retryAfter.map {
          device.now + .nanoseconds(Int64($0 / .nanoseconds(1)))
        }
        // The length of a current run is unknown; if nobody does anything, it continues to its end.
        guard let instant = next ?? device.explain(kind, for: app)?.possibleFrom else { continue }
        (known, unknown) = next == nil ? (known, unknown + 1) : (known + 1, unknown)
        device.advance(by: .nanoseconds((instant - device.now).nanoseconds - 1))
        #expect(
          device.explain(kind, for: app)?.denials.contains(.budget) == true,
          "seed \(seed): \(kind) a nanosecond before \(instant)")
        device.advance(by: .nanoseconds(1))
        #expect(
          device.explain(kind, for: app)?.denials.contains(.budget) == false,
          "seed \(seed): \(kind) at \(instant)")
      }
    }
    #expect(known > 20 && unknown > 2, "\(known) budgets said when, \(unknown) could not")
  }

  @Test
  func `D1 the first instant of admission is exact if nobody does anything`()
    throws
  {
    var met = 0
    for seed in 100..<115 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let (device, app, keeper) = try Self.random(&random)
      for _ in 0..<30 {
        Self.step(device, app, keeper, &random)
        let kind = random.pick(Self.kinds)
        guard let answer = device.explain(kind, for: app), !answer.isAllowed else { continue }
        guard let from = answer.possibleFrom else {
          device.advance(by: .seconds(7200))
          #expect(
            device.explain(kind, for: app)?.isAllowed == false,
            "seed \(seed): \(kind), which time alone does not allow")
          continue
        }
        met += 1
        device.advance(by: .nanoseconds((from - device.now).nanoseconds - 1))
        #expect(
          device.explain(kind, for: app)?.isAllowed == false,
          "seed \(seed): \(kind) a nanosecond before \(from)")
        device.advance(by: .nanoseconds(1))
        #expect(
          device.explain(kind, for: app)?.isAllowed == true, "seed \(seed): \(kind) at \(from)")
        #expect(app.deliver(kind)?.isAllowed ?? true, "seed \(seed): \(kind) delivered at \(from)")
      }
    }
    #expect(met > 5, "\(met) waits")
  }

  @Test func `W3 a keep-alive with too short an interval names the first possible instant`() throws
  {
    let device = Device(policy: .ios13)
    let line = device.register("line", manifest: AppManifest(backgroundModes: .voip))
    line.launch()
    device.advance(by: .seconds(7))
    let denied = try #require(line.setKeepAliveTimeout(.seconds(30)))
    let wait = try #require(denied.retryAfter)
    #expect(denied.reasons == .interval)
    line.setKeepAliveTimeout(wait)
    device.home()
    let before = line.lastDecision?.instant
    device.advance(by: wait - .nanoseconds(1))
    #expect(line.lastDecision?.instant == before)
    device.advance(by: .nanoseconds(1))
    #expect(line.lastDecision?.kind == .voipKeepAlive && line.lastDecision?.isAllowed == true)
  }

  @Test func `a query does not change the trace`() throws {
    for seed in 0..<4 as Range<UInt64> {
      let traces = try [false, true].map { asks in
        var random = SeededGenerator(seed: seed)
        let (device, app, keeper) = try Self.random(&random)
        device.startRecording()
        for _ in 0..<30 {
          Self.step(device, app, keeper, &random)
          if asks {
            for kind in PolicyFile.ios13.policy.names.kinds { _ = device.explain(kind, for: app) }
          }
        }
        return device.recordedTrace(name: "x")
      }
      #expect(traces[0] == traces[1], "seed \(seed)")
      #expect(traces[0].lines.count > 30)
    }
  }

  @Test func `a handler may ask`() {
    final class Curious: AppDelegate, @unchecked Sendable {
      let device: Device
      var answers: [Bool?] = []
      init(_ device: Device) { self.device = device }
      func applicationDidEnterBackground(_ app: App) {
        answers.append(device.explain(.finiteTask, for: app)?.isAllowed)
      }
    }
    let device = Device(policy: .ios13)
    let delegate = Curious(device)
    let app = device.register("mail", delegate: delegate)
    app.launch()
    device.home()
    #expect(delegate.answers == [true] && app.applicationState == .suspended)
  }

  @Test
  func
    `each set of changes turns the answer when it is made to the device, and no part of one does`()
    throws
  {
    var sizes: [Int: Int] = [:]
    for seed in Campaign.seeds(30) {
      var random = SeededGenerator(seed: seed)
      let history = { (random: inout SeededGenerator) throws -> (Device, App) in
        let (device, app, keeper) = try Self.random(&random)
        for _ in 0..<12 { Self.step(device, app, keeper, &random) }
        return (device, app)
      }
      var first = random
      let (device, app) = try history(&first)
      let kind = first.pick(Self.kinds)
      guard let answer = device.explain(kind, for: app), !answer.isAllowed else { continue }
      for set in answer.changes {
        sizes[set.count, default: 0] += 1
        for bits in 1..<(1 << set.count) {
          var again = random
          let (device, app) = try history(&again)
          let part = set.indices.filter { bits & 1 << $0 != 0 }.map { set[$0] }
          guard Self.make(part, device, app) else { continue }
          #expect(
            device.explain(kind, for: app)?.isAllowed == (part.count == set.count),
            "seed \(seed): \(part) of \(set)")
        }
      }
      random = first
    }
    #expect(sizes[1, default: 0] > 3 && sizes[2, default: 0] > 3, "\(sizes)")
  }

  // MARK: Random histories

  private static func random(_ random: inout SeededGenerator) throws -> (Device, App, Keeper) {
    let device = Device(policy: try thrifty())
    let keeper = Keeper()
    let modes: BackgroundModes = random.oneIn(8) ? .fetch : [.fetch, .remoteNotification]
    return (
      device,
      device.register("app", manifest: AppManifest(backgroundModes: modes), delegate: keeper),
      keeper
    )
  }

  private static func step(
    _ device: Device, _ app: App, _ keeper: Keeper, _ random: inout SeededGenerator
  ) {
    device.advance(by: .seconds(random.pick([0, 1, 4, 30, 60, 200])))
    switch random.below(14) {
    case 0: app.launch()
    case 1: device.home()
    case 2: app.forceQuit()
    case 3: device.update { $0.lowPowerMode.toggle() }
    case 4: app.setBackgroundRefresh(random.pick([.available, .denied, .available]))
    case 5, 6, 7: if !keeper.wakes.isEmpty { keeper.wakes.removeFirst().complete() }
    default: app.deliver(random.pick(kinds))
    }
  }

  /// Makes the changes to the device itself; false if no call makes one of them.
  private static func make(_ changes: [AdmissionChange], _ device: Device, _ app: App) -> Bool {
    for change in changes {
      switch change {
      case .deviceRefresh(let status): device.update { $0.backgroundRefresh = status }
      case .appRefresh(let status): app.setBackgroundRefresh(status)
      case .fact("lowPowerMode", let isOn): device.update { $0.lowPowerMode = isOn }
      case .presence(.suspended):
        app.launch()
        device.home()
      case .presence(.notRunning):
        app.launch()
        app.crash(.normalAppExit)
      default: return false
      }
    }
    return true
  }
}
