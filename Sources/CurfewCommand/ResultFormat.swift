import ArgumentParser
import CurfewText

/// In which form a run is told.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person.
  case text
  /// As `--json`.
  case json
  /// Figures, as `--csv`.
  case csv
  /// A trace for Perfetto: bytes, and nothing else.
  case perfetto
  /// Figures, for Prometheus and its like.
  case openmetrics

  /// Those that tell figures.
  var tellsFigures: Bool { self == .csv || self == .openmetrics }

  /// What `--format` and the flags before it ask for together.
  static func chosen(_ format: ResultFormat?, json: Bool, csv: Bool = false) throws(Refusal) -> ResultFormat {
    if json, csv { throw Refusal("--json and --csv are two forms of one result") }
    let flag: ResultFormat? = json ? .json : csv ? .csv : nil
    guard let format, let flag, format != flag else { return format ?? flag ?? .text }
    throw Refusal("--format \(format.rawValue) and --\(flag.rawValue) are two forms of one result")
  }

  /// Whether a command's arguments ask for JSON, as far as can be told before they are parsed: messages are JSON then, too.
  static func isJSON(_ arguments: some Collection<String>) -> Bool {
    let words = Array(arguments.prefix { $0 != "--" })
    return words.contains("--json") || words.contains("--format=json")
      || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
  }
}

extension Console {
  /// Standard output for bytes, which no terminal shows.
  func openStandardOutput(forBytesOf format: ResultFormat, besides trace: String?) throws -> LineWriter {
    if trace == "-" {
      throw Refusal("--format \(format.rawValue) and --trace - cannot both be standard output; name a file: --trace FILE")
    }
    if screen.isTerminal {
      throw Refusal("a trace for Perfetto is bytes, and standard output is a terminal; write it to a file: … > run.pftrace")
    }
    return try open("-")
  }
}
