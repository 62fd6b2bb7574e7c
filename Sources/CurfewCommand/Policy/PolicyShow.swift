import ArgumentParser
import CurfewPolicy
import CurfewSystem
import CurfewText

/// `curfew policy show`: what a policy says, and where each value comes from.
struct PolicyShow: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Shows a policy: every value, the file as it is written, or where each value comes from.",
    discussion: """
      Without an option the policy is printed as a file without a parent, to be redirected into one and changed: it loads to the same digest. Its values are \
      those that its files write; what nobody writes need not be written. --source prints the file itself, with its comments and sources. --origins \
      prints a line for each value, also for those that nobody writes.

      Exit codes: 0 fine, 1 failed, 4 a file is invalid, 64 usage, 141 whoever read the output has gone away.
      """)

  @Argument(help: "A built-in policy's name, or a file; - for standard input.")
  var policy: String

  @Flag(help: "Print the file as it is written, comments and all.")
  var source = false

  @Flag(help: "Print each value with its file, line and column, how sure it is, and its source.")
  var origins = false

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print every value with its origin as JSON.")
  var json = false

  func run(on console: Console) throws {
    if source, origins || json || !settings.texts.isEmpty {
      throw Refusal(
        "--source prints a file as it is written: --origins, --policy-set and --json say nothing there"
      )
    }
    if origins, json {
      throw Refusal("--json has every value's origin: --origins says nothing there")
    }
    console.interrupt.listen()
    if source { return try console.show(PolicyShow.text(of: policy)) }
    let policy = try settings.applied(to: PolicyFile.named(policy))
    if json { return try console.print(PolicyShow.form.json(policy).closed) }
    if origins {
      for line in OriginTable(policy).lines { try console.show(line) }
    } else {
      try console.show(String(policy.text.dropLast()))
    }
  }

  /// The file's text, without its last line end. It is read and checked once: what comes by a pipe
  /// comes once.
  private static func text(of name: String) throws(FileErrors) -> String {
    if let text = PolicyFile.builtInText(name) {
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    // A name that is none says what names there are.
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
        "Whether a file writes it; else the place is where the policy says that it need not be."
      ) { $0.isWritten },
      .text("file") { $0.entry.place.file }, .count("line") { $0.entry.place.line },
      .count("column") { $0.entry.place.column },
      .text("confidence", optional: true, words: PolicyEntry.Confidence.allCases.map(\.rawValue)) {
        $0.entry.confidence?.rawValue
      },
      .text("source", "Where the value comes from.", optional: true) { $0.entry.source },
    ])
}

/// A line for each value: its path, the value, where it is written, how sure it is and where it
/// comes from.
struct OriginTable {
  let lines: [String]

  /// A longer cell is out of line.
  private static let widest = 40

  init(_ policy: PolicyFile) {
    let rows = policy.entries.map { entry -> [String] in
      let place = policy.isWritten(entry) ? "\(entry.place)" : "written nowhere"
      return [entry.path, entry.written, place, entry.confidence?.rawValue ?? "-"]
    }
    // A list of modes may be long; it pushes the rest of its own line aside only.
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
