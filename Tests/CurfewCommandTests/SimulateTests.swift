import Foundation
import TestRuns
import Testing

@Suite(.inTurn) struct SimulateTests {
  @Test
  func
    `without a scenario it prints a phone's day, with a reason and a line for every kill and denial`()
    throws
  {
    let run = try CurfewProcess.run("simulate")
    #expect(run.exitCode == 0)
    #expect(run.messages.isEmpty)
    for text in [
      "A phone's day · policy ios13",
      "✗ terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
      "because tasks.grant is 30s (Policies/ios13.yaml:", "✗ terminated: appWatchdog (0x8badf00d)",
      "✗ remoteNotification denied: backgroundRefreshDenied", "to allow it: ",
      "visits to the background",
    ] {
      #expect(run.output.contains(text), "'\(text)' is missing")
    }
    #expect(!run.output.contains("\u{1b}["), "colours are for terminals")
  }

  @Test func `C1 two processes write the same trace, byte for byte`() throws {
    let folder = try TemporaryFolder()
    let runs = try ["a.jsonl", "b.jsonl"].map {
      try CurfewProcess.run("simulate", "--trace", $0, in: folder)
    }
    #expect(runs.allSatisfy { $0.exitCode == 0 })
    #expect(runs[0].output == runs[1].output)
    let trace = try folder.read("a.jsonl")
    #expect(trace.split(separator: "\n").count > 100)
    #expect(try folder.read("b.jsonl") == trace)
  }

  @Test func `the summary as JSON names its version, its policy and its terminations`() throws {
    let run = try CurfewProcess.run("simulate", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(object["curfew"] as? String == "simulate/2")
    #expect(object["seed"] as? Int == 0)
    let kills = try #require(object["terminations"] as? [[String: Any]])
    let leak = try #require(
      kills.first { $0["reason"] as? String == "backgroundTaskAssertionTimeout" })
    #expect(leak["code"] as? String == "0x2182bad2")
    #expect((leak["policy"] as? [String: Any])?["file"] as? String == "Policies/ios13.yaml")
  }

  @Test func `another policy gives a different end`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Scenarios.upload, to: "upload.yaml")
    for (policy, end, code) in [
      ("ios4", "10m 10s", "0x8badf00d"), ("ios7", "3m 10s", "0x8badf00d"),
      ("ios13", "40s", "0x2182bad2"),
    ] {
      let run = try CurfewProcess.run("simulate", "upload.yaml", "--policy", policy, in: folder)
      #expect(
        run.output.contains("\(end)  mail      background → notRunning"), "\(policy): \(run.output)"
      )
      #expect(run.output.contains(code))
    }
    let old = try CurfewProcess.run("simulate", "upload.yaml", "--policy", "ios3", in: folder)
    #expect(
      old.output.contains("finiteTask") == false && old.output.contains("terminated: normalAppExit")
    )
  }

  @Test func `callbacks have Xamarin's names on request, in the timeline and in the trace`() throws
  {
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(
      "simulate", "--names", "xamarin", "--trace", "t.jsonl", in: folder)
    #expect(
      run.output.contains("OnResignActivation")
        && !run.output.contains("applicationWillResignActive:"))
    #expect(try folder.read("t.jsonl").contains("\"name\":\"OnResignActivation\""))
  }

  @Test
  func
    `a scenario may come from standard input, and its relative paths start in the current folder`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(SimulateTests.upload, to: "cut.yaml")
    try folder.write("curfew: policy/1\nname: own\nextends: ios13\n", to: "own.yaml")
    let file = try CurfewProcess.run("simulate", "cut.yaml", "--trace", "file.jsonl", in: folder)
    let input = try CurfewProcess.run(
      "simulate", "-", "--trace", "input.jsonl", in: folder, input: "cut.yaml")
    #expect(input.exitCode == 0 && input.output == file.output, "\(input.messages)")
    #expect(try folder.read("input.jsonl") == folder.read("file.jsonl"))
    try folder.write(
      SimulateTests.upload.replacingOccurrences(of: "launch", with: "lunch"), to: "bad.yaml")
    let bad = try CurfewProcess.run("simulate", "-", in: folder, input: "bad.yaml")
    #expect(bad.exitCode == 4 && bad.messages.hasPrefix("standard input:7:"), "\(bad.messages)")
    #expect(
      try CurfewProcess.run("simulate", "-", "--trace", "cut.yaml", in: folder, input: "cut.yaml")
        .exitCode == 64)
    #expect(try folder.read("cut.yaml") == SimulateTests.upload)
  }

  @Test
  func
    `the summary joins the reasons of a denial, and counts each combination if they differ`()
    throws
  {
    let folder = try TemporaryFolder()
    let timeline = """
      curfew: scenario/1
      name: Denied
      policy: ios13
      apps: {mail: {backgroundModes: [remote-notification]}}
      timeline:
        - {at: 1s, do: setDevice, lowPowerMode: true}
        - {at: 2s, do: setRefresh, status: denied}
        - {at: 3s, do: deliver, app: mail, kind: remoteNotification}

      """
    try folder.write(timeline, to: "one.yaml")
    let one = try CurfewProcess.run("simulate", "one.yaml", in: folder)
    #expect(
      one.output.contains("(0 allowed, 1 denied: backgroundRefreshDenied and lowPowerMode)\n"),
      "\(one.output)\(one.messages)")
    let more = """
        - {at: 4s, do: setDevice, lowPowerMode: false}
        - {at: 5s, do: deliver, app: mail, kind: remoteNotification}

      """
    try folder.write(timeline + more, to: "two.yaml")
    let two = try CurfewProcess.run("simulate", "two.yaml", in: folder)
    let words =
      "(0 allowed, 2 denied: 1 backgroundRefreshDenied, 1 backgroundRefreshDenied and lowPowerMode)\n"
    #expect(two.output.contains(words), "\(two.output)")
  }

  @Test func `a trace that cannot be written is a failure with a message`() throws {
    let run = try CurfewProcess.run("simulate", "--trace", "/no/such/folder/t.jsonl")
    #expect(run.exitCode == 1)
    #expect(run.messages.contains("/no/such/folder/t.jsonl: error: cannot open it for writing"))
  }
}

extension SimulateTests {
  private static let upload = """
    curfew: scenario/1
    name: Cut short
    policy: own.yaml
    until: 20s
    apps: {com.example.mail: {on: {didEnterBackground: [{do: beginTask, task: upload}]}}}
    timeline:
      - {at: 0s, do: launch, app: com.example.mail}
      - {at: 8s, do: home}
    """

  @Test func `until ends the run at its instant, and later events are left out`() throws {
    let folder = try TemporaryFolder()
    try folder.write(SimulateTests.upload, to: "cut.yaml")
    try folder.write("curfew: policy/1\nname: own\nextends: ios13\n", to: "own.yaml")
    let run = try CurfewProcess.run("simulate", "cut.yaml", "--json", in: folder)
    #expect(
      run.output.contains(#""ending":"until","end":"20000000000","endSeconds":20"#),
      "\(run.output)\(run.messages)")
    let text = try CurfewProcess.run("simulate", "cut.yaml", in: folder)
    #expect(text.output.contains("20s of virtual time") && text.output.contains("▒  background"))
  }

  @Test
  func
    `a run in which time stands still keeps its results so far, and names the app at fault`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: scenario/1
      name: For ever
      policy: ./at-once.yaml
      until: 1h
      apps:
        mail:
          backgroundModes: [fetch]
          permittedIdentifiers: [mail.refresh]
          on: {appRefresh: [{do: submitTask, identifier: mail.refresh, kind: appRefresh}, {do: completeWake}]}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: submitTask, app: mail, identifier: mail.refresh, kind: appRefresh}
        - {at: 2s, do: home}
      """, to: "ever.yaml")
    try folder.write(
      "curfew: policy/1\nname: at-once\nextends: ios13\nwakes: {appRefresh: {alignment: none, minimumInterval: none}}\n",
      to: "at-once.yaml"
    )
    let run = try CurfewProcess.run("simulate", "ever.yaml", "--json", in: folder)
    #expect(run.exitCode == 1)
    #expect(run.output.contains(#""ending":"standstill","end":"2000000000","endSeconds":2"#))
    let answers =
      #""answers":[{"app":"mail","callback":"appRefresh","steps":["submitTask","completeWake"]}]"#
    #expect(run.output.contains(answers), "\(run.output)")
    let message =
      "ever.yaml: error: time stands still at 2s: 'mail' does submitTask, completeWake whenever appRefresh is called"
    #expect(run.told == [message], "\(run.messages)")
  }

  @Test
  func `a run that would schedule something after the end of time names the app`()
    throws
  {
    let folder = try TemporaryFolder()
    let text = """
      curfew: scenario/1
      name: Ages
      policy: ./long.yaml
      apps:
        mail: {returns: {expirationHandler: 50000d}}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: beginTask, app: mail, task: upload}
        - {at: 2s, do: home}
      """
    try folder.write(
      "curfew: policy/1\nname: long\nextends: ios13\ntasks: {grant: 100000d}\n", to: "long.yaml")
    try folder.write(text, to: "ages.yaml")
    let run = try CurfewProcess.run("simulate", "ages.yaml", "--json", in: folder)
    #expect(
      run.exitCode == 1
        && run.output.contains(
          #""ending":"endOfTime","end":"8639999997000000000","endSeconds":8639999997"#),
      "\(run.output)")
    let message =
      "ages.yaml: error: time ends: at 99999d 23h 59m 57s 'mail' causes an event later than 292 years; give the run an 'until'"
    #expect(run.told == [message], "\(run.messages)")
    try folder.write(
      text.replacingOccurrences(of: "apps:", with: "until: 106751d\napps:"), to: "until.yaml")
    #expect(try CurfewProcess.run("simulate", "until.yaml", in: folder).exitCode == 0)
  }

  @Test func `a trace is not written over the policy that the scenario names, nor over its parent`()
    throws
  {
    let folder = try TemporaryFolder()
    let parent = "curfew: policy/1\nname: parent\nextends: ios13\n"
    try folder.write(SimulateTests.upload, to: "cut.yaml")
    try folder.write("curfew: policy/1\nname: own\nextends: parent.yaml\n", to: "own.yaml")
    try folder.write(parent, to: "parent.yaml")
    for name in ["own.yaml", "parent.yaml"] {
      #expect(
        try CurfewProcess.run("simulate", "cut.yaml", "--trace", name, in: folder).exitCode == 64)
    }
    #expect(try folder.read("parent.yaml") == parent)
  }

  @Test
  func
    `with standard output closed, the trace file has only the trace, and the lost report is an error`()
    throws
  {
    let folder = try TemporaryFolder()
    let script =
      #""$0" simulate --trace open.jsonl > /dev/null && "$0" simulate --trace closed.jsonl >&-"#
    let run = try CurfewProcess.shell(script, in: folder)
    #expect(
      run.exitCode == 1 && run.messages.hasPrefix("standard output: error: cannot write it: "),
      "\(run.messages)")
    #expect(try folder.read("closed.jsonl") == folder.read("open.jsonl"))
    let quiet = try CurfewProcess.shell(
      #""$0" simulate --trace quiet.jsonl <&- >&- 2>&-"#, in: folder)
    #expect(quiet.exitCode == 1 && quiet.messages.isEmpty)
    #expect(try folder.read("quiet.jsonl") == folder.read("open.jsonl"))
    let input = try CurfewProcess.shell(#""$0" simulate - <&-"#, in: folder)
    #expect(
      input.exitCode == 4 && input.messages.hasPrefix("standard input: error: "),
      "\(input.messages)")
  }

  #if os(Linux)
    @Test func `lost output is a failure with a message`() throws {
      let run = try CurfewProcess.run("simulate", "--json", output: "/dev/full")
      #expect(run.exitCode == 1)
      #expect(
        run.told.contains { $0.hasPrefix("standard output: error: cannot write it: ") },
        "\(run.messages)")
      let trace = try CurfewProcess.run("simulate", "--trace", "/dev/full")
      #expect(trace.exitCode == 1)
      #expect(trace.messages.contains("/dev/full: error: cannot write it: "), "\(trace.messages)")
    }
  #endif
}
