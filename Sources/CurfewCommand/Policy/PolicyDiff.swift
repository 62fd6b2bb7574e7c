import ArgumentParser
import CurfewAnalysis
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew policy diff`: the differences between two policies, in words.
struct PolicyDiff: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Compares two policies: the situations in which they decide differently, and the values that differ.",
    discussion: """
      Asks both policies the same questions in every situation that their rows distinguish. Prints the questions with different answers, then every \
      value that differs. --policy-set sets values of the second policy. If only one policy is named, it is compared with itself under those values.

      --on runs a scenario under both policies, or replays the input of a trace under both. It prints the decisions, expirations and ends of processes that change, \
      by kind, reason and rule. Calls that an app of the trace made inside a callback are repeated inside that callback; all other input is repeated at its recorded instant.

      Exit codes: 0 the policies have the same values, or with --on no run changes; 1 failed; 4 a file is invalid; 5 a value or a row differs, even one without an \
      effect, or with --on a run changes; 64 usage; \
      130 interrupted; 141 the reader of the output is gone; 143 terminated.
      """)

  @Argument(
    help: "The policy before: a built-in one's name, or a file; - for standard input.",
    completion: .policies)
  var before: String

  @Argument(help: "The policy after.", completion: .policies)
  var after: String?

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp(
      "A scenario or a trace to run under both; - for standard input. May be repeated.",
      valueName: "file"), completion: .scenarioOrTrace)
  var runs: [String] = []

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print the difference as JSON.")
  var json = false

  func run(on console: Console) throws {
    guard ([before, after] + runs).count(where: { $0 == "-" }) <= 1 else {
      throw Refusal("only one of the files can be standard input")
    }
    guard after != nil || !settings.texts.isEmpty else {
      throw Refusal("a second policy is needed, or a value to change: --policy-set tasks.grant=45s")
    }
    console.interrupt.listen()
    let before = try PolicyFile.named(before)
    let after = try settings.applied(
      to: after.map { name throws(FileErrors) in try PolicyFile.named(name) } ?? before)
    let compared = try console.watch { _ in
      try runs.map { file in
        let run = try ComparedRun(file, before: before, after: after, console)
        if console.interrupt.isRequested {
          throw console.interrupted("while comparing '\(file)'; nothing is printed")
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
        try console.show(line, margin: 4)
      }
    }
    if !result.isSame { throw ExitCode.different }
  }
}

/// The result of a comparison.
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

  /// Whether the runs are the same or, without runs, the policies' values.
  var isSame: Bool { runs.isEmpty ? difference.isEmpty : runs.allSatisfy(\.difference.isEmpty) }

  /// `policy-diff/1`.
  static let form = ResultForm<DiffResult>(
    "The differences between two policies: one object on one line.",
    [
      .format("policy-diff/1"),
      .object("before", ResultForm("", PolicyFile.keysOfResults)) { $0.before },
      .object("after", ResultForm("", PolicyFile.keysOfResults)) { $0.after },
      .flag("same", "Whether the policies have the same values, and so decide alike.") {
        $0.difference.isEmpty
      },
      .objects("rows", row, "Kinds that only one policy has a row for.") { $0.difference.rows },
      .objects("answers", answer, "Questions with different answers.") { $0.difference.answers },
      .objects("values", value, "Every value that both policies have and that differs.") {
        $0.difference.values
      },
      .texts("sentences", "The differences, in sentences.") { $0.difference.sentences },
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
      .flag(
        "denied", "Whether the kinds were allowed and are denied now; false means the opposite."
      ) {
        $0.isDenied
      },
      .texts("reasons", "The reasons of the denial.") { $0.reasons },
      .text("situation") { $0.situation },
      .texts("paths", "The values that deny.") { $0.paths },
    ])

  private static let value = ResultForm<PolicyDifference.Value>(
    "",
    [
      .text("path") { $0.path }, .text("before") { $0.before.text },
      .text("after") { $0.after.text },
      .text("place", "The place of the second policy's value.") { "\($0.after.place)" },
    ])
}
