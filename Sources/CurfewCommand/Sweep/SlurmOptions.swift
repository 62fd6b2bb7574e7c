import ArgumentParser
import CurfewConsole
import CurfewText
import Foundation

/// The options of a sweep on a cluster.
struct SlurmOptions: ParsableArguments {
  @Flag(
    help:
      "Submit the sweep to Slurm, as a job array and a job that joins its results. The same command submits failed parts again."
  )
  var slurm = false

  @Flag(help: "Print the scripts that --slurm would submit.")
  var slurmDryRun = false

  @Option(
    help: ArgumentHelp("The number of parts (default: 16).", valueName: "count"),
    completion: .unlisted)
  var slurmShards: NumberOption?

  @Option(
    help: ArgumentHelp(
      "A line for #SBATCH, such as --slurm-option=--partition=long; may be repeated.",
      valueName: "option"), completion: .unlisted)
  var slurmOption: [String] = []

  /// The plan; nil if the sweep runs here.
  func plan(experiment: String, output: String, jobs: NumberOption?) throws -> SlurmPlan? {
    guard slurm || slurmDryRun else {
      guard slurmShards == nil, slurmOption.isEmpty else {
        throw Refusal("--slurm-shards and --slurm-option apply only with --slurm")
      }
      return nil
    }
    if let option = slurmOption.first(where: { $0.contains(where: \.isNewline) }) {
      throw Refusal("--slurm-option \(option): an option must be one line")
    }
    let shards = try (slurmShards ?? 16).number(in: 1...10_000, "--slurm-shards")
    let name = experiment.split(separator: "/").last.map(String.init) ?? "sweep"
    return SlurmPlan(
      program: Self.program, experiment: Self.absolute(experiment), output: Self.absolute(output),
      name: name.split(separator: ".").first.map(String.init) ?? name,
      shards: shards, threads: try (jobs ?? 1).number(in: SweepCommand.jobRange, "--jobs"),
      options: slurmOption)
  }

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// The path of the running program.
  private static var program: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? absolute(CommandLine.arguments[0])
  }
}
