import CurfewPolicy
import Foundation
import TestRuns
import Testing

/// `curfew policy`, and `--policy-set` in every command.
@Suite(.inTurn) struct PolicyCommandTests {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// A folder with `mine.yaml`, a child of ios13, and `bad.yaml`, which has two errors.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: policy/1\nname: mine\nextends: ios13\n# why\ntasks: {grant: 45s}\n", to: "mine.yaml")
    try folder.write(
      "curfew: policy/1\nname: bad\nextends: ios13\ntasks: {grant: 45, warningg: 5s}\n",
      to: "bad.yaml")
    return folder
  }

  // MARK: list, show

  @Test func `the built-in policies are listed with their descriptions and parents`() throws {
    let run = try CurfewProcess.run("policy", "list")
    let lines = run.output.split(separator: "\n")
    #expect(
      run.exitCode == 0 && lines.map { String($0.prefix { $0 != " " }) } == PolicyFile.builtInNames)
    #expect(
      lines[3].hasSuffix("and Low Power Mode. Extends ios7.")
        && lines[0].contains("Extends") == false)
    #expect(lines.last?.hasSuffix("and no memory is shared.") == true)
    let json = try object(try CurfewProcess.run("policy", "list", "--json").output)
    let policies = try #require(json["policies"] as? [[String: Any]])
    #expect(policies[3]["parents"] as? [String] == ["ios7", "ios4", "ios3"])
  }

  @Test(arguments: PolicyFile.builtInNames)
  func `a built-in policy is shown as a file that can be changed and loaded`(_ name: String)
    throws
  {
    let folder = try TemporaryFolder()
    let shown = try CurfewProcess.run("policy", "show", name, in: folder)
    try folder.write(shown.output, to: "own.yaml")
    let same = try CurfewProcess.run("policy", "diff", name, "own.yaml", in: folder)
    let digest = try PolicyFile.load(name).digest
    #expect(
      same.exitCode == 0 && same.output == "\(name) and \(name) decide alike (digest \(digest))\n",
      "\(same.output)\(same.messages)")
  }

  @Test func `the source of a policy is the file, byte for byte`() throws {
    let folder = try folder()
    #expect(
      try CurfewProcess.run("policy", "show", "mine.yaml", "--source", in: folder).output
        == folder.read("mine.yaml"))
    #expect(
      try CurfewProcess.run("policy", "show", "-", "--source", in: folder, input: "mine.yaml")
        .output == folder.read("mine.yaml"))
    let builtIn = try CurfewProcess.run("policy", "show", "ios13", "--source", in: folder).output
    #expect(
      builtIn.hasPrefix("# iOS 13 and later: thirty seconds") && builtIn.contains("\n  SUBMIT: "))
    let refused = try CurfewProcess.run(
      "policy", "show", "ios13", "--source", "--policy-set", "tasks.grant=1m", in: folder)
    #expect(refused.exitCode == 64 && refused.output.isEmpty)
  }

  @Test
  func
    `origins list each value's place, confidence and source, and mark values that no file sets`()
    throws
  {
    let folder = try folder()
    let run = try CurfewProcess.run(
      "policy", "show", "mine.yaml", "--origins", "--policy-set", "suspendDelay=1s", in: folder)
    let lines = run.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(lines.count == (try PolicyFile.load("ios13")).entries.count)
    let byPath = Dictionary(
      uniqueKeysWithValues: lines.map { (String($0[0]), $0.dropFirst().prefix(3).map(String.init)) }
    )
    #expect(byPath["tasks.grant"] == ["45s", "mine.yaml:5:16", "-"])
    #expect(byPath["tasks.warning"] == ["5s", "Policies/ios4.yaml:16:20", "observed"])
    #expect(byPath["suspendDelay"] == ["1s", "suspendDelay:1:1", "-"])
    #expect(byPath["tasks.whenLate"] == ["extend", "written", "nowhere"])
  }

  @Test func `an unknown policy name is an error that lists the built-in policies`() throws {
    for arguments in [
      ["show", "ios12"], ["show", "ios12", "--source"], ["check", "ios12"],
      ["diff", "ios12", "ios13"],
    ] {
      let run = try CurfewProcess.run(["policy"] + arguments)
      #expect(
        run.exitCode == 4
          && run.messages.contains("unknown built-in policy 'ios12'; did you mean 'ios7'?"),
        "\(arguments)")
    }
  }

  // MARK: check

  @Test func `a check reports all errors of all files, and summarizes the valid ones`()
    throws
  {
    let folder = try folder()
    let run = try CurfewProcess.run(
      "policy", "check", "mine.yaml", "bad.yaml", "none.yaml", "ios3", in: folder)
    let digest = try PolicyFile.load("ios3").digest
    #expect(run.exitCode == 4)
    #expect(
      run.output.contains(
        "mine.yaml: 'mine', extends ios13 → ios7 → ios4 → ios3, 1 value of its own, digest ")
        && run.output.hasSuffix("ios3: no parent, 30 values of its own, digest \(digest)\n"),
      "\(run.output)")
    #expect(
      run.messages == """
        bad.yaml:4:16: error: '45' has no unit; durations are whole numbers with a unit: 30s, 250ms
        bad.yaml:4:20: error: unknown key 'warningg'; did you mean 'warning'?
        none.yaml: error: no such file

        """)
    #expect(try CurfewProcess.run("policy", "check", "mine.yaml", in: folder).exitCode == 0)
  }

  @Test func `a parent's mistake is reported once`() throws {
    let folder = try folder()
    for name in ["a", "b"] {
      try folder.write("curfew: policy/1\nname: \(name)\nextends: bad.yaml\n", to: "\(name).yaml")
    }
    let run = try CurfewProcess.run("policy", "check", "a.yaml", "b.yaml", in: folder)
    #expect(run.messages.split(separator: "\n").count == 2, "\(run.messages)")
  }

  @Test func `an editor gets each error as an object with its range`() throws {
    let run = try CurfewProcess.run(
      "policy", "check", "--json", "bad.yaml", "ios3", in: try folder())
    #expect(run.exitCode == 4 && run.messages.isEmpty)
    let json = try object(run.output)
    let diagnostics = try #require(json["diagnostics"] as? [[String: Any]])
    let first = try #require(diagnostics.first)
    #expect(
      first["file"] as? String == "bad.yaml" && first["line"] as? Int == 4
        && first["severity"] as? String == "error")
    #expect(
      first["column"] as? Int == 16 && first["endColumn"] as? Int == 18 && diagnostics.count == 2)
    #expect((json["files"] as? [[String: Any]])?.map { $0["valid"] as? Bool } == [false, true])
  }

  @Test
  func
    `a check warns of rows whose default denies and of time that would crawl, until both are fixed`()
    throws
  {
    let folder = try TemporaryFolder()
    let rows =
      "sessions:\n  sync: {mode: none, warning: 10s, budgets: 6h in 1d}\nwakes:\n  fetch: {alignment: 100ns}\n"
    try folder.write("curfew: policy/1\nname: odd\nextends: ios13\n" + rows, to: "odd.yaml")
    let run = try CurfewProcess.run("policy", "check", "odd.yaml", "android14", in: folder)
    #expect(run.exitCode == 0 && run.output.split(separator: "\n").count == 2)
    let lines = run.messages.split(separator: "\n")
    #expect(
      lines.count == 2
        && lines[0].hasPrefix(
          "odd.yaml:5:45: warning: 'sync' is denied when no more run time is left than its 'warning' (10s)"
        ))
    #expect(
      lines.last
        == "odd.yaml:7:22: warning: time would crawl: 'fetch' may start every 100ns; make 'alignment' (100ns) 1ms or longer"
    )
    let json = try object(
      try CurfewProcess.run("policy", "check", "--json", "odd.yaml", in: folder).output)
    let severities = (json["diagnostics"] as? [[String: Any]])?.compactMap {
      $0["severity"] as? String
    }
    #expect(severities == ["warning", "warning"])
    let written = try CurfewProcess.run(
      "policy", "check", "odd.yaml", "--policy-set", "sessions.sync.leastRoom=warning",
      "--policy-set", "wakes.fetch.alignment=1ms",
      in: folder)
    #expect(written.exitCode == 0 && written.messages.isEmpty)
  }

  // MARK: --policy-set

  @Test
  func
    `a set value applies in every command that takes a policy, and a trace replays with it`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    let run = try CurfewProcess.run(
      "simulate", "upload.yaml", "--policy-set", "tasks.grant=45s", "--trace", "t.jsonl", in: folder
    )
    #expect(
      run.exitCode == 0 && run.output.contains("because tasks.grant is 45s (tasks.grant:1:1)"),
      "\(run.output)")
    let policy = try CurfewProcess.run(
      "simulate", "upload.yaml", "--policy", "ios7", "--policy-set", "tasks.grant=45s", in: folder)
    #expect(
      policy.output.contains("0x8badf00d") && policy.output.contains("because tasks.grant is 45s"))
    #expect(try CurfewProcess.run("replay", "t.jsonl", in: folder).exitCode == 0)
    let other = try CurfewProcess.run(
      "replay", "t.jsonl", "--policy-set", "tasks.grant=50s", in: folder)
    #expect(
      other.exitCode == 5 && other.messages.contains("the policy may be the cause of a difference"))
    let again = try CurfewProcess.run(
      "replay", "t.jsonl", "--policy", "ios13", "--policy-set", "tasks.grant=45s", in: folder)
    #expect(again.exitCode == 0 && again.messages.isEmpty, "\(again.messages)")
    let shown = try CurfewProcess.run(
      "policy", "show", "ios13", "--policy-set", "tasks.grant=45s", in: folder)
    #expect(shown.output.contains("\n  grant: 45s\n"))
    let load = try CurfewProcess.run("loadtest", "--policy-set", "tasks.warning=1h", in: folder)
    #expect(
      load.exitCode == 64
        && load.messages.hasPrefix(
          "--policy-set tasks.warning=1h: error: 'warning' must be shorter")
    )
  }

  @Test(arguments: [
    (
      ["tasks.grnt=45s"],
      ["--policy-set tasks.grnt=45s: error: unknown key 'grnt'; did you mean 'grant'?"]
    ),
    (
      ["tasks.grant=45", "lowBattery=200%"],
      [
        "--policy-set tasks.grant=45: error: '45' has no unit; durations are whole numbers with a unit: 30s, 250ms",
        "--policy-set lowBattery=200%: error: '200%' is out of range; percentages are whole numbers from 0% to 100%",
      ]
    ),
    (
      ["tasks.grant"],
      [
        "curfew: error: --policy-set 'tasks.grant': expected a path and a value, such as tasks.grant=45s"
      ]
    ),
  ]) func `all invalid settings are reported at once, each under its text`(
    _ settings: [String], _ messages: [String]
  ) throws {
    let options = settings.flatMap { ["--policy-set", $0] }
    for arguments in [
      ["simulate"], ["policy", "show", "ios13"], ["policy", "check", "ios13"],
      ["policy", "diff", "ios13"],
    ] {
      let run = try CurfewProcess.run(arguments + options)
      #expect(
        run.exitCode == 64 && run.output.isEmpty
          && run.messages == messages.map { $0 + "\n" }.joined(), "\(run.messages)")
    }
  }

  // MARK: diff

  @Test func `a change to a whole profile is one line in a file, and one sentence`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "curfew: policy/1\nname: ios12-short\nextends: ios7\ntasks: {grant: 30s}\n", to: "short.yaml")
    let run = try CurfewProcess.run("policy", "diff", "ios7", "short.yaml", in: folder)
    #expect(
      run.exitCode == 5
        && run.output
          == "A visit to the background is granted 30s instead of 3m (tasks.grant), 2m 30s less.\n"
    )
    let set = try CurfewProcess.run("policy", "diff", "ios7", "--policy-set", "tasks.grant=30s")
    #expect(set.exitCode == 5 && set.output == run.output)
    #expect(try CurfewProcess.run("policy", "diff", "ios7").exitCode == 64)
  }

  @Test func `a value without an effect is a difference, and changes no run`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    let arguments = [
      "policy", "diff", "ios13", "--policy-set", "wakes.fetch.unhandledWarning=end", "--json",
    ]
    let policies = try CurfewProcess.run(arguments, in: folder)
    #expect(policies.exitCode == 5, "\(policies.messages)")
    #expect(try object(policies.output)["same"] as? Bool == false)
    let runs = try CurfewProcess.run(arguments + ["--on", "upload.yaml"], in: folder)
    #expect(runs.exitCode == 0, "\(runs.messages)")
    #expect(try object(runs.output)["same"] as? Bool == false)
  }

  @Test
  func
    `each change of a scenario or its trace is reported with its rule, count and first instance`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    _ = try CurfewProcess.run("simulate", "upload.yaml", "--trace", "t.jsonl", in: folder)
    let arguments = [
      "policy", "diff", "ios13", "--policy-set", "tasks.grant=3m", "--on", "upload.yaml", "--on",
      "t.jsonl",
    ]
    let run = try CurfewProcess.run(arguments, in: folder)
    let change =
      "  finiteTask: 1 runs out (timeLimit) at another time; com.example.mail at 3m 5s instead of 35s.\n"
      + "  1 end as backgroundTaskAssertionTimeout comes at another time, by tasks.grant; com.example.mail at 3m 10s instead of 40s.\n"
    #expect(run.exitCode == 5, "\(run.messages)")
    #expect(
      run.output == """
        A visit to the background is granted 3m instead of 30s (tasks.grant), 2m 30s more.
        upload.yaml: 'An upload'
        \(change)t.jsonl: 'An upload'
        \(change)
        """, "\(run.output)")
    let json = try object(try CurfewProcess.run(arguments + ["--json"], in: folder).output)
    let runs = try #require(json["runs"] as? [[String: Any]])
    #expect(
      runs.map { $0["same"] as? Bool } == [false, false]
        && (runs[0]["changes"] as? [[String: Any]])?.last?["firstAfter"] as? String
          == "190000000000"
    )
  }

  @Test func `a kind that only one side knows is denied by the other, whichever comes first`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: policy/1
      name: mine
      extends: android14
      facts: {parked: {of: device}}
      wakes:
        beacon: {length: 5s, overrun: tell}
        backup: {start: request, pending: 1, requires: parked, length: 1m, overrun: drop}

      """, to: "mine.yaml")
    try folder.write(
      """
      curfew: scenario/1
      name: Day
      policy: mine.yaml
      device: {facts: [parked]}
      apps: {maps: {permittedIdentifiers: [save], on: {beacon: [{do: completeWake, kind: beacon}]}}}
      timeline:
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: submitTask, app: maps, identifier: save, kind: backup}
        - {at: 2s, do: home}
        - {at: 1m, do: deliver, app: maps, kind: beacon}
      until: 1h

      """, to: "day.yaml")
    #expect(
      try CurfewProcess.run("simulate", "day.yaml", "--trace", "day.jsonl", in: folder).exitCode
        == 0)
    for run in Campaign.some(1, of: ["day.yaml", "day.jsonl"]) {
      let forth = try CurfewProcess.run(
        "policy", "diff", "android14", "mine.yaml", "--on", run, in: folder)
      #expect(forth.exitCode == 5 && forth.messages.isEmpty, "\(forth.messages)")
      #expect(
        forth.output.contains("  beacon: 1 allowed, denied (kindNotInPolicy) before"),
        "\(forth.output)")
      #expect(
        forth.output.contains("  backup: 1 allowed that was not requested before"),
        "\(forth.output)")
      let back = try CurfewProcess.run(
        "policy", "diff", "mine.yaml", "android14", "--on", run, in: folder)
      #expect(back.exitCode == 5 && back.messages.isEmpty, "\(back.messages)")
      #expect(
        back.output.contains("  beacon: 1 denied (kindNotInPolicy), allowed before"),
        "\(back.output)")
      #expect(
        back.output.contains("  backup: 1 allowed before, and no longer requested"),
        "\(back.output)")
    }
    // A kind that neither side knows is an error of the scenario.
    let none = try CurfewProcess.run(
      "policy", "diff", "android14", "ios13", "--on", "day.yaml", in: folder)
    #expect(
      none.exitCode == 4 && none.messages.contains("unknown wake 'beacon'"), "\(none.messages)")
  }

  @Test func `a change that a run does not depend on is not reported`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    let run = try CurfewProcess.run(
      "policy", "diff", "ios13", "--policy-set", "lowBattery=30%", "--on", "-", in: folder,
      input: "upload.yaml")
    let same = "\n-: every decision, expiration and end is the same\n"
    #expect(run.exitCode == 0 && run.output.hasSuffix(same), "\(run.output)\(run.messages)")
    let bad = try CurfewProcess.run(
      "policy", "diff", "ios13", "ios7", "--on", "none.yaml", in: folder)
    #expect(
      bad.exitCode == 4 && bad.messages == "none.yaml: error: no such file\n" && bad.output.isEmpty)
  }
}
