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
      "Exit codes: 0 every answer is right; 4 a need is missing, or the file is invalid; 7 other processes disturbed it; 99 a mistake, or a build that fails."
  )

  @Argument(
    help: "The name of a contestant of the suite, or the path of a contestant's file or folder.")
  var contestant: String

  @OptionGroup var suite: SuiteOption

  func run() throws {
    Interrupt().listen()
    let (file, suite) = try chosen()
    let patience = try SilenceLimit.seconds()
    let findings = try ContestantCheck(file, in: suite, patience: patience).run { tell($0) }
    var codes: Set<Int32> = []
    for finding in findings {
      var text = finding.outcome.sentence
      switch finding.outcome {
      case .measured: text = "every answer is right"
      case .cannot: break
      case .interrupted: throw ExitCode(Interrupt().exitCode)
      case .missing: codes.insert(4)
      case .disturbed: codes.insert(7)
      case .wrong, .failed, .tooSlow: codes.insert(99)
      }
      try show("\(finding.place): \(text.escapingControls)\n")
    }
    // A mistake comes before a disturbance; a need that is missing is the only finding.
    if let code = codes.max() { throw ExitCode(code) }
  }

  /// The contestant, and the suite whose build folder it uses.
  private func chosen() throws -> (ContestantFile, Suite) {
    if let path {
      let url = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
      let file = try ContestantFile.read(path, in: url.path)
      let root = url.deletingLastPathComponent().deletingLastPathComponent()
      return (file, Suite(root: root.path, contestants: [file]))
    }
    let suite = try suite.read()
    if let file = suite.contestants.first(where: { $0.name == contestant }) { return (file, suite) }
    let hint = NearestName.hint(
      for: contestant, among: suite.contestants.map(\.name), "the contestants are")
    throw Refusal("unknown contestant '\(contestant)'\(hint)")
  }

  /// The path of the contestant's file; nil if the argument is a name.
  private var path: String? {
    if contestant.hasSuffix(".yaml") { return contestant }
    let file = (contestant.hasSuffix("/") ? contestant : contestant + "/") + "contestant.yaml"
    return contestant.contains("/") || FileManager.default.fileExists(atPath: file) ? file : nil
  }
}
