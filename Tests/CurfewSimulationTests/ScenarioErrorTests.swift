import CurfewSimulation
import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct ScenarioErrorTests {
  private static let ownCalls =
    "beginTask, endTask, startSession, stopSession, completeWake, setFootprint, lockFile, unlockFile, useCPU, setMinimumFetchInterval, "
    + "setKeepAlive, setInterval, submitTask, cancelTask, scheduleNotification, cancelNotification, crash, probe"

  @Test func `an unknown name is reported with the nearest known one`() {
    #expect(
      scenarioErrors(
        timeline(
          "{at: 0s, do: lunch, app: com.example.mail}",
          "{at: 0s, do: launch, app: com.example.mial}", "{at: 0s, do: launch, app: maps}",
          "{at: 1s, do: deliver, app: com.example.mail, kind: fetsch}",
          "{at: 1s, do: startSession, app: com.example.mail, mode: music}",
          "{at: 1s, do: crash, app: com.example.mail, reason: oops}")) == [
          "mail.yaml:7:18: error: unknown verb 'lunch'; did you mean 'launch'?",
          "mail.yaml:8:31: error: unknown app 'com.example.mial'; did you mean 'com.example.mail'?",
          "mail.yaml:9:31: error: unknown app 'maps'; apps include: com.example.mail",
          "mail.yaml:10:56: error: unknown wake 'fetsch'; did you mean 'fetch'?",
          "mail.yaml:11:61: error: unknown mode 'music'; allowed here: audio, location, voip, external-accessory, bluetooth-central, bluetooth-peripheral",
          "mail.yaml:12:56: error: unknown reason 'oops'; allowed here: abnormalExit, badAccess, illegalInstruction, normalAppExit, oomKill, signal, spawnFailed, hostFailure",
        ])
  }

  @Test func `D2 a crash whose values do not fit together is refused with its place`() {
    let rule =
      "a 'crash' as 'signal' has 'signal', one as 'spawnFailed' has 'error', one as 'abnormalExit' may have 'status', and no other has any of these"
    let crash = "at: 1s, do: crash, app: com.example.mail"
    #expect(
      scenarioErrors(
        timeline(
          "{\(crash), reason: signal}", "{\(crash), reason: spawnFailed}",
          "{\(crash), reason: oomKill, signal: 9}", "{\(crash), reason: badAccess, status: 3}",
          "{\(crash), signal: 9}", "{\(crash), reason: signal, signal: 9, status: 3}",
          "{\(crash), reason: hostFailure, error: ENOENT}"))
        == (7...13).map {
          "mail.yaml:\($0):5: error: \(rule)"
        })
    #expect(
      scenarioErrors(
        timeline(
          "{\(crash), reason: signal, signal: 0}", "{\(crash), status: 256}",
          "{\(crash), reason: spawnFailed, error: ENOFILE}")
      ).map { String($0.prefix { $0 != ";" }) } == [
        "mail.yaml:7:72: error: '0' is out of range",
        "mail.yaml:8:56: error: '256' is out of range",
        "mail.yaml:9:76: error: unknown error 'ENOFILE'",
      ])
  }

  @Test func `sizes that make no sense are refused`() {
    #expect(
      scenarioErrors(
        timeline(
          "{at: 0s, do: setDevice, memory: 0B}",
          "{at: 0s, do: setFootprint, app: com.example.mail, footprint: 2048GiB}",
          "{at: 0s, do: setFootprint, app: com.example.mail, footprint: 0B}")) == [
          "mail.yaml:7:37: error: 'memory' must be more than 0B",
          "mail.yaml:8:66: error: '2048GiB' is more than 1024GiB, the most that an app can take up",
        ])
  }

  @Test(arguments: ["advance", "return", "addApp"])
  func `an unknown verb is refused with the known verbs`(_ verb: String) {
    #expect(
      scenarioErrors(timeline("{at: 0s, do: \(verb)}")) == [
        "mail.yaml:7:18: error: unknown verb '\(verb)'; expected one of: launch, home, lock, unlock, interrupt, acceptInterruption, ignoreInterruption, "
          + "forceQuit, reboot, expireTasks, deliver, setRefresh, setFact, setDevice, removeApp, post, \(Self.ownCalls)"
      ])
  }

  @Test func `a verb requires its keys and allows no others`() {
    #expect(
      scenarioErrors(
        timeline(
          "{at: 0s, do: beginTask, app: com.example.mail}", "{at: 0s, do: home, task: x}",
          "{at: 0s, do: lock, app: com.example.mail}",
          "{at: 0s, do: launch}", "{do: lock}", "{at: 1s}", "lock", "{at: 1s, do: [lock]}")) == [
          "mail.yaml:7:5: error: 'beginTask' needs 'task'",
          "mail.yaml:8:24: error: 'home' takes no 'task'; allowed here: at, do, app",
          "mail.yaml:9:24: error: 'lock' takes no 'app'; allowed here: at, do",
          "mail.yaml:10:5: error: 'launch' needs 'app'",
          "mail.yaml:11:5: error: 'lock' needs 'at'",
          "mail.yaml:12:5: error: missing key 'do', which states the verb",
          "mail.yaml:13:5: error: expected a mapping, found 'lock'",
          "mail.yaml:14:18: error: expected a verb, found a list",
        ])
  }

  @Test func `times are durations in order`() {
    #expect(
      scenarioErrors(
        timeline(
          "{at: 5, do: lock}", "{at: 5x, do: lock}", "{at: -5s, do: lock}",
          "{at: 99999999d, do: lock}", "{at: 10s, do: lock}",
          "{at: 5s, do: unlock}", "{at: 7s, do: lock}", "{at: 106751d, do: lock}")) == [
          "mail.yaml:7:10: error: '5' has no unit; durations are whole numbers with a unit: 30s, 250ms",
          "mail.yaml:8:10: error: unknown unit 'x' in '5x'; the units are ns us ms s m h d",
          "mail.yaml:9:10: error: negative duration '-5s'; durations are whole numbers with a unit: 30s, 250ms",
          "mail.yaml:10:10: error: '99999999d' is too long; the longest duration is 106751d, 292 years",
          "mail.yaml:12:10: error: time goes backwards: '5s' after '10s' of the step before (line 11)",
        ])
  }

  @Test func `a task that the file never begins cannot be ended`() {
    let steps = timeline(
      "{at: 0s, do: endTask, app: com.example.mail, task: uplaod}",
      "{at: 1s, do: beginTask, app: com.example.mail, task: upload}")
    #expect(
      scenarioErrors(steps) == [
        "mail.yaml:7:56: error: 'com.example.mail' begins no task 'uplaod' in this file; did you mean 'upload'?"
      ])
    let other = """
      curfew: scenario/1
      name: x
      policy: ios13
      apps:
        a: {on: {fetch: [{do: beginTask, task: outer, handler: [{do: beginTask, task: inner}]}]}}
        b: {}
      timeline:
        - {at: 0s, do: endTask, app: a, task: inner}
        - {at: 0s, do: endTask, app: b, task: inner}
      """
    #expect(
      scenarioErrors(other) == ["mail.yaml:9:41: error: 'b' begins no task 'inner' in this file"])
  }

  @Test func `a step must name its app if several can be in front`() throws {
    let steps = timeline(
      "{at: 0s, do: home}", "{at: 0s, do: interrupt, app: com.example.mail}",
      "{at: 0s, do: acceptInterruption}", "{at: 0s, do: lock}")
    let files = [
      "two.yaml": "curfew: policy/1\nname: two\nextends: ios13\nforeground: 2\n",
      "many.yaml": "curfew: policy/1\nname: many\nextends: ios13\nforeground: unlimited\n",
      "a.yaml": steps.replacing("ios13", with: "two.yaml"),
      "b.yaml": steps.replacing("ios13", with: "many.yaml"),
    ]
    #expect(scenarioErrors(steps) == [])
    try withFolder(files) { folder in
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try Scenario.load(folder + "/a.yaml") }
          == [
            "a.yaml:7:5: error: 'home' needs 'app': the policy 'two' lets 2 apps be in the foreground",
            "a.yaml:9:5: error: 'acceptInterruption' needs 'app': the policy 'two' lets 2 apps be in the foreground",
          ])
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try Scenario.load(folder + "/b.yaml") }
          .first
          == "b.yaml:7:5: error: 'home' needs 'app': the policy 'many' lets any number of apps be in the foreground"
      )
    }
  }

  @Test func `on and handler allow only the app's own steps`() {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      apps:
        a:
          on:
            didEnterBackground:
              - {do: home}
              - {do: beginTask, app: a, task: x}
              - {do: beginTask, task: y, handler: [{do: reboot}]}
              - {do: beginTask, task: z, handler: nne}
              - {at: 3s, do: probe}
      timeline: []
      """
    let own = "'on:' and 'handler:' allow: \(Self.ownCalls)"
    #expect(
      scenarioErrors(text) == [
        "mail.yaml:8:16: error: 'home' is not an app's own call; \(own)",
        "mail.yaml:9:27: error: 'beginTask' takes no 'app'; allowed here: do, task, for, handler",
        "mail.yaml:10:51: error: 'reboot' is not an app's own call; \(own)",
        "mail.yaml:11:45: error: expected 'none' or a list, found 'nne'; did you mean 'none'?",
        "mail.yaml:12:12: error: 'probe' takes no 'at'; allowed here: do",
      ])
  }

  @Test func `everything that is wrong is reported at once`() {
    let text = """
      curfew: scenario/1
      name: yes
      policy: ios14
      until: 5
      device: {battery: 80, charging: on, network: wfi, memory: 4GB, lowPowerMode: "true"}
      apps:
        a: {backgroundMode: [audio], backgroundModes: [audoi, fetch], backgroundRefresh: off}
        b:
          footprint: 3
          memoryLimit: 99999999999GiB
          returns: {didFinishLaunchin: 3s, didFinishLaunching: 3}
        c:
        d: 3
      timeline:
      """
    #expect(
      scenarioErrors(text) == [
        "mail.yaml:2:7: error: a bare 'yes' is not allowed; write true or false, or quote it",
        "mail.yaml:3:9: error: unknown built-in policy 'ios14'; did you mean 'ios13'? built in: ios3, ios4, ios7, ios13, android14, car, server; a path has a '/' or ends in .yaml",
        "mail.yaml:4:8: error: '5' has no unit; durations are whole numbers with a unit: 30s, 250ms",
        "mail.yaml:5:19: error: '80' is not a percentage; percentages are whole numbers from 0% to 100%",
        "mail.yaml:5:33: error: 'on' is not a boolean; write true or false",
        "mail.yaml:5:46: error: unknown network 'wfi'; did you mean 'wifi'?",
        "mail.yaml:5:59: error: unknown unit 'GB' in '4GB'; the units are B KiB MiB GiB",
        "mail.yaml:5:78: error: 'true' is quoted; booleans are written without quotes",
        "mail.yaml:7:7: error: unknown key 'backgroundMode'; did you mean 'backgroundModes'?",
        "mail.yaml:7:50: error: unknown mode 'audoi'; did you mean 'audio'?",
        "mail.yaml:7:84: error: a bare 'off' is not allowed; write true or false, or quote it",
        "mail.yaml:9:16: error: '3' has no unit; sizes are whole numbers with a unit: 120MiB, 4GiB",
        "mail.yaml:10:18: error: '99999999999GiB' is too large; the largest size is 8589934591GiB",
        "mail.yaml:11:15: error: unknown callback 'didFinishLaunchin'; did you mean 'didFinishLaunching'?",
        "mail.yaml:11:58: error: '3' has no unit; durations are whole numbers with a unit: 30s, 250ms",
        "mail.yaml:12:5: error: expected a mapping, found nothing; an empty mapping is {}",
        "mail.yaml:13:6: error: expected a mapping, found '3'",
        "mail.yaml:14:10: error: expected a list, found nothing; an empty list is []",
      ])
  }

  @Test func `errors of the policy and of the scenario come together`() throws {
    let files = [
      "p.yaml": "curfew: policy/1\nname: p\nextends: ios13\ntasks: {grant: 3}\n",
      "s.yaml": timeline("{at: 0s, do: lunch}").replacing("ios13", with: "p.yaml"),
    ]
    try withFolder(files) { folder in
      #expect(
        errors(in: folder) { () throws(FileErrors) in _ = try Scenario.load(folder + "/s.yaml") }
          == [
            "p.yaml:4:16: error: '3' has no unit; durations are whole numbers with a unit: 30s, 250ms",
            "s.yaml:7:18: error: unknown verb 'lunch'; did you mean 'launch'?",
          ])
    }
  }

  @Test func `a scenario needs an app`() {
    #expect(
      scenarioErrors("curfew: scenario/1\nname: x\npolicy: ios13\napps: {}\ntimeline: []\n") == [
        "mail.yaml:4:7: error: a scenario needs at least one app"
      ])
  }

  @Test func `errors beyond the hundredth are counted, not printed`() {
    let found = scenarioErrors(timeline("x") + String(repeating: "  - lock\n", count: 500))
    #expect(found.count == 101)
    #expect(found.last == "mail.yaml: error: and 401 more errors")
  }
}
