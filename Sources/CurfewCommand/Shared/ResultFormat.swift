import ArgumentParser
import CurfewConsole
import CurfewReports
import CurfewText
import CurfewTrace

/// The output format of a run.
enum ResultFormat: String, CaseIterable {
  /// Text for a person.
  case text
  /// The same as `--json`.
  case json
  /// Figures, the same as `--csv`.
  case csv
  /// A trace for Perfetto, in binary, without other output.
  case perfetto
  /// Figures, for Prometheus and similar tools.
  case openmetrics

  /// Whether the format holds figures.
  var tellsFigures: Bool { self == .csv || self == .openmetrics }

  /// Whether a command's arguments ask for JSON, as far as is known before they are parsed. If so,
  /// messages are also JSON.
  static func isJSON(_ arguments: some Collection<String>) -> Bool {
    let words = Array(arguments.prefix { $0 != "--" })
    return words.contains("--json") || words.contains("--format=json")
      || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
  }
}

/// The formats that one command can write: the values of its `--format`.
protocol FormatOption: ExpressibleByArgument, CaseIterable, RawRepresentable
where RawValue == String {}

extension FormatOption {
  /// Returns the format that results from `--format` and the flags.
  static func chosen(_ format: Self?, json: Bool, csv: Bool = false) throws(Refusal) -> ResultFormat
  {
    if json, csv {
      throw Refusal("--json and --csv are mutually exclusive: the result has one format")
    }
    let flag: ResultFormat? = json ? .json : csv ? .csv : nil
    let named = format.flatMap { ResultFormat(rawValue: $0.rawValue) }
    guard let named, let flag, named != flag else { return named ?? flag ?? .text }
    throw Refusal(
      "--format \(named.rawValue) and --\(flag.rawValue) are mutually exclusive: the result has one format"
    )
  }
}

/// A trace for Perfetto, on standard output.
struct PerfettoOutput {
  private var trace: PerfettoTrace
  private let file: LineWriter

  /// Begins the trace. Throws if standard output has another trace, or is a terminal, which cannot
  /// show bytes.
  init(_ trace: PerfettoTrace, besides jsonLines: String? = nil, on console: Console) throws {
    if jsonLines == "-" {
      throw Refusal(
        "--format perfetto and --trace - cannot both be standard output; name a file: --trace FILE")
    }
    if console.screen.isTerminal {
      throw Refusal(
        "a trace for Perfetto is binary, and standard output is a terminal; write it to a file: … > run.pftrace"
      )
    }
    self.trace = trace
    file = try console.open("-")
  }

  /// Writes the run's next line; the console reports a failure.
  mutating func write(_ line: TraceLine) { try? file.write(trace.bytes(for: line)) }
}
