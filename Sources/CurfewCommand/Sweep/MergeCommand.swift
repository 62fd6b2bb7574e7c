import ArgumentParser
import CurfewConsole
import CurfewExperiments
import CurfewText

/// `curfew merge`: joins the results of an experiment's parts in one file.
struct MergeCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Joins the results of an experiment's parts, made by 'curfew sweep --shard'.",
    discussion: """
      Copies each run once. If two files have the same run, its results must be the same in both. If they differ, one file is wrong, and nothing is copied from the second file. Afterwards, \
      'curfew sweep EXPERIMENT --output FILE' performs the missing runs and compares the variants.

      Exit codes: 0 joined; 1 failed; 4 a file holds no results, results of another experiment, or different results for the same run; 64 usage.
      """)

  @Argument(
    help: "The file that gets all runs; created if it does not exist.", completion: .results)
  var output: String

  @Argument(help: "The files of the parts.", completion: .results)
  var parts: [String]

  func run(on console: Console) throws {
    if output.isEmpty { throw Refusal("the output's name is empty") }
    do {
      let merged = try ResultsFile.merge(
        parts.map(ResultsFile.plainPath), into: ResultsFile.plainPath(output))
      let repeated =
        merged.repeated == 0
        ? "" : "; \(HumanCount.text(merged.repeated)) were there already, with the same results"
      console.warn(of: [], merged.builds, in: output)
      try console.show(
        "\(console.screen.plain(output)): \(HumanCount.text(merged.runs, "run"))\(repeated)")
    } catch let error as ResultsError {
      throw console.failure(Message(.error, error.message, file: error.file), error.exitCode)
    }
  }
}
