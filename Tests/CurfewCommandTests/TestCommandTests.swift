import Foundation
import TestRuns
import Testing

/// `curfew test`, as people and scripts use it.
@Suite(.inTurn) struct TestCommandTests {
  /// An upload that outlives its grant, with expectations.
  private func upload(_ expectations: String...) -> String {
    Scenarios.upload + "\nexpect:\n" + expectations.map { "  - {\($0)}\n" }.joined()
  }

  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      let path = folder.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: path)
    }
    return folder
  }

  @Test
  func
    `the scenarios of a folder that have expectations run in order, and other files do not run`()
    throws
  {
    let folder = try folder([
      "b.yaml": upload("at: 40s, end: backgroundTaskAssertionTimeout"),
      "a/z.yaml": upload("never: wake", "at: 35s, expiration: upload"),
      "a/silent.yaml": Scenarios.upload, "a/other.yaml": "a: &x [1]\n",
      "a/policy.yaml": "curfew: policy/1\nname: x\nextends: ios13\n",
      ".hidden/c.yaml": upload("end: reboot"), "a/notes.txt": upload("end: reboot"),
    ])
    let run = try CurfewProcess.run("test", in: folder)
    #expect(run.exitCode == 0 && run.messages == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.prefix(2) == ["passed       a/z.yaml  (2)", "passed       b.yaml  (1)"])
    #expect(lines[2].hasPrefix("2 files: 2 passed; 3 expectations met; "))
    #expect(lines[3] == "1 scenario without 'expect:' not run")
  }

  @Test
  func
    `a failed expectation is reported with its place, the expected and the found line, and exits with 5`()
    throws
  {
    let folder = try folder([
      "a.yaml": upload("at: 34s, expiration: upload", "never: wake"),
      "b.yaml": upload("never: wake"),
    ])
    let run = try CurfewProcess.run("test", "a.yaml", "b.yaml", in: folder)
    #expect(run.exitCode == 5)
    #expect(run.output.hasPrefix("failed       a.yaml  (1 of 2)\n             a.yaml:"))
    #expect(
      run.output.contains(
        ": expected {at: 34s, expiration: upload}, found it at 35s in 'com.example.mail'\npassed       b.yaml  (1)\n"
      ))
    #expect(run.output.contains("2 files: 1 passed, 1 failed; 2 expectations met, 1 failed; "))
  }

  @Test func `an invalid file is reported with code 4, and the others run`() throws {
    let folder = try folder([
      "a.yaml": upload("at: 34, expiration: upload"),
      "b.yaml": upload("at: 34s, expiration: upload"),
    ])
    let run = try CurfewProcess.run("test", "none.yaml", ".", in: folder)
    #expect(run.exitCode == 4)
    #expect(
      run.output.hasPrefix(
        "invalid      none.yaml\n             none.yaml: error: no such file\ninvalid      a.yaml\n"
      ))
    #expect(run.output.contains("'34' has no unit"))
    #expect(run.output.contains("3 files: 1 failed, 2 invalid; 0 expectations met, 1 failed; "))
  }

  @Test func `the command fails if there is nothing to test`() throws {
    let folder = try folder(["a.yaml": Scenarios.upload])
    let run = try CurfewProcess.run("test", in: folder)
    #expect(run.exitCode == 1)
    #expect(
      run.messages
        == "curfew: error: nothing was tested: there is no scenario with 'expect:' in .; 1 expects nothing\n"
    )
    #expect(try CurfewProcess.run("test", "a.yaml", in: folder).exitCode == 1)
    let filtered = try CurfewProcess.run("test", "--filter", "q", "--filter", "z", in: folder)
    #expect(
      filtered.messages
        == "curfew: error: nothing was tested: there is no scenario with 'expect:' in . with 'q' or 'z' in its path\n"
    )
  }

  @Test func `a filter leaves out files with other paths`() throws {
    let folder = try folder([
      "a/x.yaml": upload("never: wake"), "b/x.yaml": upload("never: end"),
      "b/y.yaml": upload("never: wake"),
    ])
    let run = try CurfewProcess.run("test", "--filter", "a/", "--filter", "b/y", in: folder)
    #expect(run.exitCode == 0 && run.output.contains("2 files: 2 passed"), "\(run.output)")
  }

  @Test func `a scenario may come from standard input`() throws {
    let folder = try folder(["a.yaml": upload("at: 34s, expiration: upload")])
    let run = try CurfewProcess.run("test", "-", in: folder, input: "a.yaml")
    #expect(
      run.exitCode == 5 && run.output.contains("             standard input:"), "\(run.output)")
    let both = try CurfewProcess.run("test", "-", "--policy", "-", in: folder, input: "a.yaml")
    #expect(
      both.exitCode == 64
        && both.messages == "curfew: error: a scenario and --policy cannot both be standard input\n"
    )
  }

  @Test func `expectations are also checked under another policy`() throws {
    let folder = try folder(["a.yaml": upload("at: 40s, end: backgroundTaskAssertionTimeout")])
    let run = try CurfewProcess.run("test", "--policy", "ios7", in: folder)
    #expect(run.exitCode == 5)
    #expect(run.output.contains("found it at 3m 10s in 'com.example.mail'"), "\(run.output)")
  }

  @Test func `the reached rows are reported, and a crossed threshold exits with 99`() throws {
    let folder = try folder(["a.yaml": upload("never: wake")])
    let run = try CurfewProcess.run("test", "--coverage", in: folder)
    #expect(run.exitCode == 0)
    #expect(
      run.output.contains(
        "\nios13  1 of 24 rows, 2 of 25 reasons reached\n       no test reached the rows limits, sessions.audio, "
      ))
    let crossed = try CurfewProcess.run(
      "test", "--threshold", "rows>=4%, ios13.reasons>=9%", "--threshold", "ios3.rows>0%",
      in: folder)
    #expect(crossed.exitCode == 99)
    #expect(
      crossed.messages == """
        curfew: threshold crossed: ios13.reasons>=9%: measured 8 %
        curfew: threshold crossed: ios3.rows>0%: not measured

        """)
    let wrong = try CurfewProcess.run("test", "--threshold", "row>=4%", in: folder)
    #expect(wrong.exitCode == 64)
    #expect(
      wrong.messages
        == "curfew: error: --threshold, character 1: unknown metric 'row'; did you mean 'rows'?\n")
    #expect(try CurfewProcess.run("test", "--threshold", "rows>=4", in: folder).exitCode == 64)
  }

  @Test func `a run that cannot finish fails`() throws {
    let folder = try folder([
      "a.yaml": """
      curfew: scenario/1
      name: x
      policy: mine.yaml
      apps:
        mail:
          backgroundModes: [fetch]
          permittedIdentifiers: [r]
          on:
            appRefresh:
              - {do: submitTask, identifier: r, kind: appRefresh}
              - {do: completeWake}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: submitTask, app: mail, identifier: r, kind: appRefresh}
        - {at: 2s, do: home}
        - {at: 3s, do: lock}
        - {at: 1h, do: unlock}
      expect:
        - {never: end}

      """,
      "mine.yaml": """
      curfew: policy/1
      name: mine
      extends: ios13
      wakes:
        appRefresh: {minimumInterval: none, alignment: none}

      """,
    ])
    let run = try CurfewProcess.run("test", in: folder)
    #expect(run.exitCode == 1)
    #expect(
      run.output.hasPrefix(
        "failed       a.yaml  (0 of 1)\n             a.yaml: error: time stands still at "),
      "\(run.output)")
  }

  @Test func `JUnit's XML has a case for each expectation, and is valid XML for any names`()
    throws
  {
    let folder = try folder([
      "a.yaml": upload("at: 34s, expiration: upload", "never: wake").replacingOccurrences(
        of: "name: ", with: "name: \"<&>\" #"),
      "b.yaml": upload("at: 34, expiration: upload"),
    ])
    #expect(try CurfewProcess.run("test", "--junit", "out.xml", in: folder).exitCode == 4)
    let xml = try folder.read("out.xml")
    #expect(
      xml.hasPrefix(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"curfew test\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\" time="
      ))
    #expect(
      xml.contains(
        "<testcase classname=\"&lt;&amp;&gt;\" name=\"{at: 34s, expiration: upload}\" file=\"a.yaml\" line=\""
      ))
    #expect(xml.contains("<failure message=\"found it at 35s in 'com.example.mail'\">"))
    #expect(xml.hasSuffix("  </testsuite>\n</testsuites>\n"))
    let refused = try CurfewProcess.run("test", "--junit", "a.yaml", in: folder)
    #expect(
      refused.exitCode == 64
        && refused.messages.contains("--junit a.yaml would overwrite a.yaml, which is tested"),
      "\(refused.messages)")
  }

  @Test
  func `under --json a failure is a message, and simulate prints the outcome of each`()
    throws
  {
    let folder = try folder(["a.yaml": upload("at: 34s, expiration: upload", "never: wake")])
    let run = try CurfewProcess.run("test", "--json", in: folder)
    #expect(run.exitCode == 5)
    #expect(
      run.told.count == 1
        && run.told[0].hasSuffix(
          "failed: expected {at: 34s, expiration: upload}, found it at 35s in 'com.example.mail'")
    )
    let simulated = try CurfewProcess.run("simulate", "a.yaml", in: folder)
    #expect(simulated.exitCode == 5 && simulated.told == run.told)
    let json = try CurfewProcess.run("simulate", "a.yaml", "--json", in: folder)
    #expect(
      json.exitCode == 5
        && json.output.contains(#""outcome":"failed","found":"it at 35s in 'com.example.mail'"}"#),
      "\(json.output)")
  }

  #if os(Linux)
    @Test(
      .timeLimit(.minutes(30)),
      arguments: Campaign.some(1, of: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]))
    func `an interrupted run reports its results, and leaves the rest undecided`(
      _ signal: Int32, _ code: Int32
    ) throws {
      let endless = """
        curfew: scenario/1
        name: x
        policy: ios13
        until: 100000d
        apps:
          mail:
            backgroundModes: [fetch]
            on:
              didFinishLaunching: [{do: setMinimumFetchInterval, interval: 15m}]
              fetch: [{do: completeWake, result: newData}]
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 8s, do: home}
        expect:
          - {at: 15m, wake: fetch}
          - {at: 8s, app: mail, state: suspended}
          - {never: end}

        """
      let folder = try folder([
        "a.yaml": upload("never: wake"), "b.yaml": endless, "c.yaml": upload("never: wake"),
      ])
      let run = try CurfewProcess.run(["test", "--threshold", "rows>=100%"], in: folder) {
        try $0.interrupt(signal)
      }
      #expect(run.exitCode == code)
      #expect(
        run.messages == "curfew: interrupted: after 2 of 3 files; these are the results so far\n",
        "\(run.messages)")
      #expect(
        run.output.hasPrefix(
          "passed       a.yaml  (1)\ninterrupted  b.yaml  (2 of 3)\n\n2 files: 1 passed, 1 interrupted; 3 expectations met, 1 undecided; "
        ))
      let simulated = try CurfewProcess.run(["simulate", "b.yaml", "--json"], in: folder) {
        try $0.interrupt(signal)
      }
      #expect(simulated.exitCode == code)
      #expect(
        simulated.told.last?.hasSuffix("; these are the results so far, 1 expectation undecided")
          == true, "\(simulated.messages)")
    }

  #endif

  @Test func `simulate checks expectations only under the scenario's own policy`() throws {
    let folder = try folder(["a.yaml": upload("at: 40s, end: backgroundTaskAssertionTimeout")])
    let run = try CurfewProcess.run("simulate", "a.yaml", "--policy", "ios7", in: folder)
    #expect(run.exitCode == 0 && run.messages == "")
  }
}

#if os(Linux)
  extension Process {
    /// Sends the signal in the middle of a run that takes minutes.
    fileprivate func interrupt(_ signal: Int32) throws {
      try waitUntilHeard(signal)
      usleep(3_000_000)
      kill(processIdentifier, signal)
    }
  }
#endif
