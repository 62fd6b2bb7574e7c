import CurfewConsole
import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// Wrapped text keeps its margins and its double spaces at every width.
@Suite(.inTurn) struct WrappingTests {
  @Test func `spaces stay, except where a line breaks`() {
    #expect(
      Screen.wrapped("  8s  it was launched into  the background", margin: 6, to: 30)
        == ["  8s  it was launched into", "      the background"])
    #expect(Screen.wrapped("  a  b", to: 40) == ["  a  b"])
    #expect(Screen.wrapped("", to: 40) == [""])
    #expect(Screen.wrapped("a  ", to: nil) == ["a  "])
  }

  @Test func `the caller's lead takes room on the first line only`() {
    #expect(
      Screen.wrapped("one two three four five six", after: 10, margin: 2, to: 26)
        == ["one two three", "  four five six"])
  }

  @Test func `phrases are kept together`() {
    #expect(
      Screen.wrapped(
        phrases: ["# in front", "= inactive", "- suspended"], after: 7, margin: 7, to: 30)
        == ["# in front  = inactive", "       - suspended"])
  }

  @Test func `a word that is too long is split after a punctuation mark, or else anywhere`() {
    #expect(
      Screen.wrapped("at Policies/Scenarios/upload.yaml:12", margin: 2, to: 20)
        == ["at", "  Policies/", "  Scenarios/upload.", "  yaml:12"])
    #expect(
      Screen.wrapped(String(repeating: "x", count: 45), margin: 4, to: 20)
        == [
          String(repeating: "x", count: 20), "    " + String(repeating: "x", count: 16),
          "    " + String(repeating: "x", count: 9),
        ])
  }

  // MARK: Commands

  private static let scenario = """
    curfew: scenario/1
    name: An upload
    policy: ios13
    apps: {com.example.mail: {}}
    timeline:
      - {at: 0s, do: launch, app: com.example.mail}
      - {at: 9s, do: beginTask, app: com.example.mail, task: upload}
      - {at: 10s, do: home}
    """

  @Test(arguments: [40, 80, 200])
  func `explain keeps its columns at every width`(_ columns: Int) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.scenario.utf8), to: "upload.yaml")
    let run = try CurfewProcess.run(
      "explain", "upload.yaml", "--at", "12s", in: folder,
      environment: ["COLUMNS": "\(columns)"])
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.count <= columns }, "\(run.output)")
    // Times are in a column after two spaces, and two spaces follow them.
    let steps = lines.filter { $0.firstMatch(of: /^  +[0-9]+s  [a-z]/) != nil }
    #expect(steps.count >= 4, "\(run.output)")
    let columnsOfWords = steps.compactMap { step in
      step.firstRange(of: "s  ").map { step.distance(from: step.startIndex, to: $0.upperBound) }
    }
    #expect(Set(columnsOfWords) == [7], "\(run.output)")
    // A wide screen shows the same words.
    let wide = try CurfewProcess.run("explain", "upload.yaml", "--at", "12s", in: folder)
    #expect(
      run.output.filter { !$0.isWhitespace } == wide.output.filter { !$0.isWhitespace })
  }

  @Test(arguments: [40, 80, 200])
  func `explain with a kind, and the origins of a policy, are wrapped with their margins`(
    _ columns: Int
  ) throws {
    for arguments in [
      ["explain", "--kind", "fetch", "--set", "lowPowerMode=true"],
      ["policy", "show", "ios13", "--origins"],
    ] {
      let run = try CurfewProcess.run(arguments, environment: ["COLUMNS": "\(columns)"])
      let wide = try CurfewProcess.run(arguments)
      let lines = run.output.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= columns }, "\(run.output)")
      #expect(
        run.output.filter { !$0.isWhitespace } == wide.output.filter { !$0.isWhitespace })
      // Each line of the wide text begins a line here, with its own margin.
      let starts = Set(lines.map { String($0.prefix(16)) })
      for line in wide.output.split(separator: "\n") {
        let start = line.prefix(16)
        #expect(
          starts.contains { $0 == start || start.hasPrefix($0) }, "'\(start)' at \(columns)")
      }
    }
  }
}
