internal import ArgumentParser
internal import CurfewBench
internal import CurfewConsole
internal import CurfewSystem
internal import CurfewText
import Foundation

/// The results of a run: the options that they need, and their output.
struct RunEnding: ParsableArguments {
  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      "A condition that must hold, such as curfew.p50/timerfd.p50<=2. May be repeated.",
      valueName: "condition"))
  var thresholds: [String] = []

  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp(
      "Run what this results file describes again, and say which figures surely differ.",
      valueName: "results.json"))
  var earlier: String?

  @Option(help: ArgumentHelp("Write the results to this file.", valueName: "results.json"))
  var out: String?

  @Flag(help: "Print the results as JSON instead of a table.")
  var json = false

  /// The record of the run that is repeated; nil for none.
  func repeated() throws -> RunRecord? { try earlier.map { try RunRecord.read($0) } }

  /// For `--until`: whether the intervals are narrow enough.
  func isPrecise(_ record: RunRecord) -> Bool {
    let looks = BenchReport.looks
    let done = Set(record.workloads.flatMap { $0.plans.map(\.repetition) }).count
    guard looks.contains(done) else { return false }
    return (try? BenchReport(record).isNarrowEnough) ?? true
  }

  /// Writes and prints the results, and throws the exit code.
  func finish(_ record: RunRecord, repeating earlier: RunRecord?) throws {
    let report = try BenchReport(record)
    if let out {
      do { try Data("\(report.json)\n".utf8).write(to: URL(fileURLWithPath: out)) } catch {
        throw BenchRun.Obstacle(
          code: 1, message: "cannot write \(out): \(error.localizedDescription)")
      }
    }
    if json {
      try show(report.json + "\n")
    } else {
      let screen = Screen(
        of: .standardOutput, environment: ProcessInfo.processInfo.environment)
      try show(BenchTable(report, on: screen).text + "\n")
    }
    if let earlier {
      let comparison = RepeatComparison(report, repeating: try BenchReport(earlier))
      let lines = comparison.lines.joined(separator: "\n").escapingControls
      if json { tell(lines) } else { try show("\n" + lines + "\n") }
    }
    for remark in report.verdict.remarks {
      tell("bench: \(remark.kind.words): \(remark.text)".escapingControls)
    }
    if report.verdict.exitCode != 0 { throw ExitCode(report.verdict.exitCode) }
  }
}

extension RunVerdict.Remark.Kind {
  /// The words of a person's messages.
  fileprivate var words: String { self == .thresholdCrossed ? "threshold crossed" : rawValue }
}
