import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestSupport

/// Reads, writes, sets, runs, compares and queries a changed policy, with its parents if it
/// has any.
struct PolicyMutation {
  /// The files by name; the first one is read.
  private(set) var files: [(name: String, text: String)] = []
  private let base: PolicyFile?
  private var random: SeededGenerator

  init(seed: UInt64, _ corpus: MutationCorpus) {
    random = SeededGenerator(seed: seed)
    let original = random.pick(corpus.policies)
    base = try? PolicyFile.decode(original.yaml)
    var tree = original
    let isWild = random.oneIn(3)
    for _ in 0...random.below(random.pick([1, 2, 2, 4, 10])) {
      let rows =
        random.oneIn(2)
        ? ["groups", "facts", "wakes", "sessions", "modes"].compactMap { tree.place(of: $0) } : []
      let start = rows.isEmpty ? [] : [random.pick(rows)]
      if isWild {
        tree.mutate(&random, corpus.policyWords, below: start)
      } else {
        tree.vary(&random, corpus.policyWords, below: start)
      }
    }
    if random.oneIn(40) { tree["wakes"] = PolicyMutation.manyBudgets(&random) }
    files = random.oneIn(12) ? chain(tree, corpus) : [("p0.yaml", written(tree))]
  }

  /// Files that extend each other in a chain that ends at a policy, at a missing file, or in
  /// a cycle.
  private mutating func chain(_ tree: FileTree, _ corpus: MutationCorpus) -> [(
    name: String, text: String
  )] {
    var files: [(name: String, text: String)] = []
    let count = random.pick([2, 3, 15, 16, 17])
    let last = random.pick([
      "ios13", "ios3", "p0.yaml", "p1.yaml", "p\(count - 1).yaml", "nothing.yaml", ".yaml", "/",
      "ios99",
    ])
    for number in 0..<count {
      var link =
        number == 0 || random.oneIn(4)
        ? tree : FileTree.mapping([("curfew", .word("policy/1")), ("name", .word("p"))])
      if number > 0, random.oneIn(4) { link.mutate(&random, corpus.policyWords) }
      link["extends"] = .word(number == count - 1 ? last : "\"p\(number + 1).yaml\"")
      files.append(("p\(number).yaml", written(link)))
    }
    return files
  }

  private mutating func written(_ tree: FileTree) -> String {
    var bytes = Array(tree.yaml.utf8)
    if random.oneIn(10) { damage(&bytes, &random) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func manyBudgets(_ random: inout SeededGenerator) -> FileTree {
    let texts = [
      "10m in 2h", "4h in 1d", "20 admissions in 1m", "3 sessions in 1h", "1ns in 1ns",
      "0 admissions in 1s",
    ]
    let count = random.oneIn(20) ? 10_000 : random.pick([63, 64, 65, 200])
    let budgets = (0..<count).map { _ in FileTree.word(random.pick(texts)) }
    return .mapping([("region", .mapping([("budgets", .list(budgets))]))])
  }

  // MARK: Properties

  mutating func outcome() throws -> MutationOutcome {
    guard files.count > 1 else {
      return try outcome(inside: "") { try PolicyFile.decode($0[0].text, name: $0[0].name) }
    }
    return try withFolder(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })) {
      folder in
      try outcome(inside: folder + "/") { try PolicyFile.load(folder + "/" + $0[0].name) }
    }
  }

  private mutating func outcome(
    inside folder: String, _ read: ([(name: String, text: String)]) throws -> PolicyFile
  ) throws
    -> MutationOutcome
  {
    var outcome = MutationOutcome(inside: folder)
    let first = Result { try read(files) }, second = Result { try read(files) }
    switch (first, second) {
    case (.success(let file), .success(let again)):
      try MutationFault.check(
        file.digest == again.digest && file.entries == again.entries,
        "a second reading gives a different policy")
      outcome.isRead = true
      try examine(file, &outcome)
    case (.failure(let error as FileErrors), .failure(let again as FileErrors)):
      try MutationFault.check(
        error == again, "a second reading gives different errors:\n\(error)\n\(again)")
      try MutationFault.check(
        error, in: Dictionary(uniqueKeysWithValues: files.map { (folder + $0.name, $0.text) }))
      outcome.note(error.description)
    default: throw MutationFault("one of two readings is refused")
    }
    return outcome
  }

  private mutating func examine(_ file: PolicyFile, _ outcome: inout MutationOutcome) throws {
    outcome.note(file.digest)
    let again = try reading(file.text)
    let (sameDigest, samePolicy, sameText) = (
      again.digest == file.digest, again.policy == file.policy, again.text == file.text
    )
    try MutationFault.check(
      sameDigest && samePolicy && sameText,
      "the written policy reads as a different one (digest \(sameDigest), values \(samePolicy), text \(sameText)):\n\(again.text)\nof:\n\(files.map(\.text))"
    )
    for _ in 0..<8 {
      let entry = random.pick(file.entries)
      // A policy without multitasking has a limit of 0 tasks, which a file must not contain.
      if entry.path == "tasks.limit", entry.text == "0" { continue }
      var other = file
      do { try other.set(entry.path, entry.written) } catch {
        throw MutationFault("'\(entry.path)' cannot be set to its own value: \(error)")
      }
      try MutationFault.check(
        other.digest == file.digest,
        "'\(entry.path)' set to its own value, '\(entry.written)', gives a different policy")
    }
    try run(under: file, &outcome)
    if random.oneIn(4) {
      let kind = random.pick(file.policy.names.kinds)
      let answer = file.answer(to: AdmissionQuestion(kind, under: file))
      outcome.note("\(kind): \(answer.denials.names) \(answer.conditions) \(answer.changes)")
    }
    // The comparison asks thousands of engines, so it is made only sometimes.
    guard random.oneIn(12), let base else { return }
    for difference in [
      PolicyDifference(from: base, to: file), PolicyDifference(from: file, to: base),
    ] {
      for sentence in difference.sentences { outcome.note(sentence) }
    }
  }

  private func reading(_ text: String) throws -> PolicyFile {
    do { return try PolicyFile.decode(text, name: "written") } catch {
      throw MutationFault("the written policy is refused: \(error)\n\(text)")
    }
  }

  private mutating func run(under file: PolicyFile, _ outcome: inout MutationOutcome) throws {
    let text = scenario(for: file)
    let scenario: Scenario
    do {
      scenario = try Scenario.decode(
        try SourceFile(name: "day.yaml", bytes: Array(text.utf8)), policy: file)
    } catch {
      try MutationFault.check(error, in: ["day.yaml": text])
      throw MutationFault("a scenario with the policy's own names is refused: \(error)\n\(text)")
    }
    let run = try MutationRun(scenario)
    var coverage = PolicyCoverage(file)
    var explanations = TraceExplanations(policy: file, header: run.trace.header)
    for line in run.trace.lines {
      let told = explanations.explanations(of: line)
      coverage.add(line, told)
      for explanation in told { outcome.note(explanation.description) }
    }
    outcome.note("\(coverage.rowShare.reached) \(coverage.reasonShare.missed)")
    run.note(&outcome)
  }

  /// A scenario with the policy's own kinds, modes and facts.
  private mutating func scenario(for file: PolicyFile) -> String {
    let names = file.policy.names
    func list(_ words: [String]) -> String {
      "[" + words.map(\.writtenScalar).joined(separator: ", ") + "]"
    }
    let ofApps = names.facts.filter { file.entry("facts.\($0).of")?.text == "app" }
    let ofDevice = names.facts.filter { file.entry("facts.\($0).of")?.text == "device" }
    let (sessions, wakes) = (
      names.kinds(.session).map(\.rawValue), names.kinds(.wake).map(\.rawValue)
    )
    var lines = [
      "curfew: scenario/1", "name: x", "policy: ios13", "until: 3h",
      "device: {facts: \(list(ofDevice.filter { _ in random.oneIn(2) }))}",
    ]
    lines.append("apps:")
    for app in ["mail", "maps"] {
      lines.append(
        "  \(app): {backgroundModes: \(list(names.modes)), permittedIdentifiers: [x], facts: \(list(ofApps.filter { _ in random.oneIn(2) }))}"
      )
    }
    lines.append("timeline:")
    lines.append("- {at: 0s, do: launch, app: mail}")
    lines.append("- {at: 1s, do: beginTask, app: mail, task: sync}")
    var second = 1
    for _ in 0..<20 {
      second += random.pick([0, 1, 5, 60, 900])
      let app = random.pick(["mail", "maps"])
      let step =
        switch random.below(8) {
        case 0: "launch, app: \(app)"
        case 1: "home, app: \(app)"
        case 2: "startSession, app: \(app), mode: \(random.pick(sessions))"
        case 3:
          "submitTask, app: \(app), identifier: x, kind: \(random.pick(["appRefresh", "processing"]))"
        case 4 where !ofDevice.isEmpty:
          "setFact, fact: \(random.pick(ofDevice)), is: \(random.oneIn(2))"
        case 5:
          "setDevice, charging: \(random.oneIn(2)), lowPowerMode: \(random.oneIn(2)), battery: \(random.below(101))%"
        default: "deliver, app: \(app), kind: \(random.pick(wakes))"
        }
      lines.append("- {at: \(second)s, do: \(step)}")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension FileTree {
  /// The index of a mapping's key.
  func place(of key: String) -> Int? {
    guard case .mapping(let pairs) = self else { return nil }
    return pairs.firstIndex { $0.key == key }
  }
}
