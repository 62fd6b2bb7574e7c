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

  /// Throws if the results cannot be written, before anything is measured.
  func checkOutput() throws {
    guard let out else { return }
    if out.isEmpty { throw Refusal("--out: the name of the file is empty") }
    if let earlier, Descriptor.isSameFile(out, earlier) {
      throw Refusal("--out \(out) would overwrite \(earlier), which --repeat reads")
    }
    do { try Descriptor.check(writable: out) } catch {
      throw RunEnding.failure(out, String(cString: strerror(error.code)))
    }
  }

  private static func failure(_ file: String, _ reason: String) -> BenchRun.Obstacle {
    BenchRun.Obstacle(code: 1, message: "cannot write \(file): \(reason)")
  }

  /// Writes the results; returns the reason why they could not be written. A file that is there
  /// stays as it is until all bytes are on the disk; a pipe or a link cannot be replaced.
  private func write(_ report: BenchReport) -> BenchRun.Obstacle? {
    guard let out else { return nil }
    let file = URL(fileURLWithPath: out)
    let bytes = Data("\(report.json)\n".utf8)
    let type = try? FileManager.default.attributesOfItem(atPath: out)[.type] as? FileAttributeType
    do {
      if type ?? .typeRegular == .typeRegular, (try? bytes.write(to: file, options: .atomic)) != nil
      {
        return nil
      }
      try bytes.write(to: file)
      return nil
    } catch { return RunEnding.failure(out, error.localizedDescription) }
  }

  /// For `--until`: whether the intervals are narrow enough.
  func isPrecise(_ record: RunRecord) -> Bool {
    let looks = BenchReport.looks
    let done = Set(record.workloads.flatMap { $0.plans.map(\.repetition) }).count
    guard looks.contains(done) else { return false }
    return (try? BenchReport(record).isNarrowEnough) ?? true
  }

  /// Writes and prints the results, and throws the exit code.
  func finish(_ record: RunRecord, repeating earlier: BenchReport?) throws {
    let report = try BenchReport(record)
    let failure = write(report)
    if json {
      try show(report.json + "\n")
    } else {
      let screen = Screen(
        of: .standardOutput, environment: ProcessInfo.processInfo.environment)
      try show(BenchTable(report, on: screen).text + "\n")
    }
    if let earlier {
      let comparison = RepeatComparison(report, repeating: earlier)
      let lines = comparison.lines.map(\.escapingControls).joined(separator: "\n")
      if json { tell(lines) } else { try show("\n" + lines + "\n") }
    }
    for remark in report.verdict.remarks {
      tell("bench: \(remark.kind.words): \(remark.text)".escapingControls)
    }
    if let failure {
      tell("bench: error: \(failure.message)")
      throw ExitCode(report.verdict.exitCode == 0 ? failure.code : report.verdict.exitCode)
    }
    if report.verdict.exitCode != 0 { throw ExitCode(report.verdict.exitCode) }
  }
}

extension RunVerdict.Remark.Kind {
  /// The words of a person's messages.
  fileprivate var words: String { self == .thresholdCrossed ? "threshold crossed" : rawValue }
}
