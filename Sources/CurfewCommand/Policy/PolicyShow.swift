import ArgumentParser
import CurfewConsole
import CurfewPolicy
import CurfewSystem
import CurfewText

/// `curfew policy show`: the values of a policy and where each comes from.
struct PolicyShow: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Shows a policy: its values, its file, or the origin of each value.",
    discussion: """
      Without an option, prints the policy as one file without a parent, which can be redirected and then changed. The printed file has the same digest. It contains the values that \
      the policy's files set; all other values are defaults. --source prints the policy's own file, with its comments and sources. --origins \
      prints one line per value, including the defaults.

      Exit codes: 0 done; 1 failed; 4 a file is invalid; 64 usage; 141 the reader of the output is gone.
      """)

  @Argument(
    help: "A built-in policy's name, or a file; - for standard input.", completion: .policies)
  var policy: String

  @Flag(help: "Print the file as it is, with its comments.")
  var source = false

  @Flag(help: "Print each value with its file, line and column, its confidence, and its source.")
  var origins = false

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print every value with its origin as JSON.")
  var json = false

  func run(on console: Console) throws {
    if source, origins || json || !settings.texts.isEmpty {
      throw Refusal(
        "--source prints a file as it is written: --origins, --policy-set and --json do not apply"
      )
    }
    if origins, json {
      throw Refusal("--json has every value's origin: --origins does not apply")
    }
    console.interrupt.listen()
    if source { return try console.show(PolicyShow.text(of: policy)) }
    let policy = try settings.applied(to: PolicyFile.named(policy))
    if json { return try console.print(PolicyShow.form.json(policy).closed) }
    if origins {
      for line in OriginTable(policy).lines { try console.show(line, margin: 4) }
    } else {
      try console.show(String(policy.text.dropLast()))
    }
  }

  /// The file's text, without the last line break. A file is read only once, for both the check
  /// and the text, because a pipe cannot be read twice.
  private static func text(of name: String) throws(FileErrors) -> String {
    if let text = PolicyFile.builtInText(name) {
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    // The error for an unknown name lists the known names.
    guard name == "-" || PolicyFile.isPath(name) else { return try PolicyFile.named(name).text }
    let source = name == "-" ? try SourceFile.readStandardInput() : try SourceFile.read(name)
    _ = try PolicyFile.decode(source)
    return source.text.hasSuffix("\n") ? String(source.text.dropLast()) : source.text
  }

  /// `policy-show/1`.
  static let form = ResultForm<PolicyFile>(
    "A policy and all its values: one object on one line.",
    [.format("policy-show/1")] + PolicyFile.keysOfResults + [
      .objects("values", value, "Every value, in the language's order.") { file in
        file.entries.map { (entry: $0, isWritten: file.isWritten($0)) }
      }
    ])

  private static let value = ResultForm<(entry: PolicyEntry, isWritten: Bool)>(
    "",
    [
      .text("path") { $0.entry.path }, .text("value") { $0.entry.text },
      .flag(
        "written",
        "Whether a file writes the value; if not, the place is the line that makes it optional."
      ) { $0.isWritten },
      .text("file") { $0.entry.place.file }, .count("line") { $0.entry.place.line },
      .count("column") { $0.entry.place.column },
      .text("confidence", optional: true, words: PolicyEntry.Confidence.allCases.map(\.rawValue)) {
        $0.entry.confidence?.rawValue
      },
      .text("source", "Where the value comes from.", optional: true) { $0.entry.source },
    ])
}

/// A line for each value: its path, the value, where it is written, its confidence and its source.
struct OriginTable {
  let lines: [String]

  /// The widest cell that is aligned, in columns.
  private static let widest = 40

  init(_ policy: PolicyFile) {
    let rows = policy.entries.map { entry -> [String] in
      let place = policy.isWritten(entry) ? "\(entry.place)" : "written nowhere"
      return [entry.path, entry.written, place, entry.confidence?.rawValue ?? "-"]
    }
    // A longer cell, such as a list of modes, shifts only the rest of its own line.
    let widths = (0..<4).map { column in
      rows.map(\.[column].displayWidth).filter { $0 <= OriginTable.widest }.max() ?? 0
    }
    lines = zip(policy.entries, rows).map { entry, row in
      let cells = zip(row, widths).map { pad($0, $1, .left) }.joined(separator: "  ")
      let line = entry.source.map { cells + "  " + $0 } ?? cells
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
