import ArgumentParser
import CurfewExperiments
import CurfewText

/// `curfew merge`: results of parts of an experiment in one file.
struct MergeCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Joins the results of an experiment's parts, made by 'curfew sweep --shard'.",
    discussion: """
      Each run is taken once. A run that two files have must say the same in both: else one of them is wrong, and nothing of that file is taken. Then \
      'curfew sweep EXPERIMENT --output FILE' makes what is missing, and compares.

      Exit codes: 0 joined, 1 failed, 4 a file holds no results, another experiment's, or says otherwise of a run, 64 usage.
      """)

  @Argument(help: "The file that gets all runs; it is made where there is none.")
  var output: String

  @Argument(help: "The parts.")
  var parts: [String]

  func run(on console: Console) throws {
    if output.isEmpty { throw Refusal("the output's name is empty") }
    do {
      let merged = try ResultsFile.merge(
        parts.map(ResultsFile.plainPath), into: ResultsFile.plainPath(output))
      let repeated =
        merged.repeated == 0
        ? "" : "; \(HumanCount.text(merged.repeated)) were there already, and said the same"
      console.warn(of: [], merged.builds, in: output)
      try console.show(
        "\(console.screen.plain(output)): \(HumanCount.text(merged.runs, "run"))\(repeated)")
    } catch let error as ResultsError {
      throw console.failure(Message(.error, error.message, file: error.file), error.exitCode)
    }
  }
}
