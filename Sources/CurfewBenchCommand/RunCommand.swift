internal import ArgumentParser
internal import CurfewBench
internal import CurfewConsole
internal import CurfewSystem
internal import CurfewText
import Foundation

/// `bench run`: runs contestants side by side.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the contestants of workloads side by side.")

  @Argument(help: "The workloads, such as deadlines/1.")
  var workloads: [String] = []

  @OptionGroup var suite: SuiteOption

  @Option(help: ArgumentHelp("Run only these contestants.", valueName: "a,b"))
  var only: String?

  @Option(help: ArgumentHelp("Leave these contestants out.", valueName: "a,b"))
  var without: String?

  @Option(
    help: ArgumentHelp("Fail with 4 if a tool of these contestants is missing.", valueName: "a,b"))
  var require: String?

  @Option(
    parsing: .unconditional,
    help: "The number of repetitions, 10 if absent; a run with fewer than 5 only checks answers.")
  var repetitions: NumberOption?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Go on, from 10 to 40 repetitions, until the intervals are at most this far from their middle.",
      valueName: "percentage"))
  var until: String?

  @Option(parsing: .unconditional, help: "The seed of the first repetition; 1 if absent.")
  var seed: NumberOption?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sizes, run in turn: small, default, large, or numbers; default if absent.",
      valueName: "size,size"))
  var size: String?

  @Option(help: "The shape of the plans.")
  var shape: String?

  @Option(
    help: ArgumentHelp(
      "Run another clone's contestants, which are built from its sources, beside these.",
      valueName: "clone"))
  var against: String?

  @OptionGroup var ending: RunEnding

  func run() throws {
    Interrupt().listen()
    let suite = try suite.read()
    let earlier = try ending.earlier.map { try repeated($0, in: suite) }
    var options = try earlier?.options ?? options()
    options.required = try RunOptions.names(require, "--require")
    (options.thresholds, options.against) = (ending.thresholds, against)
    options.patience = try SilenceLimit.seconds()
    try ending.checkOutput()
    let other = try against.map { try RunCommand.other($0) }
    var run = try BenchRun(suite, options, on: .here(root: suite.root), against: other) {
      tell($0.escapingControls)
    }
    try run.prepare()
    // A threshold that names nothing of the run is refused before anything is measured.
    _ = try BenchReport(run.result)
    let record = try run.run(isPrecise: ending.isPrecise)
    try ending.finish(record, repeating: earlier?.report)
  }

  /// The run that is repeated. Its selection may not be given again.
  private func repeated(_ file: String, in suite: Suite) throws -> RepeatedRun {
    let given = [
      ("--only", only), ("--without", without), ("--until", until), ("--shape", shape),
      ("--size", size), ("--repetitions", repetitions?.text), ("--seed", seed?.text),
    ].filter { $0.1 != nil }.map(\.0)
    let names = (workloads.isEmpty ? [] : ["a workload"]) + given
    guard names.isEmpty else {
      throw Refusal(
        "--repeat: the results file decides this; leave out \(names.joined(separator: ", "))")
    }
    return try RepeatedRun(RunRecord.source(file), in: suite)
  }

  private func options() throws -> RunOptions {
    var options = RunOptions()
    // `fleet` and `fleet/1` are the same workload.
    let named = try workloads.map { try WorkloadKind.named($0) }
    let kinds = RunCommand.unique(named.map(\.name)).compactMap { name in
      named.first { $0.name == name }
    }
    guard !kinds.isEmpty else {
      let names = WorkloadKind.all.map(\.name).joined(separator: ", ")
      throw Refusal("no workload is named; the workloads are: \(names)")
    }
    if let shape { try RunCommand.check(shape, of: kinds) }
    for kind in kinds {
      let sizes = try (size ?? "default").split(separator: ",", omittingEmptySubsequences: false)
        .map {
          try kind.size(String($0))
        }
      options.selections.append(
        RunOptions.Selection(
          kind: kind, sizes: RunCommand.unique(sizes),
          shape: shape.flatMap { kind.shapes.contains($0) ? $0 : nil }))
    }
    options.repetitions = try (repetitions ?? 10).number(
      in: 1...RunOptions.mostRepetitions, "--repetitions")
    if let until {
      guard let percent = try? PercentageText.read(until), percent > 0 else {
        throw Refusal("--until: '\(until)' is not a percentage from 1% to 100%")
      }
      options.until = Double(percent) / 100
    }
    options.seed = try (seed ?? 1).number(in: 0...UInt64.max, "--seed")
    options.only = try RunOptions.names(only, "--only")
    options.without = try RunOptions.names(without, "--without")
    try options.check()
    return options
  }

  private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen: Set<Element> = []
    return elements.filter { seen.insert($0).inserted }
  }

  /// Throws if no workload has the shape.
  static func check(_ shape: String, of kinds: [WorkloadKind]) throws(Refusal) {
    guard !kinds.contains(where: { $0.shapes.contains(shape) }) else { return }
    let kind = kinds.first { !$0.shapes.isEmpty } ?? kinds[0]
    throw Refusal("--shape: \(kind.complaint(aboutShape: shape))")
  }

  /// The suite of another clone, and its commit.
  private static func other(_ clone: String) throws -> (suite: Suite, commit: String) {
    let root = URL(fileURLWithPath: clone).appendingPathComponent("Benchmarks").path
    let main = "\(root)/Sources/bench/main.swift"
    guard FileManager.default.fileExists(atPath: main), let suite = try? Suite.root(at: root) else {
      throw BenchRun.Obstacle(
        code: 4, message: "--against \(clone): there is no bench in this clone")
    }
    let commit = MachineRecord.commit(of: suite)
    let changes = commit != nil && MachineRecord.hasChanges(suite) ? "+changes" : ""
    return (try Suite(reading: suite), (commit ?? "unknown") + changes)
  }
}
