import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestSupport

/// A scenario with changes, mostly to its expectations: read, run and judged.
struct ExpectationMutation {
  let path: String
  let text: String

  init(seed: UInt64, _ corpus: MutationCorpus) {
    var random = SeededGenerator(seed: seed)
    let (path, original) = random.pick(corpus.scenarios)
    var tree = original
    let isWild = random.oneIn(3)
    for _ in 0...random.below(random.pick([1, 2, 2, 4, 10])) {
      let place = random.oneIn(5) ? nil : tree.place(of: "expect")
      let start = place.map { [$0] } ?? []
      if isWild {
        tree.mutate(&random, corpus.scenarioWords, below: start)
      } else {
        tree.vary(&random, corpus.scenarioWords, below: start)
      }
    }
    if random.oneIn(200), case .list(let all)? = tree["expect"], !all.isEmpty {
      tree["expect"] = .list((0..<4000).map { all[$0 % all.count] })
    }
    var bytes = Array(tree.yaml.utf8)
    if random.oneIn(10) { damage(&bytes, &random) }
    (self.path, text) = (path, String(decoding: bytes, as: UTF8.self))
  }

  func outcome() throws -> MutationOutcome {
    var outcome = MutationOutcome()
    let first = Result { try read() }, second = Result { try read() }
    switch (first, second) {
    case (.success(let scenario), .success(let again)):
      outcome.isRead = true
      let (run, other) = (try MutationRun(scenario), try MutationRun(again))
      try MutationFault.check(
        run.verdicts == other.verdicts, "a second run gives different verdicts")
      run.note(&outcome)
    case (.failure(let error as FileErrors), .failure(let again as FileErrors)):
      try MutationFault.check(
        error == again, "a second reading gives different errors:\n\(error)\n\(again)")
      try MutationFault.check(error, in: [path: text])
      outcome.note(error.description)
    default: throw MutationFault("one of two readings is refused")
    }
    return outcome
  }

  private func read() throws -> Scenario {
    try Scenario.decode(try SourceFile(name: path, bytes: Array(text.utf8)))
  }
}

/// A run that may be endless and is cut after a limited number of lines. Its trace must replay.
struct MutationRun {
  private static let limit = 1500

  let trace: Trace
  /// The verdicts on its expectations, in words.
  let verdicts: [String]

  init(_ scenario: Scenario) throws {
    var simulation = Simulation(scenario)
    var check = ExpectationCheck(scenario)
    var lines: [TraceLine] = []
    let ending = try simulation.run(isInterrupted: { lines.count > MutationRun.limit }) {
      lines.append($0)
      check.add($0)
    }
    trace = Trace(header: simulation.header, lines: lines)
    verdicts = check.verdicts(cutAt: ending.isWhole ? nil : simulation.now).map {
      "\($0.outcome) \($0)"
    }
    let text = ([trace.header.json] + lines.map { $0.json() }).joined(separator: "\n")
    let read: Trace
    do {
      read = try Trace.decode(SourceFile(name: "trace", bytes: Array(text.utf8)))
    } catch {
      throw MutationFault("its trace cannot be read: \(error)")
    }
    if let found = Replay.run(read, policy: scenario.policy.policy) {
      throw MutationFault("its replay diverges: \(found)")
    }
  }

  func note(_ outcome: inout MutationOutcome) {
    outcome.note(trace.header.json)
    for line in trace.lines { outcome.note(line.json()) }
    for verdict in verdicts { outcome.note(verdict) }
  }
}
