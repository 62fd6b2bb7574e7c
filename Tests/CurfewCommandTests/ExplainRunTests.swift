import TestRuns
import Testing

/// `curfew explain` for a scenario or a trace.
@Suite(.inTurn) struct ExplainRunTests {
  /// The pushes of a chat, three an hour, and a second app, so that a command must name one.
  private static let pushes = """
    curfew: scenario/1
    name: Pushes
    policy: ios13
    apps:
      com.example.chat: {backgroundModes: [remote-notification]}
      com.example.mail: {endsTasksOnExpiration: false, on: {didEnterBackground: [{do: beginTask, task: upload}]}}
    timeline:
      - {at: 10m, do: deliver, app: com.example.chat, kind: remoteNotification}
      - {at: 601s, do: completeWake, app: com.example.chat}
      - {at: 20m, do: deliver, app: com.example.chat, kind: remoteNotification}
      - {at: 1201s, do: completeWake, app: com.example.chat}
      - {at: 30m, do: deliver, app: com.example.chat, kind: remoteNotification}
      - {at: 1801s, do: completeWake, app: com.example.chat}
      - {at: 40m, do: deliver, app: com.example.chat, kind: remoteNotification}
      - {at: 50m, do: launch, app: com.example.mail}
      - {at: 3010s, do: home}                # 50m 10s
      - {at: 60m, do: probe, app: com.example.chat}

    """

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(pushes, to: "pushes.yaml")
    let run = try CurfewProcess.run(
      "simulate", "pushes.yaml", "--trace", "pushes.jsonl", in: folder)
    try #require(run.exitCode == 0, "\(run.messages)")
    return folder
  }

  @Test(arguments: ["pushes.yaml", "pushes.jsonl"])
  func
    `a scenario and its trace tell the same: what led there, with rules and places, what is held and what comes`(
      _ file: String
    ) throws
  {
    let folder = try Self.folder()
    let end = try CurfewProcess.run("explain", file, "--app", "mail", in: folder)
    #expect(end.exitCode == 0 && end.messages.isEmpty, "\(end.messages)")
    #expect(
      end.output == """
        com.example.mail at 50m 40s: not running since 50m 40s
          50m 10s  the user pressed Home
          50m 10s  it entered the background, with a grant of 30s for its tasks (F2; tasks.grant is 30s, Policies/ios13.yaml:12:18)
          50m 10s  it began task 1 'upload' (F1)
          50m 35s  its grant had 5s left: the handler of 'upload' was due (F5; tasks.warning is 5s, Policies/ios4.yaml:16:20)
          50m 40s  the grant ended with 'upload' open: terminated, backgroundTaskAssertionTimeout (0x2182bad2) (F6; tasks.grant is 30s, Policies/ios13.yaml:12:18)

        """, "\(end.output)")
    let before = try CurfewProcess.run(
      "explain", file, "--app", "mail", "--at", "50m 12.5s", in: folder)
    #expect(
      before.output.hasPrefix("com.example.mail at 50m 12.5s: in the background since 50m 10s\n"),
      "\(before.output)")
    #expect(
      before.output.hasSuffix(
        """
        It holds task 1 'upload', since 50m 10s.
        If nobody does anything more:
          50m 35s  its grant will have 5s left: the handler of 'upload' will be due (F5; tasks.warning is 5s, Policies/ios4.yaml:16:20)
          50m 40s  the grant will end with 'upload' open: it will be terminated, backgroundTaskAssertionTimeout (0x2182bad2) (F6; tasks.grant is 30s, Policies/ios13.yaml:12:18)

        """), "\(before.output)")
  }

  /// A folder with `journal.jsonl`, the run of the pushes in two parts. The second begins at 45m.
  private static func folder(withJournalFrom first: Int, and second: Int) throws -> TemporaryFolder
  {
    let folder = try folder()
    var lines = try folder.read("pushes.jsonl").split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix(#"{"t":3000000000000,"#) })
    func resumed(_ time: Int, _ wall: Int) -> String {
      #"{"t":\#(time),"type":"resumed","boot":"b\#(time)","uptime":0,"wall":\#(wall)}"#
    }
    lines.insert(resumed(2_700_000_000_000, second), at: place)
    lines.insert(resumed(0, first), at: 1)
    try folder.write(lines.joined(separator: "\n") + "\n", to: "journal.jsonl")
    return folder
  }

  @Test func `a trace with the wall clock is asked about a date`() throws {
    // The machine was off for a day, and its clock was set back by 1m.
    let folder = try Self.folder(
      withJournalFrom: 1_795_489_200_000_000_000, and: 1_795_578_240_000_000_000)
    func explain(_ time: String, _ words: String...) throws -> CurfewProcess {
      try CurfewProcess.run(["explain", "journal.jsonl", "--at", time] + words, in: folder)
    }
    let mail = try explain("2026-11-25T04:49:12+01:00", "--app", "mail")
    #expect(
      mail.output.hasPrefix(
        """
        com.example.mail at 50m 12s (2026-11-25T03:49:12Z): in the background since 50m 10s (2026-11-25T03:49:10Z)
          50m 10s (2026-11-25T03:49:10Z)  the user pressed Home

        """), "\(mail.output)\(mail.messages)")
    let kind = ["--app", "chat", "--kind", "remoteNotification"]
    let denied = try CurfewProcess.run(
      ["explain", "journal.jsonl", "--at", "2026-11-24T03:40:00Z"] + kind, in: folder)
    #expect(
      denied.exitCode == 3
        && denied.output.contains("at 40m (2026-11-24T03:40:00Z) is denied")
        && denied.output.contains("from 1h 10m (2026-11-25T04:09:00Z) on"),
      "\(denied.output)\(denied.messages)")
    // Between the runs.
    #expect(try explain("2026-11-24T12:00:00Z", "--app", "mail").output.contains(" at 45m ("))
    let early = try explain("2026-11-24T02:00:00Z", "--app", "mail")
    #expect(
      early.exitCode == 64 && early.messages.contains("the run begins at 2026-11-24T03:00:00Z"))
    let late = try explain("2026-11-26T00:00:00Z", "--app", "mail")
    #expect(late.messages.contains("the run ends at 1h (2026-11-25T03:59:00Z)"), "\(late.messages)")
    let unknown = try CurfewProcess.run(
      "explain", "pushes.jsonl", "--app", "mail", "--at", "2026-11-24T03:00:00Z", in: folder)
    #expect(unknown.exitCode == 64 && unknown.messages.contains("no line 'resumed'"))
    for date in [
      "2026-11-24T03:00:00Zx", "2026-11-24T03:00:00Z+05", "2026-02-30T03:00:00Z", "2026-11-24",
      "2026-11-24T03:00:00", "1969-12-31T23:59:59Z", "2026-11-24T25:00:00Z",
    ] {
      let refused = try explain(date, "--app", "mail")
      #expect(
        refused.exitCode == 64 && refused.messages.contains("'\(date)' is no date since 1970"),
        "\(date): \(refused.messages)")
    }
  }

  /// The second run begins almost 15 minutes of the wall clock before the first one ends.
  @Test func `a date in two runs is refused, and the second of a run's end is its end`() throws {
    let folder = try Self.folder(
      withJournalFrom: 1_795_489_200_300_000_000, and: 1_795_491_010_300_000_000)
    func explain(_ time: String) throws -> CurfewProcess {
      try CurfewProcess.run(
        ["explain", "journal.jsonl", "--app", "mail", "--at", time], in: folder)
    }
    #expect(try explain("2026-11-24T03:20:00Z").output.contains(" at 19m 59.7s ("))
    let both = try explain("2026-11-24T03:40:00Z")
    #expect(
      both.exitCode == 64
        && both.messages.contains("this date is at 39m 59.7s and at 54m 49.7s; give one of these"),
      "\(both.output)\(both.messages)")
    // The run ends at 1h, which is 03:45:10.3.
    #expect(try explain("2026-11-24T03:45:11Z").output.contains(" at 1h (2026-11-24T03:45:11Z)"))
    let late = try explain("2026-11-24T03:45:12Z")
    #expect(
      late.exitCode == 64 && late.messages.contains("the run ends at 1h ("), "\(late.messages)")
  }

  @Test(arguments: ["pushes.yaml", "pushes.jsonl"])
  func `a query about a kind uses the run's history, and says from when the kind is admitted`(
    _ file: String
  )
    throws
  {
    let folder = try Self.folder()
    let arguments = ["explain", file, "--app", "chat", "--kind", "remoteNotification", "--at"]
    let denied = try CurfewProcess.run(arguments + ["45m"], in: folder)
    #expect(denied.exitCode == 3)
    #expect(
      denied.output.hasPrefix(
        "ios13: remoteNotification for com.example.chat at 45m is denied: budget\n"),
      "\(denied.output)")
    #expect(
      denied.output.contains(
        "\nIt is allowed from 1h 10m on, if nobody does anything until then.\n"), "\(denied.output)"
    )
    #expect(
      denied.output.contains(
        "  ✗ budget: no room: budget because wakes.remoteNotification.admissions is 3 ("))
    let allowed = try CurfewProcess.run(arguments + ["25m"], in: folder)
    #expect(
      allowed.exitCode == 0 && allowed.output.contains("  ✓ budget: there is room ("),
      "\(allowed.output)")
    let otherwise = try CurfewProcess.run(
      arguments + ["25m", "--set", "app.backgroundRefresh=denied"], in: folder)
    #expect(
      otherwise.exitCode == 3
        && otherwise.output.contains("at 25m is denied: backgroundRefreshDenied"),
      "\(otherwise.output)")
    let senseless = try CurfewProcess.run(
      "explain", file, "--app", "chat", "--kind", "finiteTask", "--at", "25m", in: folder)
    #expect(
      senseless.exitCode == 64
        && senseless.messages.contains(
          "makes no sense for 'com.example.chat' at 25m: it is suspended")
    )
  }

  @Test func `W2 the end of an app that completes a push twice has iOS's exception in words`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: scenario/1
      name: Twice
      policy: ios13
      apps: {chat: {backgroundModes: [remote-notification], returns: {remoteNotification: 5s}}}
      timeline:
        - {at: 1s, do: deliver, app: chat, kind: remoteNotification}
        - {at: 2s, do: completeWake, app: chat, wake: 1}
        - {at: 3s, do: completeWake, app: chat, wake: 1}

      """, to: "twice.yaml")
    let run = try CurfewProcess.run("explain", "twice.yaml", "--at", "3s", in: folder)
    #expect(
      run.output.contains(
        "it completed a wake twice (NSInternalInconsistencyException: this request has been neutered - you can't call -sendResponse: twice nor after encoding it): terminated, abnormalExit (W2; wakes.remoteNotification.completedTwice is end, "
      ), "\(run.output)\(run.messages)")
  }

  @Test func `W7 a delivery's own length and warning are the reasons, in each output`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: scenario/1
      name: Short
      policy: ios13
      apps: {mail: {backgroundModes: [fetch], returns: {wakeExpirationHandler: 0s}}}
      timeline:
        - {at: 10s, do: deliver, app: mail, kind: fetch, length: 10s, warning: 3s}
        - {at: 60s, do: deliver, app: mail, kind: fetch, length: 1h}

      """, to: "short.yaml")
    let run = try CurfewProcess.run("simulate", "short.yaml", "--trace", "short.jsonl", in: folder)
    #expect(
      run.output.contains("because its delivery named a length of 10s (rule W7)"), "\(run.output)")
    // A length that is limited to the row's length is the row's.
    #expect(run.output.contains("because wakes.fetch.length is 30s ("), "\(run.output)")
    let facts = [
      "with 10s to run (W1; its delivery named a length of 10s, rule W7)",
      "its handler was due (W6; its delivery named a warning of 3s, rule W7)",
      "was not completed in time (W2; its delivery named a length of 10s, rule W7)",
      "(0x2182bad4) (W2; its delivery named a length of 10s, rule W7)",
    ]
    for file in ["short.yaml", "short.jsonl"] {
      let why = try CurfewProcess.run(
        "explain", file, "--app", "mail", "--at", "30s", in: folder)
      for fact in facts { #expect(why.output.contains(fact), "\(why.output)") }
      #expect(!why.output.contains("wakes.fetch"), "\(why.output)")
      let json = try CurfewProcess.run(
        "explain", file, "--app", "mail", "--at", "30s", "--json", in: folder)
      #expect(
        json.output.contains(#"{"owner":"host","key":"length","value":"10s","file":null}"#),
        "\(json.output)")
      let ahead = try CurfewProcess.run(
        "explain", file, "--app", "mail", "--at", "15s", in: folder)
      #expect(
        ahead.output.contains(
          "20s  wake 1, fetch, will not have been completed in time (W2; its delivery named a length of 10s, rule W7)"
        ), "\(ahead.output)")
    }
  }

  @Test func `an unknown name in a file is an error with its place`() throws {
    let folder = try Self.folder()
    for (arguments, message) in [
      (
        ["pushes.jsonl", "--app", "mial"],
        "pushes.jsonl:1:1: error: --app: there is no 'mial' in pushes.jsonl; did you mean 'mail'?"
      ),
      (
        ["pushes.yaml", "--app", "mial"],
        "pushes.yaml: error: --app: there is no 'mial' in pushes.yaml; did you mean 'mail'?"
      ),
      (
        ["pushes.yaml"],
        "pushes.yaml: error: --app is needed; the file has com.example.chat, com.example.mail"
      ),
      (
        ["pushes.yaml", "--app", "mail", "--at", "2h"],
        "pushes.yaml: error: --at 2h: the run ends at 1h, and nothing is known after that"
      ),
      (["pushes.yaml", "--app", "mail", "--at", "x"], "curfew: error: --at: "),
      (
        ["pushes.yaml", "--app", "mail", "--kind", "fetsh"],
        "curfew: error: --kind: unknown kind 'fetsh'; did you mean 'fetch'?"
      ),
      (
        ["pushes.yaml", "--app", "mail", "--set", "battery=3%"],
        "curfew: error: --set changes a fact for --kind"
      ),
      (
        ["--at", "3s", "--kind", "fetch"],
        "curfew: error: --at is a time of a scenario or a trace, and no file is named"
      ),
      (
        ["--policy", "ios7"],
        "curfew: error: a scenario or a trace is needed, or a kind to ask about: --kind fetch"
      ),
    ] {
      let run = try CurfewProcess.run(["explain"] + arguments, in: folder)
      #expect(
        run.exitCode == 64 && run.output.isEmpty && run.messages.contains(message),
        "\(arguments): \(run.messages)")
    }
    let lines = try folder.read("pushes.jsonl").split(separator: "\n")
    try folder.write(lines.dropLast().joined(separator: "\n") + "\n", to: "cut.jsonl")
    let cut = try CurfewProcess.run(
      "explain", "cut.jsonl", "--app", "mail", "--at", "2h", in: folder)
    #expect(
      cut.messages.hasPrefix(
        "cut.jsonl:\(lines.count - 1):1: error: --at 2h: the trace was cut at 1h"),
      "\(cut.messages)")
  }

  @Test
  func
    `under another policy a scenario goes otherwise, a trace does not, and its engine cannot be asked`()
    throws
  {
    let folder = try Self.folder()
    let scenario = try CurfewProcess.run(
      "explain", "pushes.yaml", "--app", "mail", "--policy-set", "tasks.grant=45s", in: folder)
    #expect(
      scenario.output.hasPrefix("com.example.mail at 50m 55s: not running")
        && scenario.output.contains("tasks.grant is 45s"))
    let trace = try CurfewProcess.run(
      "explain", "pushes.jsonl", "--app", "mail", "--policy-set", "tasks.grant=45s", in: folder)
    #expect(
      trace.exitCode == 0 && trace.output.hasPrefix("com.example.mail at 50m 40s: not running"),
      "\(trace.output)")
    #expect(trace.messages.contains("examined under 'ios13'"), "\(trace.messages)")
    let asked = try CurfewProcess.run(
      "explain", "pushes.jsonl", "--app", "mail", "--policy-set", "tasks.grant=45s", "--kind",
      "fetch", in: folder)
    #expect(
      asked.exitCode == 64
        && asked.messages.contains("the engine differs from the trace from here on"),
      "\(asked.messages)")
  }

  @Test
  func `output for programs follows its schema, for an app that ran, runs, or never did`()
    throws
  {
    let folder = try Self.folder()
    for arguments in [
      ["mail"], ["mail", "--at", "50m 20s"], ["chat"], ["chat", "--at", "45m"],
      ["mail", "--at", "1s"],
    ] {
      let run = try CurfewProcess.run(
        ["explain", "pushes.yaml", "--json", "--app"] + arguments, in: folder)
      #expect(
        try ResultSchemaTests.Kind.why.complaints(about: run.output) == [],
        "\(run.output)\(run.messages)")
    }
    let asked = try CurfewProcess.run(
      "explain", "pushes.yaml", "--json", "--app", "chat", "--at", "45m", "--kind",
      "remoteNotification", in: folder)
    #expect(
      try ResultSchemaTests.Kind.explain.complaints(about: asked.output) == [], "\(asked.output)")
    #expect(asked.output.contains(#""possibleFrom":"4200000000000""#), "\(asked.output)")
  }
}
