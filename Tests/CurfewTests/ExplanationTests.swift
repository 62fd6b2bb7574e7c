import Curfew
import TestRuns
import Testing

/// The value behind the sentences of the embedding API. `ViewTests` shows that the command gives
/// the same.
@Suite(.inTurn) struct ExplanationTests {
  @Test func `a denial by a budget has the next possible instant, one by a switch does not`()
    throws
  {
    let device = Device(policy: .ios13)
    let app = device.register("mail", manifest: AppManifest(backgroundModes: .remoteNotification))
    for _ in 0..<3 { app.deliver(.remoteNotification) }
    device.update { $0.backgroundRefresh = .denied }
    let decision = try #require(app.deliver(.remoteNotification))
    #expect(
      decision.explanations.map(\.reason) == [.denial(.backgroundRefreshDenied), .denial(.budget)])
    #expect(decision.explanations.map(\.possibleFrom) == [nil, .zero + .seconds(3600)])
    #expect(decision.retryAfter == .seconds(3600))
    #expect(decision.explanations.allSatisfy { $0.app == "mail" && $0.kind == .remoteNotification })
    #expect(decision.explanation == decision.explanations.map { "\($0)" })
  }

  @Test func `an allowed request has no explanation`() throws {
    let device = Device(policy: .ios13)
    let decision = try #require(device.register("mail").deliver(.region))
    #expect(decision.isAllowed && decision.explanations == [] && decision.explanation == [])
  }

  @Test func `the named switch is the one that is off at that time`() throws {
    let device = Device(policy: .ios13, facts: DeviceFacts(backgroundRefresh: .denied))
    let app = device.register(
      "mail", manifest: AppManifest(backgroundModes: .fetch, backgroundRefresh: .denied))
    let both = try #require(app.deliver(.fetch)?.explanations.first)
    #expect(both.others.map(\.owner) == [.manifest, .device])
    #expect(both.remedy == "Turn Background App Refresh on for the app and the device.")
    app.setBackgroundRefresh(.available)
    let one = try #require(app.deliver(.fetch)?.explanations.first)
    #expect(
      one.others.map(\.owner) == [.device]
        && one.remedy == "Turn Background App Refresh on for the device.")
    app.setBackgroundRefresh(.denied)
    device.update { $0.backgroundRefresh = .available }
    let other = try #require(app.deliver(.fetch)?.explanations.first)
    #expect(
      other.others.map(\.owner) == [.manifest]
        && other.remedy == "Turn Background App Refresh on for the app.")
  }

  @Test func `a request that was not checked names no value of the policy`() throws {
    let device = Device(policy: .ios13)
    let app = device.register(
      "mail", manifest: AppManifest(backgroundModes: .fetch, permittedIdentifiers: ["r"]))
    func refusal() throws -> Explanation {
      try #require(
        #expect(throws: TaskRequestDeniedError.self) {
          try app.submitTaskRequest("r", kind: .appRefresh)
        }
      ).explanation
    }
    let idle = try refusal()
    #expect(
      idle.reason == .refusal(.unavailable) && idle.place == .nowhere && idle.fact.owner == .app)
    app.launch()
    device.close()
    #expect(try refusal() == idle)
  }

  @Test func `an end in a step after a crash is not attributed to the crash`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("mail", manifest: AppManifest(exitsOnSuspend: true))
    app.launch()
    app.crash(.normalAppExit)
    app.launch()
    device.home()
    #expect(app.processEnds.map(\.explanation.fact.owner) == [.app, .manifest])
    #expect(
      app.processEnds.map(\.because) == [
        "it exited by itself (no value says so)", "its manifest says exitsOnSuspend (in no file)",
      ])
  }
}
