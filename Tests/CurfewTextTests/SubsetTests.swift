import CurfewSimulation
import CurfewTrace
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct SubsetTests {
  @Test func `a tab before a word or between words is an error`() {
    let rule = "a tab; indent and separate with spaces"
    #expect(scenarioErrors("a:\n\tb: 1\n") == ["mail.yaml:2:1: error: \(rule)"])
    #expect(
      scenarioErrors("a:\n  b:\t1\t2\nc: x\ty\n") == [
        "mail.yaml:2:5: error: \(rule)", "mail.yaml:3:5: error: \(rule)",
      ])
    #expect(scenarioErrors("a: |\n\tb\n") == ["mail.yaml:2:1: error: \(rule)"])
  }

  @Test func `anchors, aliases, merge keys and tags are errors`() {
    let text = "a: &x 1\nb: *x\nc:\n  <<: [1]\nd: !!int 3\ne: [&y 1, *y]\n"
    #expect(
      scenarioErrors(text) == [
        "mail.yaml:1:4: error: anchors ('&') are not allowed; write the value out, or quote it",
        "mail.yaml:2:4: error: aliases ('*') are not allowed; write the value out, or quote it",
        "mail.yaml:4:3: error: merge keys ('<<') are not allowed; write the keys out",
        "mail.yaml:5:4: error: tags ('!') are not allowed; the file's kind says what a value means",
        "mail.yaml:6:5: error: anchors ('&') are not allowed; write the value out, or quote it",
        "mail.yaml:6:11: error: aliases ('*') are not allowed; write the value out, or quote it",
      ])
  }

  @Test func `aliases that would grow without bound are refused before they grow`() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...40 {
      text +=
        "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
    }
    #expect(
      scenarioErrors(text).first
        == "mail.yaml:1:5: error: anchors ('&') are not allowed; write the value out, or quote it")
  }

  @Test func `complex keys, directives and second documents are errors`() {
    #expect(
      scenarioErrors("? a\n: b\n") == [
        "mail.yaml:1:1: error: complex keys ('? ') are not allowed; a key must be a word"
      ])
    #expect(
      scenarioErrors("%YAML 1.2\n---\na: 1\n").first
        == "mail.yaml:1:1: error: directives ('%') are not allowed; a file starts with 'curfew:'")
    #expect(
      scenarioErrors("---\na: b\n---\nb: 1\n") == [
        "mail.yaml:3:1: error: a second document ('---') is not allowed; one file is one document"
      ])
    #expect(
      scenarioErrors("a: b\n...\n") == [
        "mail.yaml:2:1: error: the end marker '...' is not allowed; a document ends with its file"
      ])
    #expect(scenarioErrors("[a, b]: c\n").first == "mail.yaml:1:1: error: a key must be a word")
  }

  @Test func `special characters inside quotes, comments, block text and words are text`() throws {
    let text = """
      ---
      # a comment: &x *y !z\t<<
      curfew: scenario/1
      name: "R&D *\tand* !more: # 'x'" # yes, &really
      policy: 'ios13'
      until: >-
        5m
      apps:
        it's:
          backgroundModes: [fetch,
            'audio', "voip"]
        a & b * c: {}
        "!": {}
      timeline:
      - {at: 0s, do: beginTask, app: it's, task: one
          & *two}
      - at: 1s
        do: beginTask
        app: "!"
        task: |
          & *three
          \t!
      - at: 2s
        do: beginTask
        app: "!"
        task: four
          "five
          &six
      """
    let scenario = try scenario(text)
    #expect(scenario.name == "R&D *\tand* !more: # 'x'")
    #expect(scenario.apps.map(\.identifier) == ["it's", "a & b * c", "!"])
    #expect(
      scenario.timeline.compactMap(\.step.deed.name) == [
        "one & *two", "& *three\n\t!\n", "four \"five &six",
      ])
  }

  @Test func `nesting deeper than 64 levels is an error, however deep`() {
    let texts = [
      String(repeating: "[", count: 100_000), String(repeating: "- ", count: 100_000),
      String(repeating: "{a: ", count: 100_000),
      "a: \(String(repeating: "[{b: ", count: 50_000))",
      (0..<2_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
      (0..<2_000).map { String(repeating: " ", count: $0) + "-\n" }.joined(),
    ]
    for text in texts {
      let found = scenarioErrors(text)
      #expect(found.count == 1, "\(text.prefix(20))")
      #expect(
        found.first?.hasSuffix(": error: nested deeper than 64 levels") == true,
        "\(text.prefix(20))")
    }
  }

  @Test func `an error for deep nesting is at the place where the limit is exceeded`() {
    #expect(
      scenarioErrors("a: " + String(repeating: "[", count: 70)) == [
        "mail.yaml:1:67: error: nested deeper than 64 levels"
      ])
  }

  @Test func `deep indentation alone is not nesting`() {
    #expect(
      scenarioErrors(String(repeating: " ", count: 100_000) + "a: b").first?.hasPrefix(
        "mail.yaml:1:100001: error: ") == true)
  }

  @Test func `every duplicate key is reported with both places`() {
    let text =
      "curfew: scenario/1\nname: x\nname: y\npolicy: ios13\napps:\n  a: {}\n  b: {}\n  'a': {}\ntimeline: []\n"
    #expect(
      scenarioErrors(text) == [
        "mail.yaml:3:1: error: duplicate key 'name'; line 2 already has it",
        "mail.yaml:8:3: error: duplicate key 'a'; line 6 already has it",
      ])
  }

  @Test func `a key is a duplicate only within its own mapping`() {
    let blocks = """
      curfew: x
      a: {a: 1, b: [a: 1, a: 2], c: {a: 1}}
      b:
      - a: 1
        b:
        - a: 1
      - a: 'a: 2'
      - - a: 1
        - a: 1
      c:
        a: |
          a: 1
        b: a
      """
    #expect(scenarioErrors(blocks).filter { $0.contains("duplicate") } == [])
    for (text, place) in [
      ("a: {b: {c: 1}, \"b\" : 2}", "1:16"), ("a : 1\n'a': 2", "2:1"),
      ("- a: 1\n  b:\n  - a: 1\n  a: 2", "4:3"),
      ("é: {a: 1}\nb: [{c: 1}, {\n  c: 1, c: 2}]", "3:9"),
      ("a:\n  b: |\n    b: 1\n\n  # b: 1\n  b: 2", "6:3"),
    ] {
      let found = scenarioErrors(text)
      #expect(found.count == 1)
      #expect(
        found.first?.hasPrefix("mail.yaml:\(place): error: duplicate key '") == true, "\(found)")
      #expect(found.first?.hasSuffix(" already has it") == true)
    }
  }

  @Test func `a key with an escape is compared by its value`() {
    #expect(scenarioErrors("\"a\\\\b\": 1\n'a\\\\b': 2").filter { $0.contains("duplicate") } == [])
    for (text, key) in [
      ("a: 1\n\"\\x61\": 1", "a"), ("'it''s': 1\n\"it's\": 1", "it's"),
      ("it's: 1\nit's: 1", "it's"), ("\"a\\\"b\": 1\n'a\"b': 1", "a\"b"),
      ("\"\\u00e9\\\\\": 1\né\\: 1", "é\\"), ("\"\\_\\U0001F600\": 1\n\u{A0}😀 : 1", "\u{A0}😀"),
    ] {
      #expect(
        scenarioErrors(text) == [
          "mail.yaml:2:1: error: duplicate key '\(key)'; line 1 already has it"
        ])
    }
    #expect(
      scenarioErrors("{\u{E9}: 1,\ne\u{301}: 2}") == [
        "mail.yaml:2:1: error: duplicate key 'e\u{301}'; line 1 has it in different code points"
      ])
  }

  @Test func `a key that is not a word is reported as such, even if it is a duplicate`() {
    #expect(
      scenarioErrors("{a: 1}: 1\n{a: 1}: 2").allSatisfy {
        $0.hasSuffix(": error: a key must be a word")
      })
  }

  @Test func `an error at the end of the file names a line that the file has`() {
    let found = scenarioErrors("a: 1\nb: [1,\n")
    #expect(
      found.count == 1 && found[0].hasPrefix("mail.yaml:2:") && !found[0].contains("line 3"),
      "\(found)")
  }

  @Test func `all duplicate keys are reported, however many there are`() {
    let text = (0..<40).map { "key\($0 / 2): 1\n" }.joined()
    #expect(
      scenarioErrors(text)
        == (0..<20).map {
          "mail.yaml:\(2 * $0 + 2):1: error: duplicate key 'key\($0)'; line \(2 * $0 + 1) already has it"
        })
  }

  @Test func `text that is not YAML gives an error with its place`() {
    #expect(
      scenarioErrors("a: [1, 2\nb: c\n") == [
        "mail.yaml:2:2: error: not valid YAML: while parsing a flow sequence (line 1), did not find expected ',' or ']'"
      ])
    #expect(
      scenarioErrors("a: b: c\n") == [
        "mail.yaml:1:5: error: not valid YAML: mapping values are not allowed in this context; quote text that contains ': '"
      ])
    // The parser's position is after the last line.
    for text in ["a: 1\nname\n", "a: 1\r\nname\r\n", "a: 1\nname"] {
      #expect(
        scenarioErrors(text) == [
          "mail.yaml:2:5: error: not valid YAML: while scanning a simple key (line 2), could not find expected ':'"
        ])
    }
  }

  @Test func `columns count characters, and lines count the line breaks of any system`() {
    #expect(
      scenarioErrors("a: \"é🙂\" # ü\r\nb: [é🙂, &x y]\r").map { String($0.prefix(13)) } == [
        "mail.yaml:2:9"
      ])
  }
}
