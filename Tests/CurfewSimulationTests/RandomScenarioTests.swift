import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Random scenarios, from their text to a trace's text and back. `CURFEW_SEED=17` runs only seed
/// 17; `CURFEW_RUNS=10000` runs 10,000 seeds.
@Suite(.inTurn) struct RandomScenarioTests {
  private static let trap: Comment =
    "a trap; `a random scenario's trace replays, action for action` looks for its seed"

  /// Runs in a separate process, so that a trap is traced to its seed.
  @Test func `a random scenario's trace replays, action for action`() async {
    let all = Campaign.seeds(24)
    if await RandomScenarioTests.survives(all, RandomScenarioTests.trap) { return }
    for seed in all
    where await !RandomScenarioTests.survives(
      seed..<seed + 1, "\(RandomScenarioTests.account(of: seed, "a trap"))")
    {
      return
    }
  }

  @Test(.enabled(if: !Campaign.isQuick, "It takes a thousand scenarios"))
  func `random scenarios cover everything that can happen`() async {
    await #expect(processExitsWith: .success, RandomScenarioTests.trap) {
      let policies = try RandomScenarioTests.policies()
      var met: Set<String> = []
      for seed in 0..<UInt64(960) {
        let scenario = RandomScenario(seed: seed)
        let (base, policy) = (
          policies[scenario.policy]!, scenario.set(over: policies[scenario.policy]!)
        )
        let trace = try RandomRun(scenario.lines, policy).trace
        met.formUnion(trace.lines.map(\.sort))
        met.formUnion(trace.lines.flatMap(\.rows))
        for manifest in trace.header.manifests.values {
          met.formUnion(
            AppManifest.fields.filter { $0.write(manifest) != nil }.map { "app \($0.name)" })
        }
        let device = scenario.lines.first { $0.hasPrefix("device: ") }!
        met.formUnion(
          DeviceFact.starts.map(\.name).filter { device.contains("\($0): ") }.map { "device \($0)" }
        )
        met.formUnion(
          policy.entries.filter { base.entry($0.path)?.text != $0.text }.map {
            RandomScenario.name(of: $0.path)
          })
      }
      let deliveries = RandomScenario.usualMoments.map { "return \($0)" }
      let deaths = TerminationReason.allCases.map(\.fileName)
      // Few scenarios post under more names than a policy keeps; the engine's random tests do.
      let remarks = Diagnostic.allCases.filter { $0 != .notificationDropped }.map(\.fileName)
      let all = Set(
        deliveries + deaths + remarks + RandomScenarioTests.sorts + RandomScenarioTests.rows)
      #expect(met.isSuperset(of: all), "missed \(all.subtracting(met).sorted())")
    }
  }

  /// The rows of the tables that a scenario can use.
  private static let rows =
    InputVerb.rows.filter { $0.speaker != .host }.flatMap { row in
      ["do \(row.name)"] + row.values.map { "\(row.name).\($0.name)" }
    }
    + AppManifest.fields.map { "app \($0.name)" } + DeviceFact.starts.map { "device \($0.name)" }
    + PolicyFile.keys.map { RandomScenario.name(of: "\($0.table).\($0.name)") }

  private static let sorts = [
    "notRunning → inactive", "notRunning → background", "inactive → active", "active → inactive",
    "inactive → background",
    "background → inactive", "background → suspended", "suspended → background",
    "inactive → notRunning", "active → notRunning",
    "background → notRunning", "suspended → notRunning", "task begin", "task begin, denied",
    "task end", "expiration", "expiration, late",
    "session begin", "session end", "session denied", "session warning", "session overrun",
    "session defer", "session renew",
    "decision, allowed", "decision, denied", "wake begin", "wake complete",
    "wake overrun", "probe, infinite", "probe, finite", "tasks left open", "endTask by number",
    "a foreground event",
    "didReceiveMemoryWarning", "notification", "local notification shown",
    "local notification delivered", "request submitted",
    "request replaced", "request started", "request cancelled",
    "request refused(CurfewEngine.TaskRequestError.unavailable)",
    "request refused(CurfewEngine.TaskRequestError.notPermitted)",
  ]

  // MARK: Seeds

  private static func survives(_ seeds: Range<UInt64>, _ comment: Comment) async -> Bool {
    let (first, last) = (seeds.lowerBound, seeds.upperBound - 1)
    let result = await #expect(processExitsWith: .success, comment) {
      [first = first as UInt64, last = last as UInt64] in
      let policies = try RandomScenarioTests.policies()
      for seed in first...last {
        let scenario = RandomScenario(seed: seed)
        let policy = scenario.set(over: policies[scenario.policy]!)
        guard let fault = RandomRun.fault(in: scenario.lines, policy) else { continue }
        Issue.record("\(RandomScenarioTests.account(of: seed, fault))")
        let smaller = RandomRun.smallest(of: scenario.lines, policy)
        let itsFault = RandomRun.fault(in: smaller, policy) ?? fault
        Issue.record(
          "seed \(seed), reduced as far as it still fails:\n\(smaller.joined(separator: "\n"))\n\(itsFault)"
        )
        return
      }
    }
    return result != nil
  }

  private static func account(of seed: UInt64, _ fault: String) -> String {
    let scenario = RandomScenario(seed: seed)
    let text = (scenario.settings.map { "# \($0.path): \($0.text)" } + scenario.lines).joined(
      separator: "\n")
    return
      "seed \(seed); replay with: CURFEW_SEED=\(seed) swift test --filter RandomScenarioTests\n\(text)\n\(fault)"
  }

  /// The values of `policy:` in the scenarios, read once from the folder `Rules`.
  static func policies() throws -> [String: PolicyFile] {
    var policies: [String: PolicyFile] = [:]
    for name in Set(RandomScenario.policies) {
      let path = name.hasSuffix(".yaml") ? RuleCase.root.appendingPathComponent(name).path : name
      policies[name] = try PolicyFile.load(path)
    }
    return policies
  }
}

/// A scenario's text, read and simulated.
struct RandomRun {
  /// Far more lines than a scenario's few apps can write unless the run is endless.
  private static let limit = 10_000

  let trace: Trace
  let ending: Simulation.Ending
  let policy: Policy

  init(_ scenario: [String], _ policy: PolicyFile) throws {
    let path = RuleCase.root.appendingPathComponent("random.yaml").path
    let text = scenario.joined(separator: "\n")
    var simulation = Simulation(
      try Scenario.decode(SourceFile(name: path, bytes: Array(text.utf8)), policy: policy))
    var lines: [TraceLine] = []
    ending = try simulation.run(isInterrupted: { lines.count > RandomRun.limit }) {
      lines.append($0)
    }
    trace = Trace(header: simulation.header, lines: lines)
    self.policy = policy.policy
  }

  /// The fault of a scenario, of its trace, or of the trace's replay.
  static func fault(in scenario: [String], _ policy: PolicyFile) -> String? {
    do {
      let run = try RandomRun(scenario, policy)
      // If apps are never idle between the system's own starts, the run is endless; the trace so
      // far replays like any other.
      let isEndless = run.trace.lines.suffix(500).contains {
        if case .wake(_, _, _, .begin, _) = $0.body { true } else { false }
      }
      guard run.ending != .interrupted || isEndless else { return "it does not end" }
      let text = ([run.trace.header.json] + run.trace.lines.map { $0.json() })
      guard try RandomRun(scenario, policy).trace.lines == run.trace.lines else {
        return "a second run gives a different trace"
      }
      let trace = try Trace.decode(
        SourceFile(name: "random.jsonl", bytes: Array(text.joined(separator: "\n").utf8)))
      guard [trace.header.json] + trace.lines.map({ $0.json() }) == text else {
        return "its trace reads as a different one"
      }
      return Replay.run(trace, policy: run.policy).map { "its replay diverges: \($0)" }
    } catch {
      return "\(error)"
    }
  }

  /// A scenario with a faulty run or replay, reduced until nothing more can be removed.
  static func smallest(of scenario: [String], _ policy: PolicyFile) -> [String] {
    var lines = scenario
    var length = lines.count / 2
    while length > 0 {
      var start = 0
      let before = lines.count
      while start < lines.count {
        var fewer = lines
        fewer.removeSubrange(start..<min(start + length, lines.count))
        if (try? RandomRun(fewer, policy)) != nil, fault(in: fewer, policy) != nil {
          lines = fewer
        } else {
          start += 1
        }
      }
      if lines.count == before { length /= 2 }
    }
    return lines
  }
}

extension TraceLine {
  /// The rows of the verb table that the line comes from.
  fileprivate var rows: [String] {
    guard case .event(let deed) = body else { return [] }
    let row = deed.verb.row
    return ["do \(row.name)"]
      + row.values.filter { $0.write(deed) != nil }.map { "\(row.name).\($0.name)" }
  }

  /// The kind of line; random scenarios should produce every kind.
  fileprivate var sort: String {
    switch body {
    case .event(let deed) where deed.verb == .return: "return \(deed.callback?.fileName ?? "")"
    case .event(let deed) where deed.verb == .endTask && deed.task != nil: "endTask by number"
    case .event(let event): "\(event)"
    case .advance: "advance"
    case .state(let from, let to): "\(from) → \(to)"
    case .callback(.lifecycle(let callback)): callback.fileName
    case .callback(.event): "a foreground event"
    case .task(.begin, .invalid, _): "task begin, denied"
    case .task(let change, _, _): "task \(change)"
    case .expiration(_, _, _, let due): due == nil ? "expiration" : "expiration, late"
    case .session(_, let change, _): "session \(change)"
    case .decision(_, _, let denied, _): denied.isEmpty ? "decision, allowed" : "decision, denied"
    case .wake(_, _, _, let change, _): "wake \(change)"
    case .notification: "notification"
    case .localNotification(_, let fate): "local notification \(fate.fileName)"
    case .request(_, _, let change): "request \(change)"
    case .probe(_, let remaining): remaining == nil ? "probe, infinite" : "probe, finite"
    case .terminated(let process):
      process.tasks == nil ? process.reason.fileName : "tasks left open"
    case .diagnostic(let diagnostic, _): diagnostic.fileName
    case .resumed: "resumed"
    case .end: "end"
    case .gap: "gap"
    }
  }
}
