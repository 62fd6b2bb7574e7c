import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Steps for the device's facts, posts, memory, files, the processor, requests and notifications.
@Suite(.inTurn) struct ScenarioStepTests {
  private static let apps = """
    curfew: scenario/1
    name: x
    policy: ios13
    apps:
      a:
        permittedIdentifiers: [com.x.refresh, com.x.clean]
        on:
          didReceiveMemoryWarning: [{do: setFootprint, footprint: 1MiB}, {do: useCPU, share: 0%, for: 0s}]
          didEnterBackground:
            - {do: lockFile}
            - {do: beginTask, task: t, handler: [{do: unlockFile}, {do: cancelTask, identifier: com.x.refresh}]}
            - {do: submitTask, identifier: com.x.refresh, kind: appRefresh, earliest: 15m, requiresNetwork: false}
      b: {}
    timeline:

    """

  private func steps(_ steps: String...) throws -> [String] {
    try scenario(Self.apps + steps.map { "  - {at: 1s, do: \($0)}\n" }.joined()).timeline.map {
      written($0.step)
    }
  }

  @Test func `the device's facts change one by one`() throws {
    let found = try steps(
      "setDevice, battery: 5%, thermal: serious",
      "setDevice, backgroundRefresh: false, lowPowerMode: true, charging: true",
      "setDevice, network: none, memory: 1GiB", "setRefresh, status: restricted",
      "setRefresh, status: available, app: a")
    #expect(
      found == [
        #"- "do":"setDevice","battery":"5%","thermal":"serious""#,
        #"- "do":"setDevice","backgroundRefresh":false,"lowPowerMode":true,"charging":true"#,
        #"- "do":"setDevice","network":"none","memory":"1073741824B""#,
        #"- "do":"setRefresh","status":"restricted""#,
        #"0 "do":"setRefresh","status":"available""#,
      ])
  }

  @Test func `a change affects only the facts that it names`() {
    var facts = DeviceFacts(backgroundRefresh: .restricted)
    facts = DeviceChange(to: DeviceFacts(battery: 5, thermal: .fair), \.battery, \.thermal).applied(
      to: facts)
    #expect(facts == DeviceFacts(backgroundRefresh: .restricted, battery: 5, thermal: .fair))
    let plugged = DeviceFacts(charging: true, network: .none, memory: 7)
    facts = DeviceChange(to: plugged, \.backgroundRefresh, \.charging, \.network, \.memory)
      .applied(to: facts)
    #expect(
      facts == DeviceFacts(battery: 5, charging: true, network: .none, memory: 7, thermal: .fair))
    let low = DeviceFacts(backgroundRefresh: .denied, lowPowerMode: true, network: .cellular)
    facts = DeviceChange(to: low, \.backgroundRefresh, \.lowPowerMode, \.network).applied(to: facts)
    #expect(
      facts
        == DeviceFacts(
          backgroundRefresh: .denied, lowPowerMode: true, battery: 5, charging: true,
          network: .cellular, memory: 7, thermal: .fair))
  }

  @Test func `only facts that differ from the defaults are written`() {
    #expect(DeviceChange(differencesOf: DeviceFacts()).isEmpty)
    let others = DeviceFacts(
      backgroundRefresh: .denied, lowPowerMode: true, battery: 0, charging: true,
      network: .cellular, memory: 0, thermal: .fair)
    #expect(DeviceChange(differencesOf: others) == DeviceChange(others))
    #expect(DeviceChange(differencesOf: others).applied(to: DeviceFacts()) == others)
    #expect(
      DeviceChange(differencesOf: DeviceFacts(battery: 3))
        == DeviceChange(to: DeviceFacts(battery: 3, thermal: .fair), \.battery))
  }

  @Test func `a post has a name, and may have a value and an app`() throws {
    let text =
      Self.apps
      + "  - {at: 1s, do: post, name: batteryLevel, value: \"70\", app: a}\n  - {at: 1s, do: post, name: location}\n"
    let scenario = try scenario(text)
    #expect(
      scenario.timeline.map { written($0.step) } == [
        #"0 "do":"post","name":"batteryLevel","value":"70""#, #"- "do":"post","name":"location""#,
      ])
    #expect(NotificationPost.Manner(ofPostNamed: "location") == .queueing)
    #expect(NotificationPost.Manner(ofPostNamed: "batteryLevel") == .coalescing)
  }

  @Test func `apps ask for wakes, lock files, use the processor and take up memory`() throws {
    let found = try steps(
      "setFootprint, app: a, footprint: 0B", "lockFile, app: a", "unlockFile, app: a",
      "useCPU, app: a, share: 10000%, for: 50s",
      "setMinimumFetchInterval, app: a, interval: 30m",
      "setMinimumFetchInterval, app: a, interval: never",
      "setKeepAlive, app: a, interval: 0s", "setKeepAlive, app: a, interval: never")
    #expect(
      found == [
        #"0 "do":"setFootprint","footprint":"0B""#, #"0 "do":"lockFile""#, #"0 "do":"unlockFile""#,
        #"0 "do":"useCPU","share":"10000%","for":"50s""#,
        #"0 "do":"setMinimumFetchInterval","interval":"30m""#,
        #"0 "do":"setMinimumFetchInterval","interval":"never""#,
        #"0 "do":"setKeepAlive","interval":"0s""#,
        #"0 "do":"setKeepAlive","interval":"never""#,
      ])
  }

  @Test func `apps submit requests and schedule notifications`() throws {
    let found = try steps(
      "submitTask, app: a, identifier: com.x.clean, kind: processing, requiresNetwork: true, requiresPower: true",
      "cancelTask, app: a, identifier: com.x.clean",
      "scheduleNotification, app: a, in: 10m, id: tea", "cancelNotification, app: a, id: tea"
    )
    #expect(
      found == [
        #"0 "do":"submitTask","identifier":"com.x.clean","kind":"processing","requiresNetwork":true,"requiresPower":true"#,
        #"0 "do":"cancelTask","identifier":"com.x.clean""#,
        #"0 "do":"scheduleNotification","in":"10m","id":"tea""#,
        #"0 "do":"cancelNotification","id":"tea""#,
      ])
  }

  @Test func `an app's own calls are also possible inside its callbacks`() throws {
    let scenario = try scenario(Self.apps + "  - {at: 1s, do: lock}\n")
    #expect(scenario.apps[0].manifest.permittedIdentifiers == ["com.x.refresh", "com.x.clean"])
    #expect(scenario.apps[1].manifest.permittedIdentifiers == [])
    let on = scenario.apps[0].on
    #expect(
      on[.callback(.didReceiveMemoryWarning)]?.map(written) == [
        #"0 "do":"setFootprint","footprint":"1048576B""#,
        #"0 "do":"useCPU","share":"0%","for":"0s""#,
      ])
    let calls = try #require(on[.callback(.didEnterBackground)])
    #expect(
      calls.map(written) == [
        #"0 "do":"lockFile""#, #"0 "do":"beginTask","task":"t""#,
        #"0 "do":"submitTask","identifier":"com.x.refresh","kind":"appRefresh","earliest":"15m""#,
      ])
    #expect(
      calls[1].handler.map(written) == [
        #"0 "do":"unlockFile""#, #"0 "do":"cancelTask","identifier":"com.x.refresh""#,
      ])
  }

  // MARK: Errors

  private func errors(_ steps: String...) -> [String] {
    scenarioErrors(Self.apps + steps.map { "  - {at: 1s, do: \($0)}\n" }.joined()).map {
      String($0.dropFirst("mail.yaml:".count))
    }
  }

  @Test func `missing and unknown keys are reported`() {
    #expect(
      errors(
        "setDevice", "setDevice, batery: 3%", "setRefresh", "post, app: a", "setFootprint, app: a",
        "useCPU, app: a, share: 3%",
        "setKeepAlive, app: a", "submitTask, app: a, identifier: x",
        "scheduleNotification, app: a, in: 3s", "lockFile",
        "setFootprint, footprint: 3B", "cancelTask, app: a", "setDevice, app: a, battery: 3%") == [
          "15:5: error: 'setDevice' needs at least one fact: backgroundRefresh, lowPowerMode, battery, charging, network, memory, thermal",
          "16:29: error: 'setDevice' takes no 'batery'; did you mean 'battery'?",
          "17:5: error: 'setRefresh' needs 'status'",
          "18:5: error: 'post' needs 'name'",
          "19:5: error: 'setFootprint' needs 'footprint'",
          "20:5: error: 'useCPU' needs 'for'",
          "21:5: error: 'setKeepAlive' needs 'interval'",
          "22:5: error: 'submitTask' needs 'kind'",
          "23:5: error: 'scheduleNotification' needs 'id'",
          "24:5: error: 'lockFile' needs 'app'",
          "25:5: error: 'setFootprint' needs 'app'",
          "26:5: error: 'cancelTask' needs 'identifier'",
          "27:29: error: 'setDevice' takes no 'app'; allowed here: at, do, backgroundRefresh, lowPowerMode, battery, charging, network, "
            + "memory, thermal",
        ])
  }

  @Test func `invalid values are reported with the valid ones`() {
    #expect(
      errors(
        "setDevice, battery: 101%", "setDevice, thermal: hot", "setDevice, network: 4g",
        "setRefresh, status: off",
        "setRefresh, status: denid", "setRefresh, status: denied, app: c",
        "setFootprint, app: a, footprint: 3MB",
        "useCPU, app: a, share: 10001%, for: 3s", "useCPU, app: a, share: 90, for: 3s",
        "setKeepAlive, app: a, interval: 5",
        "setKeepAlive, app: a, interval: nevr", "setMinimumFetchInterval, app: a, interval: []",
        "submitTask, app: a, identifier: com.x.clean, kind: fetch",
        "submitTask, app: a, identifier: com.x.clean, kind: procesing",
        "submitTask, app: a, identifier: com.x.clean, kind: processing, requiresPower: 1",
        "post, name: \"\"") == [
          "15:38: error: '101%' is out of range; percentages are whole numbers from 0% to 100%",
          "16:38: error: unknown thermal state 'hot'; allowed here: nominal, fair, serious, critical",
          "17:38: error: unknown network '4g'; allowed here: none, cellular, wifi",
          "18:38: error: a bare 'off' is not allowed; write true or false, or quote it",
          "19:38: error: unknown status 'denid'; did you mean 'denied'?",
          "20:51: error: unknown app 'c'; did you mean 'a'?",
          "21:51: error: unknown unit 'MB' in '3MB'; the units are B KiB MiB GiB",
          "22:41: error: '10001%' is out of range; shares of a core are whole percentages from 0% to 10000%",
          "23:41: error: '90' is not a share; shares of a core are whole percentages from 0% to 10000%",
          "24:50: error: '5' has no unit; durations are whole numbers with a unit: 30s, 250ms; or 'never'",
          "25:50: error: expected a duration such as 30s or 'never', found 'nevr'; did you mean 'never'?",
          "26:61: error: expected a duration such as 30s or 'never', found a list",
          "27:69: error: unknown kind 'fetch'; allowed here: appRefresh, processing",
          "28:69: error: unknown kind 'procesing'; did you mean 'processing'?",
          "29:96: error: '1' is not a boolean; write true or false",
          "30:30: error: expected text, found nothing",
        ])
  }

  @Test func `an app cannot cancel a request that it never makes`() {
    #expect(
      errors(
        "cancelTask, app: a, identifier: com.x.refrsh",
        "cancelTask, app: b, identifier: com.x.refresh",
        "scheduleNotification, app: a, in: 3s, id: tea", "cancelNotification, app: a, id: te",
        "cancelNotification, app: b, id: tea",
        "cancelTask, app: a, identifier: t", "endTask, app: a, task: com.x.refresh") == [
          "15:50: error: 'a' submits no task 'com.x.refrsh' in this file; did you mean 'com.x.refresh'?",
          "16:50: error: 'b' submits no task 'com.x.refresh' in this file",
          "18:50: error: 'a' schedules no notification 'te' in this file; did you mean 'tea'?",
          "19:50: error: 'b' schedules no notification 'tea' in this file",
          "20:50: error: 'a' submits no task 't' in this file",
          "21:41: error: 'a' begins no task 'com.x.refresh' in this file",
        ])
  }

  @Test func `a step with another error still defines its names`() {
    #expect(
      errors("submitTask, app: b, identifier: x, kind: oops", "cancelTask, app: b, identifier: x")
        .count == 1)
  }

  @Test func `only an app's own calls are possible inside its callbacks`() {
    for deed in ["setDevice, battery: 3%", "setRefresh, status: denied", "post, name: x"] {
      let text =
        "curfew: scenario/1\nname: x\npolicy: ios13\napps: {a: {on: {fetch: [{do: \(deed)}]}}}\ntimeline: []\n"
      #expect(scenarioErrors(text).count == 1)
      #expect(scenarioErrors(text).first?.contains("is not an app's own call") == true)
    }
  }

  @Test func `an app's keys are checked`() {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      apps:
        a: {permittedIdentifiers: com.x, footprint: 5, manifest: [x]}
        b: {permittedIdentifiers: [3, [x]], memoryLimit: -3B, permittedIdentifier: [x]}
      timeline: []
      """
    #expect(
      scenarioErrors(text) == [
        "mail.yaml:5:29: error: expected a list, found 'com.x'",
        "mail.yaml:5:47: error: '5' has no unit; sizes are whole numbers with a unit: 120MiB, 4GiB",
        "mail.yaml:5:60: error: expected text, found a list",
        "mail.yaml:6:33: error: expected text, found a list",
        "mail.yaml:6:52: error: negative size '-3B'; sizes are whole numbers with a unit: 120MiB, 4GiB",
        "mail.yaml:6:57: error: unknown key 'permittedIdentifier'; did you mean 'permittedIdentifiers'?",
      ])
  }
}
