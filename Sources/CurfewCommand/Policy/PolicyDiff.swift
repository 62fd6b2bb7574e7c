import ArgumentParser
import CurfewAnalysis
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew policy diff`: what another policy changes, in words.
struct PolicyDiff: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Says what a policy changes of another: which kinds are answered otherwise in which situations, and which times differ.",
    discussion: """
      Both policies are asked the same, in every situation that a policy's rows look at; what is said is where the answers differ, and beside that every \
      value that is not the same. --policy-set sets values of the second policy; with it the second may be left out, and is the first with those values.

      --on runs a scenario under both, or what entered a trace's engine, and tells which of its decisions and ends change, by kind, reason and rule. What a \
      trace's apps did inside a callback they do inside it again, and everything else comes at its instant.

      Exit codes: 0 they decide alike, or nothing in the runs of --on changes; 1 failed, 4 a file is invalid, 5 they do not, or something does; 64 usage, \
      130 interrupted and 143 terminated, 141 whoever read the output has gone away.
      """)

  @Argument(help: "The policy before: a built-in one's name, or a file; - for standard input.")
  var before: String

  @Argument(help: "The policy after.")
  var after: String?

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp(
      "A scenario or a trace to run under both; - for standard input. May be given again.",
      valueName: "file"))
  var runs: [String] = []

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print the difference as JSON.")
  var json = false

  func run(on console: Console) throws {
    guard ([before, after] + runs).count(where: { $0 == "-" }) <= 1 else {
      throw Refusal("only one of the files can be standard input")
    }
    guard after != nil || !settings.texts.isEmpty else {
      throw Refusal("a second policy is needed, or values of it: --policy-set tasks.grant=45s")
    }
    console.interrupt.listen()
    let before = try PolicyFile.named(before)
    let after = try settings.applied(
      to: after.map { name throws(FileErrors) in try PolicyFile.named(name) } ?? before)
    let compared = try console.watch { _ in
      try runs.map { file in
        let run = try ComparedRun(file, before: before, after: after, console)
        if console.interrupt.isRequested {
          throw console.interrupted("while '\(file)' was compared; nothing is told")
        }
        return run
      }
    }
    let result = DiffResult(
      before: before, after: after, difference: PolicyDifference(from: before, to: after),
      runs: compared)
    if json {
      try console.print(DiffResult.form.json(result).closed)
    } else {
      for line in result.lines {
        try console.show(Screen.wrapped(line, margin: 4, to: console.screen.textWidth))
      }
    }
    if !result.isSame { throw ExitCode.different }
  }
}

/// What came of a comparison.
struct DiffResult {
  let before: PolicyFile
  let after: PolicyFile
  let difference: PolicyDifference
  let runs: [ComparedRun]

  var lines: [String] {
    let alike = "\(before.name) and \(after.name) decide alike (digest \(after.digest))"
      .escapingControls
    return (difference.isEmpty ? [alike] : difference.sentences) + runs.flatMap(\.lines)
  }

  /// Of the runs where there are any, else of the policies.
  var isSame: Bool { runs.isEmpty ? difference.isEmpty : runs.allSatisfy(\.difference.isEmpty) }

  /// `policy-diff/1`.
  static let form = ResultForm<DiffResult>(
    "What a policy changes of another: one object on one line.",
    [
      .format("policy-diff/1"),
      .object("before", ResultForm("", PolicyFile.keysOfResults)) { $0.before },
      .object("after", ResultForm("", PolicyFile.keysOfResults)) { $0.after },
      .flag("same", "Whether they decide alike.") { $0.difference.isEmpty },
      .objects("rows", row, "Kinds of which only one has a row.") { $0.difference.rows },
      .objects("answers", answer, "What is answered otherwise.") { $0.difference.answers },
      .objects("values", value, "Every value that both have and that differs.") {
        $0.difference.values
      },
      .texts("sentences", "The same in words.") { $0.difference.sentences },
      .objects("runs", ComparedRun.form, "The runs of --on under both.") { $0.runs },
    ])

  private static let row = ResultForm<PolicyDifference.Row>(
    "",
    [
      .text("group", words: ["sessions", "wakes", "groups"]) { $0.group },
      .text("kind") { $0.kind }, .flag("new") { $0.isNew },
    ])

  private static let answer = ResultForm<PolicyDifference.Answer>(
    "",
    [
      .texts("kinds") { $0.kinds },
      .flag("denied", "Whether they are denied now, and were allowed; else the other way round.") {
        $0.isDenied
      },
      .texts("reasons", "Of the denial.") { $0.reasons }, .text("situation") { $0.situation },
      .texts("paths", "The values that deny.") { $0.paths },
    ])

  private static let value = ResultForm<PolicyDifference.Value>(
    "",
    [
      .text("path") { $0.path }, .text("before") { $0.before.text },
      .text("after") { $0.after.text },
      .text("place", "Where the value after is written.") { "\($0.after.place)" },
    ])
}
