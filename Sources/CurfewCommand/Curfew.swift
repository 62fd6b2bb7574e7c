import ArgumentParser
import CurfewSystem
import CurfewText

/// `curfew`: parses, calls, prints.
@main
struct Curfew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curfew",
    abstract: "Decides which apps may run in the background, for how long, and says why.",
    version: "0.1.0",
    subcommands: [LoadTestCommand.self, Simulate.self, ReplayTrace.self])

  static func main() {
    // A load test answers a signal from the first: it must not be lost, nor end it without a word, while arguments are read.
    if CommandLine.arguments.dropFirst().first == LoadTestCommand.configuration.commandName { Interrupt().listen() }
    Descriptor.occupyClosed()
    let console = Console()
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
      return .failure  // the console says which, and whether it is a failure at all
    } catch let errors as FileErrors {
      console.tell(errors.description)
      return .invalidFile
    } catch let mistake as Refusal {
      return console.failure("curfew: error: \(mistake)", .usage)
    } catch {
      // The parser's own, which are also how it gives help.
      let (text, code) = (fullMessage(for: error), exitCode(for: error))
      if code.isSuccess { try? console.print(text) } else if !text.isEmpty { console.tell(text) }
      return code
    }
  }
}

/// A command that prints. What goes wrong with it is thrown; what it has to say of that itself, by way of `Console.failure`.
protocol ConsoleCommand: ParsableCommand {
  /// Runs it. What a console cannot take may be thrown, or left to it: it ends the program as it has to in either case.
  func run(on console: Console) throws
}

extension ExitCode {
  /// A file is invalid.
  static let invalidFile = ExitCode(4)
  /// A replay came out otherwise than its trace.
  static let different = ExitCode(5)
  /// What there is says too little: of a measurement, or of a trace.
  static let inconclusive = ExitCode(7)
  /// An option makes no sense.
  static let usage = ExitCode(64)
  /// A threshold was crossed.
  static let crossedThreshold = ExitCode(99)
  /// Whoever read a result has gone away: what a shell calls a program that SIGPIPE has ended. It is an exit and no signal, as 130 is, because the
  /// lines for other files are written first.
  static let readerGone = ExitCode(141)
}
