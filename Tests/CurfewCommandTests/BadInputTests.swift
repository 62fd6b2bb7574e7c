import Foundation
import TestRuns
import Testing

/// Every invalid file gives an error with a place and exit code 4, and never a crash or a hang.
@Suite(.inTurn) struct BadInputTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// nil if the file does not exist.
    var bytes: [UInt8]?
    var message: String

    init(_ description: String, _ text: String, _ message: String) {
      self.init(description, bytes: Array(text.utf8), message)
    }

    init(_ description: String, bytes: [UInt8]?, _ message: String) {
      (testDescription, self.bytes, self.message) = (description, bytes, message)
    }
  }

  private static func scenario(app: String = "", timeline: String = "") -> String {
    "curfew: scenario/1\nname: A test\npolicy: ios13\napps:\n  com.example.mail: {\(app)}\ntimeline:\n\(timeline)"
  }

  static let cases: [Case] = [
    Case("a missing file", bytes: nil, "bad.yaml: error: no such file"),
    Case("an empty file", "", "bad.yaml:1:1: error: the file is empty"),
    Case(
      "binary junk", bytes: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) },
      "bad.yaml:1:2: error: not a text file"),
    Case(
      "UTF-16", bytes: [0xFF, 0xFE] + scenario().utf8.flatMap { [$0, 0] },
      "bad.yaml: error: the file is UTF-16, not UTF-8; 'iconv -f UTF-16 -t UTF-8 bad.yaml > bad.utf8.yaml' converts it"
    ),
    Case(
      "Windows-1252",
      bytes: Array("# 5 ".utf8) + [0x80] + Array("\n".utf8) + Array(scenario().utf8),
      "bad.yaml:1:5: error: not a text file: the byte 0x80 is not UTF-8; the file is Windows-1252, not UTF-8; 'iconv -f CP1252 -t UTF-8 bad.yaml > bad.utf8.yaml' converts it"
    ),
    Case(
      "more than 8 MiB", bytes: Array(repeating: UInt8(ascii: "#"), count: 8 << 20 + 1), "8 MiB"),
    Case(
      "deep nesting", "a: " + String(repeating: "[", count: 100_000),
      "bad.yaml:1:67: error: nested deeper than 64 levels"),
    Case(
      "an unknown key", scenario(app: "backgroundMode: [fetch]"),
      "bad.yaml:5:22: error: unknown key 'backgroundMode'"),
    Case(
      "a duration without a unit", scenario(timeline: "  - {at: 5, do: lock}\n"),
      "bad.yaml:7:10: error: '5' has no unit"),
    Case(
      "a wrong unit", scenario(timeline: "  - {at: 5sec, do: lock}\n"),
      "bad.yaml:7:10: error: unknown unit 'sec'"),
    Case(
      "a duplicate key", scenario(app: "exitsOnSuspend: true, exitsOnSuspend: true"),
      "bad.yaml:5:44: error: "),
    Case("a tab", "curfew: scenario/1\n\tname: x\n", "bad.yaml:2:1: error: "),
    Case(
      "time going backwards",
      scenario(timeline: "  - {at: 5s, do: lock}\n  - {at: 4s, do: unlock}\n"),
      "bad.yaml:8:10: error: "),
    Case(
      "a negative time", scenario(timeline: "  - {at: -5s, do: lock}\n"), "bad.yaml:7:10: error: "),
    Case(
      "a huge time", scenario(timeline: "  - {at: 99999999999999d, do: lock}\n"),
      "bad.yaml:7:10: error: "),
    Case(
      "an unknown app", scenario(timeline: "  - {at: 5s, do: launch, app: com.example.mial}\n"),
      "did you mean 'com.example.mail'"),
    Case(
      "an unknown verb", scenario(timeline: "  - {at: 5s, do: lanch, app: com.example.mail}\n"),
      "did you mean 'launch'"),
    Case(
      "ending a task that the file never begins",
      scenario(timeline: "  - {at: 5s, do: endTask, app: com.example.mail, task: up}\n"),
      "begins no task 'up'"),
    Case(
      "a policy that is not there",
      "curfew: scenario/1\nname: x\npolicy: nope.yaml\napps: {a: {}}\n", "bad.yaml:3:9: error: "),
    Case("another kind of file", "curfew: policy/1\nname: x\n", "bad.yaml:1:9: error: "),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: cases)
  func `a bad scenario is an error with its place`(_ example: Case) throws {
    let folder = try TemporaryFolder()
    if let bytes = example.bytes { try folder.write(bytes, to: "bad.yaml") }
    let run = try CurfewProcess.run("simulate", "bad.yaml", in: folder)
    #expect(run.exitCode == 4)
    #expect(run.messages.contains(example.message), "found \(run.messages)")
    #expect(run.output.isEmpty)
  }

  @Test func `a scenario that is a directory is an error`() throws {
    let run = try CurfewProcess.run("simulate", "/")
    #expect(run.exitCode == 4)
    #expect(run.messages.contains("error: it is a directory"))
  }

  @Test func `a policy that extends itself is an error that shows the chain`() throws {
    let folder = try TemporaryFolder()
    try folder.write("curfew: policy/1\nname: snake\nextends: snake.yaml\n", to: "snake.yaml")
    let run = try CurfewProcess.run("simulate", "--policy", "snake.yaml", in: folder)
    #expect(run.exitCode == 4)
    #expect(run.messages.hasPrefix("snake.yaml:3:10: error: "), "found \(run.messages)")
  }

  @Test func `all errors are reported at once`() throws {
    let folder = try TemporaryFolder()
    let timeline = "  - {at: 5, do: lock}\n  - {at: 6s, do: lanch, app: com.example.mail}\n"
    try folder.write(BadInputTests.scenario(app: "color: red", timeline: timeline), to: "bad.yaml")
    let run = try CurfewProcess.run("simulate", "bad.yaml", in: folder)
    #expect(run.messages.split(separator: "\n").count == 3, "found \(run.messages)")
  }

  @Test func `a wrong option is a usage error`() throws {
    #expect(try CurfewProcess.run("simulate", "--polcy", "ios7").exitCode == 64)
    #expect(try CurfewProcess.run("simulate", "--names", "cocoa").exitCode == 64)
  }

  @Test func `a trace does not overwrite an input file`() throws {
    let folder = try TemporaryFolder()
    let text = BadInputTests.scenario(timeline: "  - {at: 5s, do: lock}\n")
    try folder.write(text, to: "good.yaml")
    let run = try CurfewProcess.run("simulate", "good.yaml", "--trace", "./good.yaml", in: folder)
    #expect(run.exitCode == 64)
    #expect(try folder.read("good.yaml") == text)
  }
}
