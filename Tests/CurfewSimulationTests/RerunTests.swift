import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// A run under another policy, and the decisions and ends that change.
@Suite(.inTurn) struct RerunTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Policies/Scenarios")

  private static let shipped: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  private static func run(_ scenario: Scenario) throws -> (trace: Trace, outcomes: Outcomes) {
    var simulation = Simulation(scenario)
    var (lines, outcomes) = (
      [TraceLine](), Outcomes(TraceExplanations(policy: scenario.policy, header: simulation.header))
    )
    let header = simulation.header
    _ = try simulation.run { line in
      lines.append(line)
      outcomes.add(line)
    }
    return (Trace(header: header, lines: lines), outcomes)
  }

  private static func rerun(_ trace: Trace, under policy: PolicyFile) -> (
    lines: [TraceLine], outcomes: Outcomes
  ) {
    var (lines, outcomes) = (
      [TraceLine](), Outcomes(TraceExplanations(policy: policy, header: trace.header))
    )
    let ending = Rerun.run(trace, policy: policy.policy) { line in
      lines.append(line)
      outcomes.add(line)
    }
    #expect(ending == .complete)
    return (lines, outcomes)
  }

  @Test(arguments: shipped)
  func `a trace under its own policy gives the same decisions and ends again`(_ name: String)
    throws
  {
    let scenario = try Scenario.load(Self.folder.appendingPathComponent(name).path)
    let (trace, outcomes) = try Self.run(scenario)
    let again = Self.rerun(trace, under: scenario.policy)
    #expect(RunDifference(from: outcomes, to: again.outcomes).changes == [])
    let states = trace.lines.filter { if case .state = $0.body { true } else { false } }
    #expect(again.lines.filter { if case .state = $0.body { true } else { false } } == states)
  }

  @Test func `a day under its own policy gives the same decisions and ends again`() throws {
    let scenario = try Scenario.shippedDay()
    let (trace, outcomes) = try Self.run(scenario)
    #expect(
      RunDifference(from: outcomes, to: Self.rerun(trace, under: scenario.policy).outcomes).changes
        == [])
  }

  private static let upload = """
    curfew: scenario/1
    name: An upload
    policy: ios13
    apps:
      mail:
        endsTasksOnExpiration: false
        returns: {didEnterBackground: 100ms, expirationHandler: 50ms}
        on: {didEnterBackground: [{do: beginTask, task: upload}]}
    timeline:
      - {at: 0s, do: launch, app: mail}
      - {at: 8s, do: home}
    """

  @Test(arguments: ["ios4", "ios7"])
  func `a trace under another policy continues as its scenario does`(_ name: String) throws {
    let other = try PolicyFile.load(name)
    let source = try SourceFile(name: "upload.yaml", bytes: Array(Self.upload.utf8))
    let (trace, _) = try Self.run(try Scenario.decode(source))
    let expected = try Self.run(try Scenario.decode(source, policy: other)).trace.lines.filter {
      $0.body != .advance && $0.body != .end
    }
    let events = Self.rerun(trace, under: other).lines
    // A rerun makes up returns and writes no lines for them.
    let outcomes = expected.filter {
      if case .event(let deed) = $0.body { deed.verb != .return } else { true }
    }
    #expect(events == outcomes)
  }

  /// The changes between ios13 and ios13 with `settings`, in words.
  private func changes(_ text: String, _ settings: [(String, String)]) throws -> [String] {
    var policy = try PolicyFile.load("ios13")
    let source = try SourceFile(name: "x.yaml", bytes: Array(text.utf8))
    let before = try Self.run(try Scenario.decode(source, policy: policy)).outcomes
    for (path, text) in settings { try policy.set(path, text) }
    let after = try Self.run(try Scenario.decode(source, policy: policy)).outcomes
    return RunDifference(from: before, to: after).changes.map(\.sentence)
  }

  @Test
  func `a wake that is not in the trace is complete at once, and others are unchanged`()
    throws
  {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      device: {lowPowerMode: true}
      apps: {mail: {backgroundModes: [remote-notification]}}
      timeline:
        - {at: 1s, do: deliver, app: mail, kind: urlSession}
        - {at: 2m, do: deliver, app: mail, kind: remoteNotification}
      """
    let scenario = try Scenario.decode(try SourceFile(name: "x.yaml", bytes: Array(text.utf8)))
    var policy = scenario.policy
    try policy.set("wakes.remoteNotification.blockedBy", "none")
    let (trace, before) = try Self.run(scenario)
    let changes = RunDifference(from: before, to: Self.rerun(trace, under: policy).outcomes).changes
    // The wake for urlSession ends as before; the wake for the push does not end.
    #expect(
      changes.map(\.kind) == ["remoteNotification"] && changes.allSatisfy { $0.sort == .decision },
      "\(changes.map(\.sentence))")
  }

  @Test func `an end at another time is reported with both times and the rule`() throws {
    #expect(
      try changes(Self.upload, [("tasks.grant", "3m")]) == [
        "finiteTask: 1 runs out (timeLimit) at another time; mail at 3m 3s instead of 33s.",
        "1 end as backgroundTaskAssertionTimeout comes at another time, by tasks.grant; mail at 3m 8s instead of 38s.",
      ])
  }

  @Test
  func `tasks, sessions and wakes that run out are reported, even if no process ends`()
    throws
  {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      until: 2h
      apps:
        mail:
          returns: {expirationHandler: 50ms}
          on: {didEnterBackground: [{do: beginTask, task: upload}]}
        tracks:
          backgroundModes: [location]
          on: {didEnterBackground: [{do: startSession, mode: location}], sessionExpirationHandler: [{do: stopSession, mode: location}]}
        news: {backgroundModes: [remote-notification]}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: launch, app: tracks}
        - {at: 3s, do: home}
        - {at: 10s, do: deliver, app: news, kind: remoteNotification}
      """
    let told = try changes(
      text,
      [
        ("tasks.grant", "3m"), ("sessions.location.length", "5m"),
        ("sessions.location.overrun", "drop"),
        ("wakes.remoteNotification.length", "10s"),
      ])
    #expect(
      told == [
        "remoteNotification: 1 runs out (overrun) at another time; news at 20s instead of 40s.",
        "finiteTask: 1 runs out (timeLimit) at another time; mail at 2m 56s instead of 26s.",
        "location: 1 runs out (overrun) and did not before; tracks at 5m 3s.",
        "1 end as backgroundTaskAssertionTimeout comes at another time, by wakes.remoteNotification.length; news at 20s instead of 40s.",
      ])
  }

  @Test func `new denials are counted by kind, reason and rule, with the first one`() throws {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      until: 3h
      device: {lowPowerMode: true}
      apps: {mail: {backgroundModes: [remote-notification]}, news: {backgroundModes: [remote-notification]}}
      timeline:
        - {at: 1s, do: deliver, app: mail, kind: urlSession}
        - {at: 1m, do: deliver, app: news, kind: urlSession}
        - {at: 2m, do: deliver, app: news, kind: remoteNotification}
      """
    let ends = [
      "urlSession: 2 ran out (overrun) before and no longer do; first mail at 31s.",
      "2 ends as backgroundTaskAssertionTimeout that no longer happen, by wakes.urlSession.length; first mail at 31s.",
    ]
    #expect(
      try changes(text, [("wakes.urlSession.blockedBy", "lowPowerMode")]) == [
        "urlSession: 2 denied (lowPowerMode), allowed before, by wakes.urlSession.blockedBy; first mail at 1s."
      ] + ends)
    #expect(
      try changes(text, [("wakes.remoteNotification.blockedBy", "none")]) == [
        "remoteNotification: 1 allowed, denied (lowPowerMode) before, by wakes.remoteNotification.blockedBy; news at 2m.",
        "remoteNotification: 1 runs out (overrun) and did not before; news at 2m 30s.",
        "1 end as backgroundTaskAssertionTimeout that did not happen before, by wakes.remoteNotification.length; news at 2m 30s.",
      ])
    #expect(try changes(text, [("tasks.grant", "45s")]) == [])
  }
}
