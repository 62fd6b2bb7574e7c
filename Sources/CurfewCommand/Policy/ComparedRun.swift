import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// A scenario or a trace under two policies.
struct ComparedRun {
  /// The file as named on the command line.
  let file: String
  let name: String
  let difference: RunDifference

  /// Treats a file that begins with a brace as a trace; a scenario begins with a key.
  init(_ file: String, before: PolicyFile, after: PolicyFile, _ console: Console) throws {
    self.file = file
    let source = try SourceFile.argument(file, limit: SourceFile.traceLimit)
    // If only one of the policies names a kind, the other policy denies it.
    let sides = [before.knowingNames(of: [after]), after.knowingNames(of: [before])]
    var outcomes: [Outcomes] = []
    if source.text.hasPrefix("{") {
      let trace = try Trace.decode(source)
      name = trace.header.name
      for policy in sides { outcomes.append(try ComparedRun.run(trace, policy, console)) }
    } else {
      let scenarios = try sides.map { policy throws(FileErrors) in
        try Scenario.decode(source, policy: policy)
      }
      name = scenarios[0].name
      for scenario in scenarios { outcomes.append(try ComparedRun.run(scenario, console)) }
    }
    difference = RunDifference(from: outcomes[0], to: outcomes[1])
  }

  private static func run(_ trace: Trace, _ policy: PolicyFile, _ console: Console) throws
    -> Outcomes
  {
    var outcomes = Outcomes(TraceExplanations(policy: policy, header: trace.header))
    let ending = Rerun.run(trace, policy: policy.policy, isInterrupted: { console.isStopped }) {
      outcomes.add($0)
    }
    if case .standstill(let standstill) = ending {
      throw console.failure(Message(.error, "\(standstill), under '\(policy.name)'"))
    }
    return outcomes
  }

  private static func run(_ scenario: Scenario, _ console: Console) throws -> Outcomes {
    var simulation = Simulation(scenario)
    var outcomes = Outcomes(TraceExplanations(scenario))
    let ending = try simulation.run(isInterrupted: { console.isStopped }) { outcomes.add($0) }
    if let trouble = ending.trouble(at: simulation.now) {
      throw console.failure(
        Message(.error, "\(trouble), under '\(scenario.policy.name)'", file: scenario.file))
    }
    return outcomes
  }

  /// The file's name, and the changes.
  var lines: [String] {
    let title =
      "\(file): \(difference.isEmpty ? "every decision, expiration and end is the same" : "'\(name)'")"
      .escapingControls
    return [title] + difference.changes.map { "  " + $0.sentence }
  }

  static let form = ResultForm<ComparedRun>(
    "",
    [
      .text("file") { $0.file }, .text("name") { $0.name },
      .flag("same", "Whether every decision, expiration and end is the same.") {
        $0.difference.isEmpty
      },
      .objects("changes", change, "The changes, grouped.") { $0.difference.changes },
    ])

  private static let change = ResultForm<RunDifference.Change>(
    "",
    [
      .text("what", words: RunDifference.Sort.allCases.map(\.rawValue)) { $0.sort.rawValue },
      .text("kind", "The kind of a decision or an expiration.", optional: true) {
        $0.sort == .end ? nil : $0.kind
      },
      .texts(
        "before",
        "Under the first policy: the reasons of the denial, expiration or end; empty for an admission, absent if nothing happened.",
        optional: true
      ) {
        $0.before
      },
      .texts("after", "Likewise, under the second policy.", optional: true) { $0.after },
      .text("rule", "The policy value that causes the change.", optional: true) { $0.rule },
      .count("count") { $0.count },
      .text("app", "The app of the first outcome.", optional: true) { $0.firstApp },
      .time("firstBefore", "The first outcome under the first policy", optional: true) {
        $0.first.before?.nanoseconds
      },
      .time("firstAfter", "The first outcome under the second policy", optional: true) {
        $0.first.after?.nanoseconds
      },
      .text("sentence") { $0.sentence },
    ])
}
