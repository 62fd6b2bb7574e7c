import Curfew
import CurfewTesting
import Testing

/// Other platforms, as policies.
extension FieldBugs {
  /// iOS 13 with a platform's own rows.
  private static func policy(_ rows: String) throws -> PolicyFile {
    try PolicyFile.decode("curfew: policy/1\nname: field\nextends: ios13\n" + rows)
  }

  @Test
  func `SignalR#4536, stompjs#335: heartbeats of a tab that nobody has used for five minutes`()
    throws
  {
    let policy = try Self.policy(
      """
      groups: {idle: {unusedFor: 5m}}
      wakes:
        timer: {start: event, length: 1s, overrun: drop, budgets: [1 admissions in 1m for idle]}
        heartbeat: {start: event, length: 1s, overrun: drop}
      """)
    let (device, app) = Self.app(under: policy)
    var denied: [Instant] = []
    device.advance(by: .seconds(1))
    for second in stride(from: 1, through: 421, by: 20) {
      if app.deliver("timer")?.isAllowed == false {
        denied.append(device.now)
        #expect(app.deliver("heartbeat")?.isAllowed == true)
      }
      device.advance(by: .seconds(1))
      if second == 1 { device.home() }
      device.advance(by: .seconds(19))
    }
    #expect(denied == [321, 341, 381, 401].map { Instant.zero + .seconds($0) })
  }

  @Test func `gdelataillade/alarm#439: exact alarms in Doze`() throws {
    let policy = try Self.policy(
      """
      facts: {dozing: {of: device}}
      groups: {dozing: {requires: dozing}}
      wakes:
        alarm: {start: request, pending: 2, length: 1s, overrun: drop, budgets: [1 admissions in 9m for dozing]}
        alarmClock: {start: request, pending: 2, length: 1s, overrun: drop}
      """)
    let lines = Lines()
    let manifest = AppManifest(permittedIdentifiers: ["first", "second", "clock"])
    let (device, app) = Self.app(
      manifest, under: policy,
      delegate: Answers(toWakes: { wake in
        lines.add("\(wake.identifier ?? "") \(wake.app.lastDecision?.instant.description ?? "")")
        wake.complete()
      }))
    try app.run {
      try app.submitTaskRequest("first", kind: "alarm", earliestBegin: .seconds(601))
      try app.submitTaskRequest("second", kind: "alarm", earliestBegin: .seconds(901))
      try app.submitTaskRequest("clock", kind: "alarmClock", earliestBegin: .seconds(901))
    }
    device.home()
    device.setFact("dozing", to: true)
    device.advance(by: .seconds(3600))
    #expect(lines.all == ["first 601s", "clock 901s", "second 1141s"])
  }

  @Test
  func `ubuntu-touch#651: music is off after five minutes, and plays again after unlock and lock`()
    throws
  {
    let policy = try Self.policy("sessions: {audio: {length: 5m, overrun: drop}}")
    let client = Answers { callback, app in
      if callback == .didBecomeActive { app.startSession(.audio) }
    }
    let (device, app) = Self.app(
      AppManifest(backgroundModes: .audio), under: policy, delegate: client)
    device.advance(by: .seconds(10))
    device.lock()
    device.advance(by: .seconds(300) - .nanoseconds(1))
    #expect(app.applicationState == .background)
    device.advance(by: .nanoseconds(1))
    #expect(app.applicationState == .suspended && device.now == .zero + .seconds(310))
    device.unlock()
    device.lock()
    device.advance(by: .seconds(299))
    #expect(app.applicationState == .background)
  }

  @Test func `android-job#533, #537: hourly jobs and a night of Doze with one window`() throws {
    let policy = try Self.policy(
      """
      facts: {dozing: {of: device}}
      wakes: {job: {start: opportunity, relaunches: true, blockedBy: dozing, length: 1m, overrun: drop}}
      """)
    let lines = Lines()
    let (device, app) = Self.app(
      under: policy,
      delegate: Answers(toWakes: { wake in
        lines.add("\(wake.app.lastDecision?.instant.description ?? "")")
        wake.complete(.newData)
      }))
    app.setInterval(.seconds(3600), for: "job")
    device.home()
    for (hours, isDozing) in [
      (1.5, true), (4.9 - 1.5, false), (5.2 - 4.9, true), (7.5 - 5.2, false), (3, false),
    ] {
      device.advance(by: .seconds(hours * 3600))
      device.setFact("dozing", to: isDozing)
    }
    #expect(lines.all == ["3600s", "18000s", "28800s", "32400s", "36000s"])
  }

  @Test func `auto-tab-discard#17: seven tabs where there is room for five`() {
    let device = Device(policy: .ios13, facts: DeviceFacts(memory: 5))
    let apps = (1...7).map { number in
      let app = device.register("tab \(number)", manifest: AppManifest(footprint: 1))
      app.launch()
      device.advance(by: .seconds(60))
      return app
    }
    #expect(
      apps.map { $0.applicationState == .notRunning } == [true, true]
        + Array(repeating: false, count: 5))
    #expect(apps.flatMap(\.processEnds).map(\.reason) == [.memoryPressure, .memoryPressure])
  }

  @Test
  func `flutter_foreground_task#323, seedvault#938: a service starts again in its own handler`()
    throws
  {
    let lines = Lines()
    let client = Answers { callback, app in
      guard callback == .didEnterBackground else { return }
      app.startSession("dataSync") {
        app.stopSession("dataSync")
        lines.add(app.startSession("dataSync")?.reasons.description ?? "")
      }
    }
    let (device, app) = Self.app(
      AppManifest(otherModes: ["dataSync"]), under: .android14, delegate: client)
    device.home()
    device.advance(by: .seconds(7 * 3600))
    #expect(
      lines.all.count == 1 && lines.all[0].contains("budget") && app.applicationState == .suspended,
      "\(lines.all)")
  }

  @Test func `BasicSync#83: an inexact alarm comes up to three quarters of its interval late`()
    throws
  {
    let policy = try Self.policy(
      "wakes: {inexact: {start: interval, minimumInterval: 55m, leeway: 41m 15s, relaunches: true, length: 1s, overrun: drop}}"
    )
    let lines = Lines()
    let (device, app) = Self.app(
      under: policy,
      delegate: Answers(toWakes: { wake in
        lines.add("\(wake.app.lastDecision?.instant.description ?? "")")
        wake.complete()
      }))
    app.setInterval(.seconds(55 * 60), for: "inexact")
    device.home()
    device.advance(by: .seconds(55 * 60) - .nanoseconds(1))
    #expect(lines.all.isEmpty)
    device.advance(by: .seconds(41 * 60 + 15) + .nanoseconds(1))
    #expect(lines.all.count == 1, "\(lines.all)")
  }
}
