import ArgumentParser
import CurfewRelease
import CurfewSystem
import CurfewText
import Foundation

/// `curfew`: parses, calls, prints.
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
    ])

  static func main() {
    // A load test answers a signal from the first: it must not be lost, nor end it without a word,
    // while arguments are read.
    if CommandLine.arguments.dropFirst().first == LoadTestCommand.configuration.commandName {
      Interrupt().listen()
    }
    Descriptor.occupyClosed()
    let console = Console(tellsJSON: ResultFormat.isJSON(CommandLine.arguments))
    let code = run(on: console)
    exit(withError: console.finish() ?? code)
  }

  /// Runs what the arguments say and tells what went wrong with it.
  private static func run(on console: Console) -> ExitCode {
    do {
      var command = try parseAsRoot()
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
      return .failure  // the console says which, and whether it is a failure at all
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
      // The parser gives help, too, by throwing it.
      guard !code.isSuccess else {
        try? console.print(fullMessage(for: error))
        return code
      }
      return console.failure(Message(.error, complaint(about: error)), code)
    }
  }

  /// What the parser has against the arguments, in one line and in the words of the others,
  /// and where to read what is right.
  private static func complaint(about error: any Error) -> String {
    let lines = message(for: error).split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter {
      !$0.isEmpty
    }
    let text = lines.joined(separator: " ")
    var (command, name): (any ParsableCommand.Type, String) = (Curfew.self, "")
    for word in CommandLine.arguments.dropFirst() {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == word })
      else { break }
      (command, name) = (next, name + " \(word)")
    }
    let ending = text.hasSuffix(".") ? text.dropLast() : text[...]
    return "\(ending.prefix(1).lowercased())\(ending.dropFirst()); see 'curfew\(name) --help'"
  }
}

/// A command that prints. What goes wrong with it is thrown; what it has to say of that itself, by
/// way of `Console.failure`.
protocol ConsoleCommand: ParsableCommand {
  /// Runs it. What a console cannot take may be thrown, or left to it: it ends the program as it
  /// has to in either case.
  func run(on console: Console) throws
}

extension ExitCode {
  /// What was asked for is denied.
  static let denied = ExitCode(3)
  /// A file is invalid.
  static let invalidFile = ExitCode(4)
  /// A replay came out otherwise than its trace, or a run otherwise than its scenario expects.
  static let different = ExitCode(5)
  /// What there is says too little: of a measurement, or of a trace.
  static let inconclusive = ExitCode(7)
  /// An option makes no sense.
  static let usage = ExitCode(64)
  /// A threshold was crossed.
  static let crossedThreshold = ExitCode(99)
  /// Whoever read a result has gone away: what a shell calls a program that SIGPIPE has ended. It
  /// is an exit and no signal, as 130 is, because the lines for other files are written first.
  static let readerGone = ExitCode(141)
}
