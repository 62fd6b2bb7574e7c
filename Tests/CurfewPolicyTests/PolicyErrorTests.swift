import CurfewPolicy
import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct PolicyErrorTests {
  static let likeBuiltIns: [(path: String, hint: String)] = [
    ("ios13.yaml", "; the built-in policy is called 'ios13'"),
    ("IOS7.yml", "; the built-in policy is called 'ios7'"),
    ("Policies/ios3.YAML", "; the built-in policy is called 'ios3'"),
    ("./ios4.yaml", "; the built-in policy is called 'ios4'"),
    ("ios17.yaml", "; the built-in policy that covers it is called 'ios13'"), ("ios.yaml", ""),
    ("ios1.yaml", ""), ("strict.yaml", ""),
  ]

  @Test(arguments: likeBuiltIns.indices)
  func `the error for a missing file names the built-in policy of the same name`(_ index: Int) {
    let (path, hint) = Self.likeBuiltIns[index]
    let shown = path.replacing("./", with: "")
    #expect(
      errors { () throws(FileErrors) in _ = try PolicyFile.load(path) } == [
        "\(shown): error: no such file\(hint)"
      ])
    #expect(
      scenarioErrors(timeline("{at: 0s, do: lock}").replacing("ios13", with: path)) == [
        "mail.yaml:3:9: error: the policy '\(shown)': no such file\(hint)"
      ])
    #expect(
      policyErrors("curfew: policy/1\nname: x\nextends: \(path)\n") == [
        "mine.yaml:3:10: error: the policy '\(shown)': no such file\(hint)"
      ]
    )
  }

  @Test func `an existing file that is named like a built-in policy is read`() throws {
    let files = [
      "ios13.yaml": "curfew: policy/1\nname: mine\nextends: ios13\n",
      "ios7.yml": "curfew: policy/1\n",
    ]
    try withFolder(files) { folder in
      let mine = try PolicyFile.load("\(folder)/ios13.yaml")
      #expect(mine.name == "mine")
      let found = errors(in: folder) { () throws(FileErrors) in
        _ = try PolicyFile.load("\(folder)/ios7.yml")
      }
      #expect(!found.isEmpty && !found.contains { $0.contains("built-in") }, "\(found)")
    }
  }

  static let child = "curfew: policy/1\nname: mine\nextends: ios13\n"

  @Test func `values that contradict each other are reported where this file writes one`() {
    #expect(
      policyErrors(
        Self.child + "tasks:\n  grantAfterWake: 1m\n  warning: 45s\n", file: "Policies/mine.yaml")
        == [
          "Policies/mine.yaml:6:12: error: 'warning' must be shorter than 'grant' (30s), found '45s'"
        ])
    #expect(
      policyErrors(Self.child + "tasks: {grant: {value: 5s}}\nlimits: {launch: 3s}\n") == [
        "mine.yaml:4:24: error: 'grant' must be longer than 'warning' (5s), found '5s'",
        "mine.yaml:5:18: error: 'launch' must not be shorter than 'launchWarning' (5s), found '3s'",
      ])
    #expect(
      policyErrors(Self.child + "wakes: {fetch: {length: 0s}}\n") == [
        "mine.yaml:4:25: error: 'length' must be longer than 0s"
      ])
    #expect(policyErrors(Self.child + "limits: {launch: 5s}\n") == [])
  }

  @Test func `everything that is wrong is reported at once`() {
    let text = """
      tasks:
        grant: 30
        warning: 45s
        limit: 0
        code: 8badf00d
        limitCode: nne
        ageWarning: nevr
        strict: yes
        grnt: 3s
      foreground: many
      wakes: {fetsch: {}, fetch: {mode: fetc, overrun: kil}}
      sessions: {audio: {confidence: sure}}
      """
    #expect(
      policyErrors(Self.child + text) == [
        "mine.yaml:5:10: error: '30' has no unit; durations are whole numbers with a unit: 30s, 250ms",
        "mine.yaml:6:12: error: 'warning' must be shorter than 'grant' (30s), found '45s'",
        "mine.yaml:6:12: error: 'warning' must be shorter than 'grantAfterWake' (30s), found '45s'",
        "mine.yaml:7:10: error: '0' is out of range; a whole number from 1 to 65000 is needed",
        "mine.yaml:8:9: error: '8badf00d' is not a code; codes are hexadecimal, 32 bits at most: 0x8badf00d; or 'none'",
        "mine.yaml:9:14: error: expected a code such as 0x8badf00d or 'none', found 'nne'; did you mean 'none'?",
        "mine.yaml:10:15: error: expected a duration such as 30s or 'never', found 'nevr'; did you mean 'never'?",
        "mine.yaml:11:11: error: 'yes' is not a boolean; write true or false",
        "mine.yaml:12:3: error: unknown key 'grnt'; did you mean 'grant'?",
        "mine.yaml:13:13: error: 'many' is not a whole number; a whole number from 1 to 4294967295 is needed; or 'unlimited'",
        "mine.yaml:14:9: error: unknown wake 'fetsch'; did you mean 'fetch'? A row of the policy's own needs 'length' and 'overrun'",
        "mine.yaml:14:35: error: unknown mode 'fetc'; did you mean 'fetch'?",
        "mine.yaml:14:50: error: unknown overrun 'kil'; did you mean 'kill'?",
        "mine.yaml:15:32: error: unknown confidence 'sure'; allowed here: documented, observed, assumed",
      ])
  }

  @Test func `a word is named with the right article`() {
    let text = "extends: ios13\nwakes: {fetch: {completedTwice: [end]}}\nlowBattery: [1]\n"
    #expect(
      policyErrors("curfew: policy/1\nname: mine\n\(text)").first
        == "mine.yaml:4:33: error: expected an effect, found a list")
    #expect(
      policyErrors(
        "curfew: policy/1\nname: mine\nextends: ios13\nwakes: {fetch: {completedTwice: kill}}\n")
        == ["mine.yaml:4:33: error: unknown effect 'kill'; allowed here: remark, end"])
  }

  @Test func `a missing parent is reported where it is named`() {
    #expect(
      policyErrors("curfew: policy/1\nname: x\nextends: none/strict.yaml\n") == [
        "mine.yaml:3:10: error: the policy 'none/strict.yaml': no such file"
      ])
    #expect(
      policyErrors("curfew: policy/1\nname: x\nextends: ios31\n") == [
        "mine.yaml:3:10: error: unknown built-in policy 'ios31'; did you mean 'ios13'? built in: ios3, ios4, ios7, ios13, android14, car, server; a path has a '/' or ends in .yaml"
      ])
    #expect(
      errors { () throws(FileErrors) in _ = try PolicyFile.load("symbian") } == [
        "symbian: error: unknown built-in policy 'symbian'; built in: ios3, ios4, ios7, ios13, android14, car, server; a path has a '/' or ends in .yaml"
      ])
  }

  @Test func `a policy that extends itself is an error that shows the chain`() throws {
    let files = [
      "self.yaml": "curfew: policy/1\nname: a\nextends: ./self.yaml\n",
      "a.yaml": "curfew: policy/1\nname: a\nextends: b.yaml\n",
      "b.yaml": "curfew: policy/1\nname: b\nextends: sub/../c.yaml\n",
      "c.yaml": "curfew: policy/1\nname: c\nextends: b.yaml\n",
      "sub/x": "",
    ]
    try withFolder(files) { folder in
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try PolicyFile.load(folder + "/self.yaml")
        } == [
          "self.yaml:3:10: error: a policy cannot extend itself: self.yaml → self.yaml"
        ])
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try PolicyFile.load(folder + "/a.yaml") }
          == [
            "sub/../c.yaml:3:10: error: a policy cannot extend itself: a.yaml → b.yaml → sub/../c.yaml → sub/../b.yaml"
          ])
    }
  }

  @Test func `a chain of 16 policies is read and one of 17 is not`() throws {
    var files: [String: String] = [:]
    for number in 0..<20 {
      let parent = number == 0 ? "ios13" : "p\(number - 1).yaml"
      files["p\(number).yaml"] = "curfew: policy/1\nname: p\nextends: \(parent)\n"
    }
    try withFolder(files) { folder in
      // One of the sixteen is ios13, with the policies that it extends.
      _ = try PolicyFile.load(folder + "/p14.yaml")
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try PolicyFile.load(folder + "/p15.yaml")
        } == [
          "p0.yaml:3:10: error: a chain of more than 16 policies"
        ])
    }
  }

  @Test func `a file of another kind is one error`() {
    #expect(
      policyErrors("curfew: scenario/1\nname: x\napps: {}\n") == [
        "mine.yaml:1:9: error: expected 'policy/1', found 'scenario/1': another kind of file, or another version"
      ])
  }

  @Test func `a parent's errors come first and with its own name`() throws {
    try withFolder([
      "p.yaml": "curfew: policy/1\nname: p\nextends: ios13\ntasks: {grant: 3}\n",
      "c.yaml": "curfew: policy/1\nname: c\nextends: p.yaml\nfoo: 1\n",
    ]) { folder in
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try PolicyFile.load(folder + "/c.yaml") }
          == [
            "p.yaml:4:16: error: '3' has no unit; durations are whole numbers with a unit: 30s, 250ms",
            "c.yaml:4:1: error: unknown key 'foo'; allowed here: curfew, name, extends, about, multitasking, foreground, backgroundRefresh, "
              + "lowPowerMode, lowBattery, lowBatteryReset, suspendDelay, modes, facts, groups, limits, tasks, sessions, wakes, lockedFiles, memory, cpu, notifications, sources, "
              + "confidence, source",
          ])
    }
  }
}

extension PolicyErrorTests {
  @Test(arguments: [
    ("ios5", "ios4"), ("ios9", "ios7"), ("ios12", "ios7"), ("ios14", "ios13"), ("ios26", "ios13"),
  ])
  func `a system without its own profile is referred to the profile that covers it`(
    _ asked: String, _ meant: String
  ) {
    let found = errors { () throws(FileErrors) in _ = try PolicyFile.load(asked) }
    #expect(found.first?.contains("did you mean '\(meant)'?") == true, "\(found)")
  }
}
