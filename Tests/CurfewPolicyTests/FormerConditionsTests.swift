import CurfewEngine
import CurfewPolicy
import TestRuns
import TestSupport
import Testing

/// Keys that `requires` and `blockedBy` have replaced are refused, each with its new line.
@Suite(.inTurn) struct FormerConditionsTests {
  private static let new = "length: 1s, overrun: drop"
  private static let parent = """
    curfew: policy/1
    name: parent
    extends: ios4
    facts: {parked: {of: device}}
    wakes:
      ping: {length: 1s, overrun: drop, requires: charging, blockedBy: [lowPowerMode, parked]}

    """

  /// The advice for each row, in a policy without a parent that has the row.
  static let rows: [(row: String, lines: [String])] = [
    ("needsBackgroundRefresh: true", ["'requires: backgroundRefresh'"]),
    ("blockedByLowPowerMode: true", ["'blockedBy: lowPowerMode'"]),
    ("blockedByLowBattery: true", ["'blockedBy: lowBattery'"]),
    (
      "blockedByLowPowerMode: true, blockedByLowBattery: true",
      ["'blockedBy: [lowPowerMode, lowBattery]'", "'blockedBy: [lowPowerMode, lowBattery]'"]
    ),
    (
      "blockedByLowPowerMode: true, blockedBy: wifi",
      ["'blockedBy: [wifi, lowPowerMode]' in place of the row's own list"]
    ),
    (
      "blockedByLowPowerMode: false, blockedBy: [lowPowerMode, wifi]",
      ["'blockedBy: wifi' in place of the row's own list"]
    ),
    (
      "blockedByLowPowerMode: {value: true, confidence: observed}",
      ["'blockedBy: {value: lowPowerMode, confidence: observed}'"]
    ),
    (
      "blockedByLowPowerMode: {value: true, confidence: assumed, source: A}, blockedBy: {value: wifi, confidence: documented, source: B}",
      [
        "'blockedBy: {value: [wifi, lowPowerMode], confidence: assumed, source: \"B and A\"}' in place of the row's own list"
      ]
    ),
  ]

  @Test(arguments: rows.indices)
  func `a row that still has a key is an error with the line to write`(
    _ index: Int
  ) throws {
    let (row, lines) = Self.rows[index]
    let text = "curfew: policy/1\nname: x\nextends: ios4\nwakes: {ping: {\(Self.new), \(row)}}\n"
    let found = policyErrors(text)
    #expect(found.count == lines.count)
    for (error, line) in zip(found, lines) {
      #expect(error.hasPrefix("mine.yaml:4:") && error.hasSuffix("; write \(line)"), "\(error)")
    }
    // The printed line can be written into the file.
    let written = try #require(lines.first?.split(separator: "'").first)
    _ = try policy(
      "curfew: policy/1\nname: x\nextends: ios4\nwakes: {ping: {\(Self.new), \(written)}}\n")
  }

  @Test func `an error stands at its key and names the fact`() {
    let text =
      "curfew: policy/1\nname: x\nextends: ios4\nwakes:\n  region: {blockedByLowBattery: true}\n"
    #expect(
      policyErrors(text) == [
        "mine.yaml:5:12: error: 'blockedByLowBattery' became the fact 'lowBattery' of 'blockedBy'; write 'blockedBy: lowBattery'"
      ])
  }

  @Test func `false needs no line where no list has the fact`() {
    let text =
      "curfew: policy/1\nname: x\nextends: ios4\nwakes: {region: {needsBackgroundRefresh: false, blockedByLowPowerMode: false}}\n"
    let found = policyErrors(text)
    #expect(
      found.count == 2
        && found.allSatisfy {
          $0.hasSuffix("; delete it: a row that does not name the fact ignores it")
        }, "\(found)")
  }

  @Test func `a fact that a list has already needs no line`() {
    let text =
      "curfew: policy/1\nname: x\nextends: ios4\nwakes: {region: {blockedBy: lowBattery, blockedByLowBattery: true}}\n"
    #expect(
      policyErrors(text).map { $0.hasSuffix("; delete it: 'blockedBy' has the fact already") } == [
        true
      ])
  }

  @Test(arguments: ["yes", "True", "on", "1", "~", "none", "[true]", "{value: yes}"])
  func `a value that the key never had does not count as 'false'`(
    _ value: String
  ) {
    let text =
      "curfew: policy/1\nname: x\nextends: ios13\nwakes: {region: {needsBackgroundRefresh: \(value)}}\n"
    let found = policyErrors(text)
    #expect(
      found.count == 1 && found[0].contains("'requires'; expected true or false, found"), "\(found)"
    )
  }

  @Test func `a line to write has each fact once, and no 'none' in a list`() {
    func told(_ list: String) -> String? {
      let text =
        "curfew: policy/1\nname: x\nextends: ios13\nwakes: {region: {blockedByLowBattery: true, blockedBy: \(list)}}\n"
      return policyErrors(text).first { $0.contains("became") }?.split(separator: "; ").last.map(
        String.init)
    }
    #expect(told("[none]") == "write 'blockedBy: lowBattery' in place of the row's own list")
    #expect(
      told("[wifi, wifi]") == "write 'blockedBy: [wifi, lowBattery]' in place of the row's own list"
    )
  }

  @Test(arguments: [
    "wakes: {blockedByLowBattery: true}", "blockedByLowBattery: true",
    "wakes: {blockedByLowBattery: {value: false}}",
  ])
  func `a key outside a row is an error that names the place of its list`(_ line: String) {
    let found = policyErrors("curfew: policy/1\nname: x\nextends: ios13\n\(line)\n")
    #expect(
      found.map {
        $0.hasSuffix("became the fact 'lowBattery' of 'blockedBy', a list in a wake's row")
      } == [true], "\(found)")
  }

  @Test func `a list that names a key is an error that names the fact`() {
    let found = policyErrors(
      "curfew: policy/1\nname: x\nextends: ios13\nwakes: {region: {blockedBy: blockedByLowBattery}}\n"
    )
    #expect(
      found.map { $0.hasSuffix("unknown fact 'blockedByLowBattery'; did you mean 'lowBattery'?") }
        == [true], "\(found)")
  }

  @Test func `a child's error has the parent's list, with or without the fact`() throws {
    try withFolder(["parent.yaml": Self.parent]) { folder in
      func told(_ row: String) -> String? {
        let text =
          "curfew: policy/1\nname: x\nextends: \(folder)/parent.yaml\nwakes: {ping: {\(row)}}\n"
        return policyErrors(text).first?.split(separator: "; ").last.map(String.init)
      }
      #expect(
        told("blockedByLowBattery: true") == "write 'blockedBy: [lowPowerMode, parked, lowBattery]'"
      )
      #expect(told("blockedByLowPowerMode: false") == "write 'blockedBy: parked'")
      #expect(told("blockedByLowPowerMode: true") == "delete it: 'blockedBy' has the fact already")
      #expect(
        told("needsBackgroundRefresh: true") == "write 'requires: [charging, backgroundRefresh]'")
      #expect(
        told("needsBackgroundRefresh: false")
          == "delete it: a row that does not name the fact ignores it")
      #expect(
        told("blockedBy: none, blockedByLowPowerMode: false")
          == "delete it: a row that does not name the fact ignores it")
    }
    // If a child removes all that a built-in row has, the list is empty.
    let text =
      "curfew: policy/1\nname: x\nextends: ios13\nwakes: {fetch: {blockedByLowPowerMode: false}}\n"
    #expect(policyErrors(text).first?.hasSuffix("; write 'blockedBy: none'") == true)
  }

  @Test func `a parent that has a former key is refused before its child`() throws {
    try withFolder([
      "parent.yaml": Self.parent.replacing("requires: charging", with: "blockedByLowBattery: true")
    ]) { folder in
      let text =
        "curfew: policy/1\nname: x\nextends: \(folder)/parent.yaml\nwakes: {ping: {blockedByLowPowerMode: false}}\n"
      let found = policyErrors(text)
      #expect(
        found.count == 1 && found[0].contains("parent.yaml:6:")
          && found[0].contains("[lowPowerMode, parked, lowBattery]"), "\(found)")
    }
  }

  @Test func `a setting gives the same error`() throws {
    var file = try PolicyFile.load("ios13")
    #expect(
      errors { try file.set("wakes.appRefresh.blockedByLowBattery", "false") } == [
        "wakes.appRefresh.blockedByLowBattery:1:1: error: 'blockedByLowBattery' became the fact 'lowBattery' of 'blockedBy'; "
          + "write 'blockedBy: lowPowerMode'"
      ])
    #expect(
      file.policy.wakes[.appRefresh]?.conditions
        == FactConditions(requires: .backgroundRefresh, blockedBy: [.lowPowerMode, .lowBattery]))
  }

  @Test func `other rows never had the keys`() {
    let text =
      "curfew: policy/1\nname: x\nextends: ios4\nsessions: {audio: {blockedByLowPowerMode: true}}\n"
    #expect(policyErrors(text).map { $0.contains("unknown key 'blockedByLowPowerMode'") } == [true])
  }

  // MARK: Lists

  @Test
  func `a child's list replaces its parent's, and facts that it omits no longer deny`()
    throws
  {
    let child = try policy(
      "curfew: policy/1\nname: x\nextends: ios13\nwakes: {appRefresh: {blockedBy: lowBattery}, processing: {requires: none}}\n"
    )
    #expect(
      child.policy.wakes[.appRefresh]?.conditions
        == FactConditions(requires: .backgroundRefresh, blockedBy: .lowBattery))
    #expect(
      child.policy.wakes[.processing]?.conditions
        == FactConditions(blockedBy: [.lowPowerMode, .lowBattery]))
    var question = AdmissionQuestion(.appRefresh, under: child)
    question.device.lowPowerMode = true
    #expect(child.answer(to: question).isAllowed)
    var other = AdmissionQuestion(.processing, under: child)
    other.device.lowPowerMode = true
    #expect(child.answer(to: other).denials == [.lowPowerMode])
  }

  @Test func `a source may name several keys, and other text may contain 'and'`() throws {
    let text = """
      curfew: policy/1
      name: x
      extends: ios13
      sources: {A: First, B: Second}
      wakes:
        region: {blockedBy: {value: lowBattery, source: A and B}, linger: {value: 1s, source: B and others}}

      """
    let file = try policy(text)
    #expect(file.entry("wakes.region.blockedBy")?.source == "First; Second")
    #expect(file.entry("wakes.region.linger")?.source == "B and others")
  }
}
