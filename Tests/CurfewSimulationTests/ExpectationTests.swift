import CurfewEngine
import CurfewSimulation
import CurfewText
import CurfewTrace
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Expectations of a scenario, and the messages about them.
@Suite(.inTurn) struct ExpectationTests {
  /// An upload that outlives its grant: the handler is called at 33s, the end comes at 38s. The
  /// wake at 60s runs out at 90s.
  static func leak(_ expectations: [String], until: String = "") -> String {
    """
    curfew: scenario/1
    name: x
    policy: ios13
    \(until)
    apps:
      mail:
        backgroundModes: [fetch, audio]
        permittedIdentifiers: [refresh]
        endsTasksOnExpiration: false
        returns: {expirationHandler: 50ms}
        on:
          didEnterBackground:
            - {do: beginTask, task: upload}
      maps: {}
    timeline:
      - {at: 0s, do: launch, app: mail}
      - {at: 1s, do: submitTask, app: mail, identifier: refresh, kind: processing}
      - {at: 2s, do: scheduleNotification, app: mail, in: 10s, id: alarm}
      - {at: 3s, do: post, name: battery, value: "20%"}
      - {at: 4s, do: startSession, app: maps, mode: location}
      - {at: 8s, do: home}
      - {at: 9s, do: probe, app: mail}
      - {at: 60s, do: deliver, app: mail, kind: region}
      - {at: 80s, do: deliver, app: maps, kind: accessoryData}
    expect:
    \(expectations.map { "  - {\($0)}" }.joined(separator: "\n"))

    """
  }

  /// The messages about expectations that do not hold, without the expected text.
  static func complaints(_ expectations: String..., until: String = "") throws -> [String] {
    try scenario(leak(expectations, until: until)).verdicts().map {
      $0.outcome == .met ? "met" : "\($0.outcome): \($0.found ?? "-")"
    }
  }

  @Test func `there is an expectation for each type of line, and true ones are met`() throws {
    let met = [
      "at: 33s, app: mail, expiration: upload", "expiration: upload, reason: timeLimit",
      "at: 38s, end: backgroundTaskAssertionTimeout",
      "end: backgroundTaskAssertionTimeout, code: 0x2182bad2, tasks: [upload]",
      "at: 8s, app: mail, task: upload",
      "task: upload, event: begin",
      "decision: accessoryData, app: maps, denied: [mayNotRelaunch, modeNotDeclared]",
      "decision: accessoryData, allowed: false",
      "at: 60s, app: mail, decision: region, allowed: true, wake: 1",
      "at: 1s, request: refresh, event: refused, error: notPermitted",
      "request: refresh, event: refused, kind: processing", "at: 60s, wake: region",
      "wake: region, event: overrun, id: 1",
      "at: 8s, callback: didEnterBackground", "callback: \"applicationDidEnterBackground:\"",
      "callback: DidEnterBackground",
      "at: 3s, app: mail, notification: battery, value: \"20%\"",
      "at: 12s, localNotification: alarm, event: shown",
      "probe: background, backgroundTimeRemaining: 29s",
      "at: 4s, diagnostic: illegalEvent, do: startSession",
      "diagnostic: stillOpenAfterExpiration, tasks: [upload]", "app: mail, state: suspended",
    ]
    let verdicts = try scenario(Self.leak(met)).verdicts()
    #expect(verdicts.filter { $0.outcome != .met }.map(\.description) == [])
    #expect(verdicts.map(\.expectation.text) == met.map { "{\($0)}" })
  }

  @Test func `D2 an end may have its signal, its status or its error`() throws {
    func outcomes(_ expectations: String...) throws -> [String] {
      try scenario(
        """
        curfew: scenario/1
        name: ends
        policy: ios13
        apps: {mail: {}}
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 1s, do: crash, app: mail, reason: signal, signal: 15}
          - {at: 2s, do: launch, app: mail}
          - {at: 3s, do: crash, app: mail, reason: spawnFailed, error: ENOENT}
          - {at: 4s, do: launch, app: mail}
          - {at: 5s, do: crash, app: mail, status: 3}
        expect:
        \(expectations.map { "  - {\($0)}" }.joined(separator: "\n"))

        """
      ).verdicts().map { "\($0.outcome)" }
    }
    #expect(
      try outcomes(
        "end: signal, signal: 15", "end: spawnFailed, error: ENOENT",
        "end: abnormalExit, status: 3",
        "count: end, signal: 15, is: 1", "never: end, status: 4", "end: signal, signal: 9",
        "end: spawnFailed, error: EACCES", "end: abnormalExit, status: 4", "never: end, signal: 15")
        == Array(repeating: "met", count: 5) + Array(repeating: "failed", count: 4))
    for wrong in ["error: ENOENTRY", "signal: 0", "signal: 128", "status: 256", "signal: TERM"] {
      #expect(throws: FileErrors.self, "\(wrong)") { try outcomes("end: signal, \(wrong)") }
    }
  }

  @Test func `an action has exactly its time, or one in its span`() throws {
    #expect(
      try Self.complaints(
        "at: 33s, expiration: upload", "at: 33000000001ns, expiration: upload",
        "at: 32s, expiration: upload",
        "at: 30s..33s, expiration: upload",
        "at: 33s..38s, expiration: upload", "at: 33s.., expiration: upload",
        "at: ..33s, expiration: upload",
        "at: 34s.., expiration: upload")
        == [
          "met", "failed: it at 33s in 'mail'", "failed: it at 33s in 'mail'", "met", "met", "met",
          "met", "failed: it at 33s in 'mail'",
        ])
  }

  @Test func `the nearest line is reported: another time, another reason, or nothing`() throws {
    #expect(
      try Self.complaints(
        "at: 33s, app: mail, expiration: upload, reason: thermal",
        "at: 38s, app: mail, end: memoryPressure",
        "app: maps, end: reboot",
        "app: mail, end: backgroundTaskAssertionTimeout, tasks: []",
        "at: 1s, app: mail, end: backgroundTaskAssertionTimeout, code: 0x1")
        == [
          "failed: at 33s: expiration handler of task 1 'upload': timeLimit",
          "failed: at 38s: terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
          "failed: nothing of the kind",
          "failed: at 38s: terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
          "failed: at 38s: terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
        ])
  }

  @Test func `a denial has exactly the listed reasons, in any order`() throws {
    #expect(
      try Self.complaints(
        "decision: accessoryData, denied: [modeNotDeclared, mayNotRelaunch]",
        "decision: accessoryData, denied: [modeNotDeclared]",
        "decision: accessoryData, denied: [lowPowerMode]"
      ).map { $0.prefix(8) } == ["met", "failed: ", "failed: "])
  }

  @Test func `a state is checked after all events at its instant, and the last state counts`()
    throws
  {
    #expect(
      try Self.complaints(
        "at: 0s, app: mail, state: active", "at: 8s, app: mail, state: inactive",
        "at: 8s..37s, app: mail, state: background",
        "at: 8s..38s, app: mail, state: background", "at: 38s..59s, app: mail, state: notRunning",
        "at: 1000d, app: mail, state: suspended",
        "at: .., app: mail, state: active".replacing("..", with: "0s.."),
        "at: 1h, app: maps, state: notRunning")
        == [
          "met", "failed: background at 8s", "met", "failed: notRunning at 38s", "met", "met",
          "failed: background at 8s", "met",
        ])
  }

  @Test func `the lines in a span are counted, and there may be none`() throws {
    #expect(
      try Self.complaints(
        "count: end, is: 1", "count: end, is: 2", "count: end, is: ..1", "count: end, is: 0",
        "count: task, task: upload, is: 1..",
        "count: end, at: ..37s, is: 1", "never: end", "never: end, app: maps",
        "never: wake, event: complete",
        "count: state, state: active, is: 1..3")
        == [
          "met",
          "failed: 1, at 38s in 'mail': terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
          "met",
          "failed: 1, at 38s in 'mail': terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
          "met",
          "failed: none",
          "failed: 1, at 38s in 'mail': terminated: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', begun 30s ago",
          "met",
          "met", "met",
        ])
  }

  @Test func `only the first few of many lines are reported`() throws {
    #expect(
      try Self.complaints("never: callback, app: mail").first?.hasSuffix(
        "at 0s: applicationDidBecomeActive:; at 8s: applicationWillResignActive:; at 8s: applicationDidEnterBackground:; …"
      ) == true)
  }

  @Test func `a begin that returns 0 is invalid, and is not counted as a begin`() throws {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios3
      apps: {mail: {}}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: beginTask, app: mail, task: save}
      expect:
        - {at: 1s, task: save, event: invalid}
        - {never: task}

      """
    #expect(try scenario(text).verdicts().map(\.outcome) == [.met, .met])
  }

  @Test func `a run that is cut gives only final verdicts`() throws {
    let scenario = try scenario(
      Self.leak([
        "at: 33s, expiration: upload", "at: 33s, end: backgroundTaskAssertionTimeout",
        "at: 38s, end: backgroundTaskAssertionTimeout",
        "at: 38s, expiration: upload", "at: 8s..20s, app: mail, state: background",
        "at: 20s..50s, app: mail, state: background",
        "at: 20s..50s, app: mail, state: active", "count: expiration, is: 1",
        "count: expiration, is: 1..", "never: expiration",
        "never: end",
        "never: end, at: ..37s", "end: memoryPressure",
      ]))
    var simulation = Simulation(scenario)
    var check = ExpectationCheck(scenario)
    let ending = try simulation.run(isInterrupted: { false }) { line in
      if line.time < Instant(nanoseconds: 38_000_000_000) { check.add(line) }
    }
    #expect(ending.isWhole)
    #expect(
      check.verdicts(cutAt: Instant(nanoseconds: 38_000_000_000)).map(\.outcome) == [
        .met, .failed, .undecided, .undecided, .met, .undecided, .failed, .undecided, .met, .failed,
        .undecided, .met, .undecided,
      ])
  }

  @Test func `expectations do not change a run`() throws {
    let (plain, expecting) = (
      try scenario(Self.leak(["never: end"])),
      try scenario(Self.leak(["end: badAccess", "never: wake"]))
    )
    var (first, second): ([TraceLine], [TraceLine]) = ([], [])
    var simulation = Simulation(plain)
    _ = try simulation.run { first.append($0) }
    simulation = Simulation(expecting)
    _ = try simulation.run { second.append($0) }
    #expect(first.map(\.description) == second.map(\.description))
  }

  @Test func `a diagnostic is expected with the call, the wake and the instant that it names`()
    throws
  {
    let steps = """
      curfew: scenario/1
      name: x
      policy: ios13
      apps:
        mail:
          backgroundModes: [fetch]
          permittedIdentifiers: [refresh]
          returns: {appRefresh: 5s, expirationHandler: 1m}
          on:
            didEnterBackground:
              - {do: beginTask, task: upload}
            expirationHandler:
              - {do: endTask, task: upload}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 1s, do: submitTask, app: mail, identifier: refresh, kind: appRefresh}
        - {at: 10s, do: home}
        - {at: 901s, do: completeWake, app: mail}
        - {at: 902s, do: completeWake, app: mail}
      expect:

      """
    let expectations = [
      ("at: 45s, diagnostic: runsWithoutAssertion, callback: expirationHandler", true),
      ("diagnostic: runsWithoutAssertion, callback: wakeExpirationHandler", false),
      ("diagnostic: runsWithoutAssertion, callback: appRefresh", false),
      ("at: 902s, diagnostic: alreadyCompleted, kind: appRefresh, wake: 1, completed: 901s", true),
      ("diagnostic: alreadyCompleted, identifier: refresh", true),
      ("diagnostic: alreadyCompleted, kind: fetch", false),
      ("diagnostic: alreadyCompleted, wake: 2", false),
      ("diagnostic: alreadyCompleted, completed: 902s", false),
      ("count: diagnostic, wake: 1, is: 1", true),
      ("never: diagnostic, callback: expirationHandler", false),
      ("never: diagnostic, callback: didEnterBackground", true),
    ]
    let lines = expectations.map { "  - {\($0.0)}\n" }.joined()
    let verdicts = try scenario(steps + lines).verdicts()
    #expect(verdicts.map { $0.outcome == .met } == expectations.map(\.1), "\(verdicts)")
  }

  @Test func `the callback of a diagnostic has the name of its return, of UIKit or of Xamarin`()
    throws
  {
    let names = [
      "didEnterBackground", "DidEnterBackground", "\"applicationDidEnterBackground:\"", "fetch",
      "PerformFetch", "\"application:performFetchWithCompletionHandler:\"", "region",
      "sessionExpirationHandler",
    ]
    let file = Self.leak(names.map { "diagnostic: runsWithoutAssertion, callback: \($0)" })
    let wanted = try scenario(file).expectations.map { expectation in
      expectation.lines.values.first { $0.key == "callback" }?.value
    }
    #expect(
      wanted
        == [
          "didEnterBackground", "didEnterBackground", "didEnterBackground", "fetch", "fetch",
          "fetch", "region", "sessionExpirationHandler",
        ].map { .text($0) })
  }
}
