import ArgumentParser
import CurfewPolicy
import CurfewSystem
import CurfewText

/// `curfew policy check`: validates policies and prints every mistake, and a summary of each
/// valid policy.
struct PolicyCheck: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Checks policies: prints every mistake, and a summary of each valid policy.",
    discussion: """
      Mistakes go to standard error, one per line, with file, line and column; on a terminal the source line follows, with the mistake marked. For each \
      valid policy, standard output gets its name, the policies that it extends, the number of values that it sets itself, and its digest. --json prints \
      all of that as one object on standard output, for editors.

      A valid policy may have warnings. One is for a row whose default for 'leastRoom' denies requests when less run time is left than its 'warning'. \
      The other is for a row under which time hardly advances, because the system starts its kind again after less than a millisecond.

      Exit codes: 0 all policies are valid; 1 failed; 4 a policy is invalid; 64 usage; 141 the reader of the output is gone.
      """)

  @Argument(
    help: "Files, or built-in policies' names; - for standard input.", completion: .policies)
  var files: [String]

  @OptionGroup var settings: PolicySettings

  @Flag(help: "Print the result as JSON.")
  var json = false

  func run(on console: Console) throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw Refusal("only one of the policies can be standard input")
    }
    console.interrupt.listen()
    var result = CheckResult()
    for name in files { try check(name, &result) }
    if json {
      try console.print(CheckResult.form.json(result).closed)
    } else {
      for file in result.files {
        if let policy = file.policy { try console.show(PolicyCheck.sentence(file.name, policy)) }
      }
      for diagnostic in result.diagnostics { console.tell(Message(diagnostic)) }
    }
    if result.diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode.invalidFile }
  }

  private func check(_ name: String, _ result: inout CheckResult) throws {
    do {
      let policy = try settings.applied(to: PolicyFile.named(name))
      result.files.append((name, policy))
      result.add(policy.warnings)
    } catch let errors as FileErrors {
      result.files.append((name, nil))
      result.add(errors.diagnostics.map { $0.namingNearFile() })
    }
  }

  private static func sentence(_ file: String, _ policy: PolicyFile) -> String {
    let parents =
      policy.parents.isEmpty ? "no parent" : "extends \(policy.parents.joined(separator: " → "))"
    let own = policy.entries.count { $0.place.file == policy.file && policy.isWritten($0) }
    let set =
      policy.settings.isEmpty ? "" : ", \(HumanCount.text(policy.settings.count, "value")) set"
    let name = file == policy.name ? "" : "'\(policy.name)', "
    return
      "\(file): \(name)\(parents), \(HumanCount.text(own, "value")) of its own\(set), digest \(policy.digest)"
      .escapingControls
  }
}

/// The result of a check.
struct CheckResult {
  /// The files in the order of the arguments, with their policies; nil for a file that is not a
  /// valid policy.
  var files: [(name: String, policy: PolicyFile?)] = []
  private(set) var diagnostics: [FileDiagnostic] = []

  /// Adds diagnostics. A mistake in a parent is added once, however many children it has.
  mutating func add(_ found: [FileDiagnostic]) {
    diagnostics += found.filter { !diagnostics.contains($0) }
  }

  /// `policy-check/1`.
  static let form = ResultForm<CheckResult>(
    "The result of a check: one object on one line.",
    [
      .format("policy-check/1"),
      .objects("files", file, "In the order of the arguments.") { $0.files },
      .objects(
        "diagnostics", diagnostic,
        "Errors and warnings, in the order of the files and of their lines."
      ) {
        $0.diagnostics
      },
    ])

  private static let file = ResultForm<(name: String, policy: PolicyFile?)>(
    "",
    [
      .text("argument", "The argument as given.") { $0.name }, .flag("valid") { $0.policy != nil },
      .object(
        "policy", ResultForm("", PolicyFile.keysOfResults), "The policy, if it is valid.",
        optional: true
      ) { $0.policy },
    ])

  private static let diagnostic = ResultForm<FileDiagnostic>(
    "",
    [
      .text("file") { $0.file }, .count("line", "From 1.", optional: true) { $0.place?.line },
      .count("column", "From 1, in Unicode scalars.", optional: true) { $0.place?.column },
      .count("endColumn", "The column after the last character of the marked text.", optional: true)
      {
        $0.endColumn
      },
      .text("severity", words: ["error", "warning"]) { $0.severity.rawValue },
      .text("message") { $0.message },
    ])
}
