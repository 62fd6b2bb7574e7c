internal import ArgumentParser
internal import CurfewBench
internal import CurfewSystem
internal import CurfewText
import Foundation

/// `bench check`: speaks the protocol with one contestant.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Speaks the protocol with a contestant about tiny plans, and names each mistake.",
    discussion:
      "Exit codes: 0 every answer is right; 4 a need is missing, or the file is invalid; 99 a mistake."
  )

  @Argument(help: "The name of a contestant of the suite, or the path of a contestant's file.")
  var contestant: String

  @OptionGroup var suite: SuiteOption

  func run() throws {
    Interrupt().listen()
    let (file, suite) = try chosen()
    if let need = Workshop(file, in: suite).missing {
      tell("bench: error: \(file.name) needs \(need); it is installed by: \(file.install ?? "")")
      throw ExitCode(4)
    }
    let findings = try ContestantCheck(file, in: suite).run { tell($0) }
    var hasMistake = false
    for finding in findings {
      if finding.outcome == .interrupted { throw ExitCode(Interrupt().exitCode) }
      var text = "every answer is right"
      switch finding.outcome {
      case .measured: break
      case .cannot: text = finding.outcome.sentence
      default:
        hasMistake = true
        text = finding.outcome.sentence
      }
      try show("\(finding.workload): \(text.escapingControls)\n")
    }
    if hasMistake { throw ExitCode(99) }
  }

  /// The contestant, and the suite whose build folder it uses.
  private func chosen() throws -> (ContestantFile, Suite) {
    if contestant.hasSuffix(".yaml") {
      let url = URL(fileURLWithPath: contestant).standardizedFileURL.deletingLastPathComponent()
      let file = try ContestantFile.read(contestant, in: url.path)
      let root = url.deletingLastPathComponent().deletingLastPathComponent()
      return (file, Suite(root: root.path, contestants: [file]))
    }
    let suite = try suite.read()
    if let file = suite.contestants.first(where: { $0.name == contestant }) { return (file, suite) }
    let hint = NearestName.hint(
      for: contestant, among: suite.contestants.map(\.name), "the contestants are")
    throw Refusal("unknown contestant '\(contestant)'\(hint)")
  }
}
