import ArgumentParser
import CurfewRelease
import CurfewSystem
import CurfewText
import Foundation

/// The `curfew` command: parses the arguments, runs a subcommand and prints its errors.
@main
struct Curfew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curfew",
    abstract: "Decides which apps may run in the background, for how long, and says why.",
    version: "curfew \(Release.build)",
    subcommands: [
      LoadTestCommand.self, Simulate.self, FleetCommand.self, TestCommand.self, ReplayTrace.self,
      PolicyCommand.self, ExplainCommand.self,
      ReportCommand.self, SweepCommand.self, MergeCommand.self, CompareCommand.self,
      ExecCommand.self, DoctorCommand.self,
    ])

  static func main() {
    // A load test handles signals from the start: a signal that arrives while arguments are parsed
    // must neither be lost nor end the program without a message.
    let words = ProgramWords(Array(ProgramArguments.bytes().dropFirst()))
    if words.parsed.first == LoadTestCommand.configuration.commandName { Interrupt().listen() }
    Descriptor.occupyClosed()
    // The words behind `exec` may be those of another program.
    let console = Console(tellsJSON: !words.isExec && ResultFormat.isJSON(words.parsed))
    let code = run(words, on: console)
    exit(withError: console.finish() ?? code)
  }

  /// Runs the subcommand that the arguments name, and prints its error if it fails.
  private static func run(_ words: ProgramWords, on console: Console) -> ExitCode {
    do {
      try words.check()
      var command = try parseAsRoot(words.parsed)
      if var exec = command as? ExecCommand {
        exec.words = words.command
        command = exec
      }
      guard let command = command as? any ConsoleCommand else {
        try command.run()
        return .success
      }
      try command.run(on: console)
      return .success
    } catch is OutputLoss {
      if console.interrupt.isRequested, !console.isCutOff {
        return console.interrupted("before anything was done")
      }
      return .failure  // `Console.finish()` names the output and picks the code
    } catch let errors as FileErrors {
      if console.interrupt.isRequested {
        return console.interrupted("while a file was read; nothing was done")
      }
      for diagnostic in errors.diagnostics { console.tell(Message(diagnostic)) }
      return .invalidFile
    } catch let errors as SettingErrors {
      for diagnostic in errors.diagnostics { console.tell(Message(diagnostic)) }
      return .usage
    } catch let mistake as Refusal {
      return console.failure(Message(.error, "\(mistake)"), .usage)
    } catch let code as ExitCode {
      return code
    } catch {
      let code = exitCode(for: error)
      // The parser also throws to print help.
      guard !code.isSuccess else {
        if let mistake = unknownHelp(words.parsed) {
          return console.failure(Message(.error, mistake), .usage)
        }
        try? console.print(fullMessage(for: error))
        return code
      }
      return console.failure(Message(.error, complaint(about: error, in: words.parsed)), code)
    }
  }

  /// The error about a command that `curfew help` does not know, for which the parser prints the
  /// general help; nil if there is none.
  private static func unknownHelp(_ words: [String]) -> String? {
    guard words.first == "help" else { return nil }
    var (command, name): (any ParsableCommand.Type, String) = (Curfew.self, "")
    for word in words.dropFirst() where !word.hasPrefix("-") && word != "help" {
      let subcommands = command.configuration.subcommands
      guard let next = subcommands.first(where: { $0._commandName == word }) else {
        return unknown(word, after: name, among: subcommands.map { $0._commandName })
      }
      (command, name) = (next, name + " \(word)")
    }
    return nil
  }

  /// The parser's message, with the option whose beginning was given as the suggestion. The parser
  /// suggests the option with the fewest different letters, which for `--thr` is `--for`.
  private static func completing(_ text: String, of command: any ParsableCommand.Type) -> String {
    guard let found = text.firstMatch(of: /^Unknown option '(--[a-z-]+)'/) else { return text }
    let given = found.1
    guard let option = options(of: command).first(where: { $0.hasPrefix(given) }) else {
      return text
    }
    return "\(found.0). Did you mean '\(option)'?"
  }

  /// The long options of a command, in the order of its help. The text above the list may name
  /// options of other commands.
  static func options(of command: any ParsableCommand.Type) -> [String] {
    let names = /^  (?:-[a-zA-Z], )?(--[a-z\/-]+)/.anchorsMatchLineEndings()
    return helpMessage(for: command, columns: 200).matches(of: names).flatMap {
      $0.output.1.split(separator: "/").map(String.init)
    }
  }

  /// The error about an unknown word in place of a subcommand.
  private static func unknown(_ word: String, after name: String, among names: [String]) -> String {
    let command = (name + " " + word).dropFirst()
    return "there is no command '\(command)'"
      + NearestName.hint(for: word, among: names, "the commands are")
  }

  /// The parser's message as one line in the style of other errors, followed by the command that
  /// prints help. A word in place of a subcommand is compared with the names of the subcommands,
  /// because the parser only reports it as unexpected.
  private static func complaint(about error: any Error, in words: [String]) -> String {
    let lines = message(for: error).split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter {
      !$0.isEmpty
    }
    var (command, name): (any ParsableCommand.Type, String) = (Curfew.self, "")
    for word in words {
      let subcommands = command.configuration.subcommands
      guard let next = subcommands.first(where: { $0._commandName == word }) else {
        if !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" {
          return unknown(word, after: name, among: subcommands.map { $0._commandName })
        }
        break
      }
      (command, name) = (next, name + " \(word)")
    }
    let text = completing(lines.joined(separator: " "), of: command)
    let ending = text.hasSuffix(".") ? text.dropLast() : text[...]
    return "\(ending.prefix(1).lowercased())\(ending.dropFirst()); see 'curfew\(name) --help'"
  }
}

/// A command that prints. It throws its errors. If it has printed an error itself, it throws
/// the exit code that `Console.failure` returns.
protocol ConsoleCommand: ParsableCommand {
  /// Runs the command. An implementation may rethrow or ignore a failed write to the console:
  /// the console ends the program correctly in either case.
  func run(on console: Console) throws
}

extension ExitCode {
  /// The request is denied.
  static let denied = ExitCode(3)
  /// A file is invalid.
  static let invalidFile = ExitCode(4)
  /// A replay differs from its trace, or a run from its scenario's expectations.
  static let different = ExitCode(5)
  /// A measurement or a trace is too short to decide.
  static let inconclusive = ExitCode(7)
  /// A command may run at another time (EX_TEMPFAIL).
  static let deniedForNow = ExitCode(75)
  /// `exec` itself failed, as in `timeout(1)`.
  static let execFailed = ExitCode(125)
  /// An option is wrong.
  static let usage = ExitCode(64)
  /// A threshold was crossed.
  static let crossedThreshold = ExitCode(99)
  /// The reader of an output is gone. A shell reports this code for a program that SIGPIPE ended.
  /// The program exits with the code, as with 130, instead of raising the signal, because it first
  /// writes its other files.
  static let readerGone = ExitCode(141)
}
