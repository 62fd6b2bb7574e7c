import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewText
import CurfewTrace

/// `curfew replay`: feeds a trace's events to the engine again and compares every action.
struct ReplayTrace: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs a trace through the engine again and compares every action.",
    discussion: """
      The trace comes from a scenario or from a run in real time; no other file is needed. It is replayed in virtual time, under the \
      built-in policy that it was recorded under, or under the policy that --policy names. A trace that was cut has no end; it is \
      compared up to its last line. Lines are replayed as they are read, so a trace may have any size.

      --format perfetto writes the trace for https://ui.perfetto.dev up to the first difference, and reports the difference on standard error: \
      `curfew replay run.jsonl --format perfetto > run.pftrace`.

      Exit codes: 0 the same; 1 failed, or time stands still at the end of the trace; 4 a file is invalid or was recorded under other rules; 5 different; 7 the same up to the last line, but the trace has no end; 64 usage; \
      130 interrupted; 141 the reader of the result is gone; 143 terminated.
      """)

  @Argument(help: "The trace's file; - for standard input.", completion: .traces)
  var trace: String

  @Option(
    help: ArgumentHelp(
      "The policy to replay under, instead of the recorded one: \(PolicyFile.choices)."),
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print the result as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The output format: text, json (the same as --json), or perfetto (the trace for ui.perfetto.dev, on standard output).",
      valueName: "format"), completion: .list(Format.allCases.map(\.rawValue)))
  var format: Format?

  enum Format: String, FormatOption { case text, json, perfetto }

  func run(on console: Console) throws {
    if trace == "-", policy == "-" {
      throw Refusal("the trace and --policy cannot both be standard input")
    }
    let form = try Format.chosen(format, json: json)
    let result: ReplayResult = try console.watch { progress in
      let lines = trace == "-" ? TextLines() : try TextLines(trace)
      let stream = try TraceStream(lines)
      let policy = try stream.header.policy(
        named: policy, settings, in: lines.name, "replayed", console)
      var perfetto =
        try form == .perfetto
        ? PerfettoOutput(PerfettoTrace(header: stream.header, policy: policy), on: console) : nil
      let (ending, counts) = try Replay.run(stream, policy: policy.policy) { line in
        progress.show("\(HumanCount.text(line, "line")) replayed")
        return console.isStopped
      } _: { line in
        perfetto?.write(line)
      }
      return ReplayResult(
        file: lines.name, header: stream.header, counts: counts, policy: policy, ending: ending)
    }
    try report(result, form, console)
  }

  private func report(_ result: ReplayResult, _ form: ResultFormat, _ console: Console) throws {
    switch form {
    case .json: try console.print(result.json)
    // Standard output carries the trace, so the result goes to standard error.
    case .perfetto: tellApart(result, console)
    case .text, .csv, .openmetrics: if let text = result.text { try console.show(text) }
    }
    switch result.ending {
    case .same: break
    case .different: throw ExitCode.different
    case .cut: throw ExitCode.inconclusive
    case .standstill(let standstill, _):
      throw console.failure(Message(.error, "\(standstill)", file: result.file))
    case .interrupted(let line):
      throw console.interrupted("no difference up to line \(HumanCount.text(line))")
    }
  }

  /// Reports a difference or a missing end on standard error, because standard output has
  /// the trace.
  private func tellApart(_ result: ReplayResult, _ console: Console) {
    switch result.ending {
    case .same, .standstill, .interrupted: break
    case .different(let difference):
      let message =
        "different under \(result.policy.name) from line \(difference.line) on; the trace for Perfetto ends there"
      console.tell(Message(.failed, message, file: result.file))
    case .cut: console.tell(Message(.inconclusive, result.text ?? "", file: result.file))
    }
  }
}
