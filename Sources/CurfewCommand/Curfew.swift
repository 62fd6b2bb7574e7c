import ArgumentParser

/// `curfew`: parses, calls, prints.
@main
struct Curfew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curfew",
    abstract: "Decides which apps may run in the background, for how long, and says why.",
    version: "0.1.0",
    subcommands: [LoadTestCommand.self, Simulate.self, ReplayTrace.self])

  static func main() {
    StandardDescriptors.occupyClosed()
    main(nil)
  }
}

extension ExitCode {
  /// A file is invalid.
  static let invalidFile = ExitCode(4)
  /// A replay came out otherwise than its trace.
  static let different = ExitCode(5)
  /// A threshold was crossed.
  static let crossedThreshold = ExitCode(99)
  /// Interrupted; what was done so far is kept.
  static let interrupted = ExitCode(130)
}
