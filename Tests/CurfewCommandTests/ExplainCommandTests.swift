import TestRuns
import Testing

/// `curfew explain` for a question.
@Suite(.inTurn) struct ExplainCommandTests {
  @Test
  func `a denial is printed with its place and the changes that reverse it, and exits with 3`()
    throws
  {
    let run = try CurfewProcess.run(
      "explain", "--policy", "ios13", "--app", "mail", "--kind", "fetch", "--set",
      "lowPowerMode=true", "--set", "backgroundRefresh=false")
    #expect(run.exitCode == 3 && run.messages.isEmpty)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "ios13: fetch for mail is denied: backgroundRefreshDenied, lowPowerMode")
    #expect(
      lines.contains {
        $0.hasPrefix(
          "  ✗ lowPowerMode: true: lowPowerMode because wakes.fetch.blockedBy is lowPowerMode (Policies/ios13.yaml:"
        )
      }, "\(run.output)")
    #expect(
      lines.contains {
        $0.hasPrefix("  ✓ modes: fetch (wakes.fetch.mode is fetch, Policies/ios7.yaml:")
      }, "\(run.output)")
    #expect(
      lines.suffix(2) == [
        "It would be allowed, at once, by any of:",
        "  Turn Background App Refresh on for the device. Turn Low Power Mode off. (--set backgroundRefresh=true --set lowPowerMode=false)",
      ], "\(run.output)")
  }

  @Test func `each change printed as options reverses the answer`() throws {
    let denied = [
      "explain", "--kind", "fetch", "--set", "state=forceQuit", "--set", "lowPowerMode=true",
      "--set", "modes=[]", "--json",
    ]
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(denied)
    #expect(run.exitCode == 3)
    #expect(
      run.output.contains(
        #""options":["--set 'modes=[fetch]'","--set lowPowerMode=false","--set state=suspended"]"#),
      "\(run.output)")
    let again = try CurfewProcess.shell(
      #""$0" explain --kind fetch --set 'modes=[fetch]' --set lowPowerMode=false --set state=suspended"#,
      in: folder)
    #expect(
      again.exitCode == 0 && again.output.hasPrefix("ios13: fetch for the app is allowed\n"),
      "\(again.output)\(again.messages)")
    #expect(
      again.output.contains("It would be denied by any of:\n")
        && again.output.contains("(--set lowPowerMode=true)"))
  }

  @Test func `the answer for a program follows its schema, allowed or denied`() throws {
    for arguments in [
      ["audio"], ["finiteTask"], ["fetch", "--set", "lowPowerMode=true"],
      ["voipPush", "--policy", "ios3"],
    ] {
      let run = try CurfewProcess.run(["explain", "--json", "--kind"] + arguments)
      #expect(
        try ResultSchemaTests.Kind.explain.complaints(about: run.output) == [], "\(run.output)")
      #expect(run.output.contains(#""allowed":\#(run.exitCode == 0)"#))
    }
  }

  @Test func `all errors of --set are reported at once, with the nearest name`()
    throws
  {
    let run = try CurfewProcess.run(
      "explain", "--kind", "fetch", "--set", "lowPowrMode=true", "--set", "battery=20", "--set",
      "app.backgroundRefresh=dneied", "--set",
      "state", "--set", "modes=[fetsh]", "--set", "locked=true", "--set", "userPresent=true")
    #expect(run.exitCode == 64 && run.output.isEmpty)
    for (key, hint) in [
      ("lowPowrMode=true", "did you mean 'lowPowerMode'?"), ("battery=20", "20"),
      ("app.backgroundRefresh=dneied", "did you mean 'denied'?"),
      ("state", "expected a key and a value"), ("modes=[fetsh]", "did you mean 'fetch'?"),
      ("locked=true", "contradicts the other values"),
    ] {
      #expect(
        run.told.contains { $0.hasPrefix("--set \(key): error: ") && $0.contains(hint) },
        "\(key): \(run.messages)")
    }
    let kind = try CurfewProcess.run("explain", "--kind", "fetsh")
    #expect(
      kind.exitCode == 64 && kind.messages.contains("unknown kind 'fetsh'; did you mean 'fetch'?"))
    let session = try CurfewProcess.run("explain", "--kind", "audio", "--set", "state=suspended")
    #expect(
      session.exitCode == 64
        && session.messages.contains("an app that is not in front can only be woken"))
  }

  @Test func `facts and kinds of a policy's own can be asked for`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: policy/1
      name: car
      extends: ios13
      facts: {parked: {of: device}, restricted: {of: app}}
      wakes: {update: {requires: parked, blockedBy: restricted, length: 10s, overrun: tell}}

      """, to: "car.yaml")
    let arguments = [
      "explain", "--policy", "car.yaml", "--kind", "update", "--set", "restricted=true",
    ]
    let run = try CurfewProcess.run(arguments, in: folder)
    #expect(run.exitCode == 3)
    #expect(
      run.output.hasSuffix(
        "  Set 'restricted' to false. Set 'parked' to true. (--set restricted=false --set parked=true)\n"
      ),
      "\(run.output)\(run.messages)")
    let allowed = try CurfewProcess.run(
      arguments + ["--set", "parked=true", "--set", "restricted=false"], in: folder)
    #expect(allowed.exitCode == 0, "\(allowed.output)\(allowed.messages)")
  }
}
