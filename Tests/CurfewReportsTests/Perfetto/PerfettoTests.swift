import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// A run as a trace for Perfetto: its slices, their annotations, and the flows between them.
@Suite(.inTurn) struct PerfettoTests {
  /// A run's trace, and the trace that Perfetto gets.
  static func run(_ scenario: Scenario, isInterrupted: @escaping (Instant) -> Bool = { _ in false })
    throws -> (Trace, ReadTrace)
  {
    var simulation = Simulation(scenario)
    var trace = Trace(header: simulation.header, lines: [])
    var isStopped = false
    _ = try simulation.run(isInterrupted: { isStopped }) { line in
      trace.lines.append(line)
      if isInterrupted(line.time) { isStopped = true }
    }
    return (trace, read(trace, scenario.policy))
  }

  static func read(_ trace: Trace, _ policy: PolicyFile) -> ReadTrace {
    var perfetto = PerfettoTrace(header: trace.header, policy: policy)
    return ReadTrace(trace.lines.flatMap { perfetto.bytes(for: $0) })
  }

  static func scenario(_ text: String) throws -> Scenario {
    try Scenario.decode(try SourceFile(name: "mail.yaml", bytes: Array(text.utf8)))
  }

  /// The scenario of the trace in the design: an upload that does not end.
  static let upload = """
    curfew: scenario/1
    name: An upload that outlives its grant
    policy: ios13
    apps:
      mail:
        returns: {didEnterBackground: 100ms, expirationHandler: 50ms}
        endsTasksOnExpiration: false
        on: {didEnterBackground: [{do: beginTask, task: upload}]}
    timeline:
      - {at: 0s, do: launch, app: mail}
      - {at: 8s, do: home}
    """

  @Test
  func
    `a task that is warned and killed is one slice with its warning inside, and arrows lead from its beginning to its end`()
    throws
  {
    let (_, trace) = try PerfettoTests.run(try PerfettoTests.scenario(PerfettoTests.upload))
    #expect(trace.problems == [] && trace.open.values.allSatisfy(\.isEmpty))
    let task = try #require(trace.all("task").first)
    #expect(trace.all("task").count == 1 && task.name == "upload" && task.group == "mail")
    #expect(
      task.start == 8_000_000_000 && task.end == 38_000_000_000 && task.notes["ended"] == "process")
    #expect(
      task.notes["rule"] == "tasks.grant" && task.notes["value"] == "30s"
        && task.notes["task"] == "1")
    let expiration = try #require(trace.all("expiration").first)
    #expect(
      expiration.start == 33_000_000_000 && expiration.track == task.track
        && expiration.notes["reason"] == "timeLimit")
    let end = try #require(trace.all("termination").first)
    #expect(end.start == 38_000_000_000 && end.notes["code"] == "0x2182bad2")
    #expect(end.notes["why"]?.contains("rule: tasks.grant") == true, "\(end.notes)")
    #expect(!Set(task.flows).intersection(expiration.flows).intersection(end.flows).isEmpty)
    let call = try #require(trace.all("call").first { $0.name == "beginTask 'upload'" })
    #expect(!Set(call.flows).intersection(task.flows).isEmpty)
  }

  @Test func `states follow each other without a gap, and a callback lasts until it returns`()
    throws
  {
    let (_, trace) = try PerfettoTests.run(try PerfettoTests.scenario(PerfettoTests.upload))
    let states = trace.all("state")
    #expect(states.map(\.name) == ["inactive", "active", "inactive", "background"])
    #expect(
      zip(states, states.dropFirst()).allSatisfy { $0.end == $1.start }
        && states.last?.end == 38_000_000_000)
    let callbacks = trace.all("callback").filter { $0.end != $0.start }
    #expect(callbacks.map(\.name) == ["applicationDidEnterBackground:", "expirationHandler"])
    #expect(callbacks.map { ($0.end ?? 0) - $0.start } == [100_000_000, 50_000_000])
  }

  @Test func `an arrow leads from a request to its start, its decision and its wake`() throws {
    let (_, trace) = try PerfettoTests.run(
      try Scenario.load(ShippedScenarios.path("Scenarios/at-night-on-the-charger.yaml")))
    let wakes = trace.all("wake")
    #expect(!wakes.isEmpty && trace.problems == [])
    for wake in wakes {
      let chain = ["request", "requestStart", "decision"].map { category in
        trace.all(category).contains { !Set($0.flows).isDisjoint(with: wake.flows) }
      }
      #expect(chain == [true, true, true], "\(wake)")
      #expect(wake.notes["rule"] == "wakes.processing")
    }
  }

  @Test func `a denial has every reason and the policy value behind it`() throws {
    let (lines, trace) = try PerfettoTests.run(
      try Scenario.load(ShippedScenarios.path("Scenarios/low-power-mode.yaml")))
    let denials = trace.all("decision").filter { $0.notes["allowed"] == "false" }
    #expect(
      denials.count
        == lines.lines.count {
          if case .decision(_, _, let denied, _) = $0.body { !denied.isEmpty } else { false }
        })
    #expect(
      denials.map(\.name)
        == ["remoteNotification", "appRefresh", "appRefresh", "fetch"].enumerated().map {
          index, kind in
          "\(kind) denied: \(["lowPowerMode", "lowPowerMode, lowBattery", "lowBattery", "lowPowerMode"][index])"
        })
    let both = try #require(denials.dropFirst().first)
    #expect(both.notes["reasons"] == "[lowPowerMode, lowBattery]")
    let rule =
      "rule: wakes.appRefresh.blockedBy, value: lowPowerMode, lowBattery, place: Policies/ios13.yaml:"
    #expect(both.notes["why"]?.ranges(of: rule).count == 2)
    #expect(both.notes["why"]?.contains("remedy: Turn Low Power Mode off.") == true)
  }

  @Test func `each term of a session is a slice, and so is each deferral`() throws {
    let path = ShippedScenarios.path(
      "../Tests/CurfewSimulationTests/Rules/L4/L4-terms-are-put-off-and-renewed.yaml")
    let (_, trace) = try PerfettoTests.run(try Scenario.load(path))
    #expect(trace.problems == [])
    func seconds(_ category: String) -> [[Int64]] {
      trace.all(category).map { [$0.start, $0.end ?? -1].map { $0 / 1_000_000_000 } }
    }
    #expect(
      seconds("session") == [[0, 20], [25, 35], [45, 55], [70, 80], [95, 120], [125, 126]])
    #expect(seconds("deferral") == [[20, 25], [35, 45], [55, 70], [80, 95], [120, 125]])
    #expect(
      trace.all("deferral").allSatisfy {
        $0.notes["rule"] == "sessions.scan.deferral" && $0.notes["ended"] == "renew"
      })
    #expect(trace.all("session").last?.notes["ended"] == "run")
  }

  @Test func `facts that differ from the defaults are slices, and the battery is a counter`() throws
  {
    let text = """
      curfew: scenario/1
      name: A device
      policy: ios13
      device: {battery: 50%, network: cellular}
      apps: {mail: {}}
      timeline:
        - {at: 5s, do: setDevice, charging: true, battery: 60%}
        - {at: 8s, do: lock}
        - {at: 9s, do: setDevice, network: wifi}
      """
    let (_, trace) = try PerfettoTests.run(try PerfettoTests.scenario(text))
    let slices = trace.all("device").filter(\.isSlice)
    #expect(slices.map(\.name) == ["cellular", "charging", "locked"])
    #expect(slices.map(\.end) == [9_000_000_000, 9_000_000_000, 9_000_000_000])
    #expect(
      trace.counters.map(\.value) == [50, 60, 60]
        && trace.counters.map(\.time) == [0, 5_000_000_000, 9_000_000_000])
  }

  @Test func `a run that was cut leaves slices open if their end is unknown`() throws {
    let scenario = try PerfettoTests.scenario(PerfettoTests.upload)
    let (lines, trace) = try PerfettoTests.run(scenario) { $0 >= .zero + .seconds(8) }
    #expect(lines.lines.last?.body != .end && trace.problems == [])
    #expect(
      trace.open.values.flatMap(\.self).map { trace.events[$0].name }.sorted() == [
        "applicationDidEnterBackground:", "background", "upload",
      ])
  }

  @Test func `tasks that overlap have a track each, and later tasks reuse them`()
    throws
  {
    let begins = (0..<3).map { "{do: beginTask, task: t\($0), for: \($0 + 1)s}" }.joined(
      separator: ", ")
    let text = """
      curfew: scenario/1
      name: Three at a time
      policy: ios13
      apps: {mail: {on: {didEnterBackground: [\(begins)]}}}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: home}
        - {at: 20s, do: launch, app: mail}
        - {at: 21s, do: home}
      """
    let (_, trace) = try PerfettoTests.run(try PerfettoTests.scenario(text))
    #expect(trace.problems == [] && trace.all("task").count == 6)
    #expect(trace.tracks.values.count { $0.name == "tasks" } == 3)
  }
}
