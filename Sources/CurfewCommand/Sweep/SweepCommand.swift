import ArgumentParser
import CurfewConsole
import CurfewExperiments
import CurfewPolicy
import CurfewSimulation
import CurfewStatistics
import CurfewSystem
import CurfewText
import Foundation

/// `curfew sweep`: performs the runs of an experiment and compares them.
struct SweepCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract:
      "Runs a policy experiment: repeats variants of a workload and its policy, and compares them.",
    discussion: """
      The experiment's file defines the variants, the measures and the number of repetitions. Each finished run is kept in --output, a SQLite file. \
      The same command continues an interrupted sweep and repeats no run. Unless the experiment disables this, repetition r has the same seed in every variant, so that \
      differences come from the variants. Results are paired differences with intervals that hold jointly.

      On several machines: run --shard 1/4 to 4/4, each with its own --output, then 'curfew merge'. On a cluster where every node sees this folder, --slurm does all of this.

      Exit codes: 0 every comparison has an answer; 1 failed (disk full: finished runs are kept); 4 a file is invalid, has a warning with --strict, or holds runs of another build; 7 some comparisons have no answer; 64 usage; \
      130 interrupted and 143 terminated (finished runs are kept).
      """)

  @Argument(help: "The experiment's file.", completion: .yaml)
  var experiment: String

  @Option(
    help: ArgumentHelp(
      "The SQLite file that keeps the results. Default: the experiment's name with .sqlite, in the current folder.",
      valueName: "file"), completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The number of threads. Default: the number of processors. The results do not depend on it.",
      valueName: "count"), completion: .unlisted)
  var jobs: NumberOption?

  @Option(
    help: ArgumentHelp(
      "Perform only one part of the runs: 3/16 is the third of sixteen.", valueName: "part"),
    completion: .unlisted)
  var shard: String?

  @Flag(help: "Allow adding runs to a file that has runs of another build of Curfew.")
  var mixedBuilds = false

  @Flag(help: "Exit with 4, before the first run, if the experiment or a workload has a warning.")
  var strict = false

  @OptionGroup(title: "Slurm") var cluster: SlurmOptions

  @Flag(help: "Print the result as JSON, and messages also as JSON.")
  var json = false

  func run(on console: Console) throws {
    console.interrupt.listen()
    let experiment = try Experiment.load(self.experiment)
    for warning in experiment.warnings { console.tell(Message(warning)) }
    console.warn(of: experiment.missingKinds, [], in: self.experiment)
    let warnings = experiment.warnings.count + experiment.missingKinds.count
    if strict, warnings > 0 {
      throw console.failure(
        Message(
          .error, "\(HumanCount.text(warnings, "warning")), and --strict is set",
          file: self.experiment), .invalidFile)
    }
    let shard = try shard.map(Self.shard)
    if output == "" { throw Refusal("--output '': a file name is needed") }
    let path = ResultsFile.plainPath(output ?? Self.usualOutput(for: self.experiment, shard))
    if var plan = try cluster.plan(experiment: self.experiment, output: path, jobs: jobs) {
      plan.mixesBuilds = mixedBuilds
      if shard != nil {
        throw Refusal("--slurm runs all parts itself; --shard runs one part on this machine")
      }
      return try submit(plan, experiment, console)
    }
    let jobs =
      try jobs?.number(in: Self.jobRange, "--jobs") ?? ProcessInfo.processInfo.activeProcessorCount
    do {
      let results = try ResultsFile.open(path, for: experiment)
      results.mixesBuilds = mixedBuilds
      let outcome = try make(Sweep(experiment, shard: shard), into: results, jobs, console)
      try tell(outcome, results.summary(), path, console)
    } catch let error as ResultsError {
      throw console.failure(Message(.error, error.message, file: error.file), error.exitCode)
    }
  }

  private func submit(_ plan: SlurmPlan, _ experiment: Experiment, _ console: Console) throws {
    guard !cluster.slurmDryRun else {
      return try console.print(
        plan.dryRun(runs: experiment.repetitions.upperBound * experiment.variants.count))
    }
    do { try console.show(try plan.submit()) } catch {
      throw console.failure(Message(.error, "\(error)"))
    }
  }

  private func make(_ sweep: Sweep, into results: ResultsFile, _ jobs: Int, _ console: Console)
    throws -> Sweep.Outcome
  {
    let clock = ContinuousClock()
    let start = clock.now
    return try console.watch { progress in
      try sweep.run(into: results, jobs: jobs, isInterrupted: { console.isStopped }) { now in
        progress.show(
          SweepProgressText.text(
            now, devices: sweep.experiment.devices, in: (clock.now - start) / .seconds(1)))
      }
    }
  }

  private func tell(
    _ outcome: Sweep.Outcome, _ summary: ResultsSummary, _ path: String, _ console: Console
  ) throws {
    for warning in summary.warnings { console.tell(Message(.warning, warning)) }
    console.warn(of: [], summary.builds, in: path)
    if json {
      try console.print(
        SweepResult.form.json(SweepResult(summary: summary, file: path, isWhole: outcome.isWhole))
          .closed)
    } else {
      try console.show(SweepText(summary: summary, screen: console.screen).text)
    }
    let made =
      "\(HumanCount.text(outcome.made, "run")) made now, \(HumanCount.text(outcome.kept)) before"
    guard outcome.isWhole else {
      throw console.interrupted("\(made); the same command continues \(path)")
    }
    if !json {
      try console.show(
        "\n\(made); kept in \(console.screen.plain(path)), which 'curfew report' and 'curfew compare' read"
      )
    }
    guard let evaluation = outcome.evaluation else { return }
    let open = evaluation.comparisons.filter { !$0.verdict.isDecided }
    guard !open.isEmpty else { return }
    let count = "\(open.count) of \(HumanCount.text(evaluation.comparisons.count, "comparison"))"
    let after = "without an answer after \(HumanCount.text(evaluation.repetitions, "repetition"))"
    let empty = open.filter { $0.mean == nil }
    let apart = open.count { $0.verdict == .notComparable && $0.mean != nil }
    var remedy =
      apart == 0
      ? []
      : [
        "\(HumanCount.text(apart)) \(apart == 1 ? "depends" : "depend") on kinds that only one policy has"
      ]
    if open.count > empty.count + apart {
      remedy.append("more repetitions or devices may give one")
    }
    let lack = empty.first.map {
      "no run has a value of '\(summary.measures[$0.measure].name)' to compare for '\(summary.variants[$0.variant].name)'"
    }
    let others = empty.count < 2 ? "" : ", nor for \(HumanCount.text(empty.count - 1, "other"))"
    let words =
      (["\(count) \(open.count == 1 ? "is" : "are") \(after)"] + remedy
      + (lack.map { [$0 + others] } ?? [])).joined(
        separator: "; ")
    throw console.failure(Message(.inconclusive, words), .inconclusive)
  }

  static let jobRange = 1...1_024

  private static func shard(_ text: String) throws(Refusal) -> Sweep.Shard {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1],
      (1...100_000).contains(count), (1...count).contains(number)
    else {
      throw Refusal("--shard \(text): expected a part such as 3/16, from 1/16 to 16/16")
    }
    return Sweep.Shard(number, of: count)
  }

  /// The default output: `grant.sqlite` for `Policies/Experiments/grant.yaml`, in the current
  /// folder; for a part `grant-3-of-16.sqlite`.
  static func usualOutput(for experiment: String, _ shard: Sweep.Shard?) -> String {
    let name = experiment.split(separator: "/").last.map(String.init) ?? "results"
    let stem =
      [".yaml", ".yml"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
    return stem + (shard.map { "-\($0.number)-of-\($0.count)" } ?? "") + ".sqlite"
  }
}

extension ResultsError {
  /// The exit code of a command that fails with this error.
  var exitCode: ExitCode {
    switch kind {
    case .notResults, .otherExperiment, .otherBuild: .invalidFile
    case .storage, .standstill: .failure
    }
  }
}

/// The progress of a sweep, for a terminal.
enum SweepProgressText {
  static func text(_ now: Sweep.Progress, devices: Int, in seconds: Double) -> String {
    let inRun = Double(now.fleet.devices) / Double(max(1, devices))
    let made = Double(now.made) + inRun
    let share = (Double(now.runs) + inRun) / Double(max(1, now.total))
    var parts = [
      HumanNumber.percent(share),
      "\(HumanCount.text(now.runs)) of \(HumanCount.text(now.total, "run"))",
      "\(now.variant), repetition \(now.repetition + 1)",
      "\(HumanNumber.rounded(Double(now.events) / max(1e-9, seconds) / 1e6)) M events/s",
    ]
    if made > 0 {
      let left = (Double(now.total - now.runs) - inRun) / made * seconds
      parts.append("\(HumanTime.rounded(Int64(min(0x1p62, left * 1e9)))) left at most")
    }
    return parts.joined(separator: ", ")
  }
}
