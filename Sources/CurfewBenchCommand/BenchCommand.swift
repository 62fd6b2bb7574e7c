internal import ArgumentParser
internal import CurfewBench
internal import CurfewSystem
internal import CurfewText
import Foundation

/// The command `bench` of the package in `Benchmarks`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Compares Curfew with other timers, queues and simulators.",
    discussion: """
      Exit codes: 0 passed; 1 failed; 4 a contestant's file is invalid, or something that was required is missing; 6 the subject answered wrongly or early; 7 inconclusive; \
      64 usage; 99 a peer answered wrongly or failed, or a threshold failed; 130 interrupted and 143 terminated (whole repetitions are kept).
      """,
    subcommands: [
      ListCommand.self, RunCommand.self, PlanCommand.self, CheckCommand.self,
      CountCommand.self,
    ])
}

extension BenchCommand {
  /// The error about a command that `bench help` does not know, for which the parser prints
  /// the general help; nil if there is none.
  fileprivate static var unknownHelp: Refusal? {
    let words = CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard words.first == "help", let word = words.dropFirst().first, word != "help",
      !names.contains(word)
    else { return nil }
    let hint = NearestName.hint(for: word, among: names, "the commands are")
    return Refusal("there is no command '\(word)'\(hint)")
  }
}

/// Runs `bench` with the process's arguments and ends the process.
@_spi(Benchmarks) public func runBench() async {
  Descriptor.occupyClosed()
  Descriptor.ignoreSignalsOfWriting()
  do {
    if let mistake = BenchCommand.unknownHelp { throw mistake }
    var command = try BenchCommand.parseAsRoot()
    try command.run()
  } catch let errors as FileErrors {
    for diagnostic in errors.diagnostics { tell("\(diagnostic)") }
    exit(4)
  } catch let mistake as Refusal {
    tell("bench: error: \(mistake)")
    exit(64)
  } catch let obstacle as BenchRun.Obstacle {
    tell("bench: error: \(obstacle.message)")
    exit(obstacle.code)
  } catch let error as SystemError {
    tell("bench: error: \(error)")
    exit(1)
  } catch {
    BenchCommand.exit(withError: error)
  }
}

/// The time that a contestant may be silent. Tests of silence shorten it by a variable of
/// the environment.
enum SilenceLimit {
  private static let variable = "CURFEW_BENCH_SILENCE"

  static func seconds() throws(Refusal) -> Double {
    guard let text = ProcessInfo.processInfo.environment[variable] else {
      return ContestantProcess.usualPatience
    }
    guard let seconds = Double(text), (0.1...3_600).contains(seconds) else {
      throw Refusal("\(variable): '\(text)' is not a number of seconds from 0.1 to 3600")
    }
    return seconds
  }
}

/// Prints a line on standard error.
func tell(_ text: String) { _ = Descriptor.standardError.write(Array("\(text)\n".utf8)) }

/// Prints text on standard output.
func show(_ text: String) throws {
  if let (error, _) = Descriptor.standardOutput.write(Array(text.utf8)) {
    throw error.isReaderGone ? ExitCode(141) : error
  }
}

/// The option that names the suite.
struct SuiteOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the suite: the working directory or its folder Benchmarks if absent.",
      valueName: "folder"))
  var suite: String?

  func read() throws -> Suite { try Suite(reading: Suite.root(at: suite)) }
}
