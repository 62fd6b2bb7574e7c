import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Text from a file is shown on terminals and written to traces, so it must not control them.
@Suite(.inTurn) struct ControlCharacterTests {
  static let all =
    Array(0x00...0x1F) + Array(0x7F...0x9F) + [0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF]

  static func digits(_ value: Int, _ count: Int, uppercase: Bool = false) -> String {
    let digits = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  @Test(arguments: all) func `no escape can insert a control character`(_ value: Int) {
    var escapes = ["\\u\(Self.digits(value, 4))", "\\U\(Self.digits(value, 8, uppercase: true))"]
    if value < 0x100 { escapes.append("\\x\(Self.digits(value, 2))") }
    for escape in escapes {
      let text = timeline("{at: 0s, do: lock}").replacing("name: x", with: "name: \"é\(escape)b\"")
      #expect(
        scenarioErrors(text) == [
          "mail.yaml:2:9: error: text must not contain control characters: U+\(Self.digits(value, 4, uppercase: true))"
        ])
    }
  }

  @Test func `named escapes are refused too`() {
    let names = [
      ("0", "0000"), ("a", "0007"), ("b", "0008"), ("t", "0009"), ("\t", "0009"), ("n", "000A"),
      ("v", "000B"), ("f", "000C"),
      ("r", "000D"), ("e", "001B"), ("N", "0085"), ("L", "2028"), ("P", "2029"),
    ]
    for (name, code) in names {
      #expect(
        scenarioErrors("a: \"\\\(name)\"\n") == [
          "mail.yaml:1:5: error: text must not contain control characters: U+\(code)"
        ])
    }
  }

  @Test func `keys, labels, identifiers and sources have no control characters either`() {
    let rule = "error: text must not contain control characters: U+001B"
    #expect(scenarioErrors("\"na\\eme\": x\n") == ["mail.yaml:1:4: \(rule)"])
    #expect(
      scenarioErrors("apps: {\"ma\\eil\": {}, \"ma\\u001bps\":{}}\n") == [
        "mail.yaml:1:11: \(rule)", "mail.yaml:1:25: \(rule)",
      ])
    #expect(scenarioErrors("timeline:\n- {task: \"\n  a\\x1B\"}\n") == ["mail.yaml:3:4: \(rule)"])
    #expect(policyErrors("about: \"\\e[2J\"\nsources:\n  \"\\e\": \"\\e\"\n").count == 3)
    #expect(
      policyErrors("tasks: {grant: {value: 3s, source: \"\\e\"}}\n") == ["mine.yaml:1:37: \(rule)"])
  }

  @Test func `other escapes are text, and so are backslashes that begin no escape`() throws {
    let name = #"A \"B\" \\e \/ \x41\u00e9\U0001F600\_ \#u{5C}"# + "\n  C"
    let text = timeline("{at: 0s, do: beginTask, app: com.example.mail, task: '\\e'}").replacing(
      "name: x", with: "name: \"\(name)\"")
    let scenario = try scenario(text)
    #expect(scenario.name == "A \"B\" \\e / Aé😀\u{A0} C")
    #expect(scenario.timeline.compactMap(\.step.deed.name) == ["\\e"])
  }

  @Test func `a diagnostic prints no raw control character`() {
    let diagnostic = FileDiagnostic(
      at: SourcePlace(file: "a\u{9B}b", line: 1, column: 2), "found '\u{1B}[2J\n\u{2028}é\u{7F}'")
    #expect(
      diagnostic.description == #"a\u{9b}b:1:2: error: found '\u{1b}[2J\u{a}\u{2028}é\u{7f}'"#)
    #expect(FileDiagnostic(.warning, file: "a\rb", "x").description == #"a\u{d}b: warning: x"#)
  }

  @Test func `a line of JSON escapes every control character`() throws {
    for value in Self.all {
      let text = try "a\(Unicode.Scalar(#require(UInt32(exactly: value))).map(String.init) ?? "")b"
      var line = JSONLine()
      line.add(text, text)
      let short = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"][value] ?? "\\u\(Self.digits(value, 4))"
      #expect(line.closed == "{\"a\(short)b\":\"a\(short)b\"}")
      #expect(
        try JSONDecoder().decode([String: String].self, from: Data(line.closed.utf8)) == [
          text: text
        ])
    }
  }
}
