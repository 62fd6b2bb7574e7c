import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct ScenarioTests {
  static let text = """
    curfew: scenario/1
    name: Everything at once
    policy: ios7
    until: 5m
    device: {backgroundRefresh: false, lowPowerMode: true, battery: 19%, charging: false, network: cellular, memory: 2GiB}
    apps:
      com.example.mail:
        backgroundModes: [fetch, remote-notification]
        exitsOnSuspend: true
        backgroundRefresh: restricted
        footprint: 120MiB
        memoryLimit: 1GiB
        returns: {didFinishLaunching: 300ms, expirationHandler: 50ms, fetch: 2s}
        endsTasksOnExpiration: false
        on:
          didEnterBackground:
            - {do: beginTask, task: upload, for: 12s, handler: [{do: probe}, {do: endTask, task: upload}]}
            - {do: beginTask, task: sync, handler: none}
          fetch: [{do: completeWake, kind: fetch, result: noData}]
      com.example.maps: {}
    timeline:
      - {at: 0s, do: launch, app: com.example.maps}
      - {at: 1s, do: startSession, app: com.example.maps, mode: location}
      - {at: 1s, do: home}
      - {at: 2s, do: deliver, app: com.example.mail, kind: remoteNotification}
      - {at: 3s, do: expireTasks, reason: thermal}
      - {at: 4s, do: expireTasks, app: com.example.mail}
      - {at: 5s, do: beginTask, app: com.example.maps, task: upload}
      - {at: 6s, do: endTask, app: com.example.maps, task: upload}
      - {at: 7s, do: completeWake, app: com.example.mail}
      - {at: 8s, do: crash, app: com.example.maps, reason: badAccess}
      - {at: 9s, do: lock}
      - {at: 9s, do: unlock}
      - {at: 9s, do: interrupt, app: com.example.maps}
      - {at: 9s, do: acceptInterruption}
      - {at: 9s, do: ignoreInterruption}
      - {at: 9s, do: forceQuit, app: com.example.mail}
      - {at: 9s, do: stopSession, app: com.example.maps, mode: external-accessory}
      - {at: 9s, do: reboot}
    """

  @Test func `a scenario's values are those of its file`() throws {
    let scenario = try scenario(Self.text)
    let maps = AppID(rawValue: 1)
    #expect(scenario.name == "Everything at once")
    #expect(scenario.policy.name == "ios7")
    #expect(scenario.until == Instant(nanoseconds: 300_000_000_000))
    let facts = DeviceFacts(
      backgroundRefresh: .denied, lowPowerMode: true, battery: 19, network: .cellular,
      memory: 2 << 30)
    #expect(scenario.device == facts)
    #expect(scenario.device.network == .cellular)
    #expect(scenario.apps.map(\.identifier) == ["com.example.mail", "com.example.maps"])
    #expect(scenario.app("com.example.maps") == maps)

    let app = scenario.apps[0]
    #expect(
      app.manifest
        == AppManifest(
          backgroundModes: [.fetch, .remoteNotification], exitsOnSuspend: true,
          backgroundRefresh: .restricted, footprint: 120 << 20,
          memoryLimit: 1 << 30))
    #expect(
      app.returns == [
        .callback(.didFinishLaunching): .milliseconds(300), .expirationHandler: .milliseconds(50),
        .wake(.fetch): .seconds(2),
      ])
    #expect(!app.endsTasksOnExpiration)
    #expect(app.place == SourcePlace(file: "mail.yaml", line: 7, column: 3))
    let begins = try #require(app.on[.callback(.didEnterBackground)])
    #expect(
      begins.map(written) == [
        #"0 "do":"beginTask","task":"upload""#,
        #"0 "do":"beginTask","task":"sync","handler":"none""#,
      ])
    #expect(begins.map(\.length) == [.seconds(12), nil])
    #expect(
      begins[0].handler.map(written) == [#"0 "do":"probe""#, #"0 "do":"endTask","task":"upload""#]
        && begins[1].handler == [])
    #expect(begins[0].place == SourcePlace(file: "mail.yaml", line: 17, column: 11))
    #expect(
      app.on[.wake(.fetch)]?.map(written) == [
        #"0 "do":"completeWake","kind":"fetch","result":"noData""#
      ])

    #expect(scenario.apps[1].manifest == AppManifest())
    #expect(scenario.apps[1].endsTasksOnExpiration)
    #expect(
      scenario.timeline.map(\.step).map(written) == [
        #"1 "do":"launch""#, #"1 "do":"startSession","mode":"location""#, #"- "do":"home""#,
        #"0 "do":"deliver","kind":"remoteNotification""#,
        #"- "do":"expireTasks","reason":"thermal""#, #"0 "do":"expireTasks""#,
        #"1 "do":"beginTask","task":"upload""#, #"1 "do":"endTask","task":"upload""#,
        #"0 "do":"completeWake""#,
        #"1 "do":"crash","reason":"badAccess""#, #"- "do":"lock""#, #"- "do":"unlock""#,
        #"1 "do":"interrupt""#,
        #"- "do":"acceptInterruption""#, #"- "do":"ignoreInterruption""#, #"0 "do":"forceQuit""#,
        #"1 "do":"stopSession","mode":"external-accessory""#, #"- "do":"reboot""#,
      ])
    #expect(
      scenario.timeline.prefix(4).map(\.at.nanoseconds) == [
        0, 1_000_000_000, 1_000_000_000, 2_000_000_000,
      ])
    #expect(scenario.timeline[0].place == SourcePlace(file: "mail.yaml", line: 22, column: 5))
  }

  @Test func `a scenario that uses everything at once has no warning`() throws {
    #expect(try scenario(Self.text).warnings == [])
  }

  @Test func `a given policy replaces the one that the scenario names`() throws {
    let text = timeline("{at: 0s, do: lock}").replacing("ios13", with: "none/there.yaml")
    let other = try PolicyFile.load("ios4")
    #expect(
      try Scenario.decode(try SourceFile(name: "a", bytes: Array(text.utf8)), policy: other).policy
        .name == "ios4")
  }

  @Test func `a scenario names the files that were read for it`() throws {
    let text = timeline("{at: 0s, do: lock}")
    let files = [
      "a.yaml": text.replacing("policy: ios13", with: "policy: b.yaml"),
      "b.yaml": "curfew: policy/1\nname: b\nextends: ios4\n",
      "c.yaml": "curfew: policy/1\nname: c\nextends: ios4\n",
    ]
    try withFolder(files) { folder in
      let a = try Scenario.load(folder + "/a.yaml")
      #expect(a.files == [folder + "/a.yaml", folder + "/b.yaml"])
      let other = try Scenario.load(
        folder + "/a.yaml", policy: try PolicyFile.load(folder + "/c.yaml"))
      #expect(other.files == [folder + "/a.yaml", folder + "/c.yaml"])
    }
    #expect(try scenario(text).files == [])
    #expect(try Scenario.shippedDay().files == [])
  }

  @Test func `an empty timeline is legal, and so is an end before the last step`() throws {
    let text = timeline("{at: 9s, do: lock}")
    #expect(try scenario(text + "until: 3s\n").timeline.count == 1)
    #expect(
      try scenario("curfew: scenario/1\nname: x\npolicy: ios13\napps: {a: {}}\ntimeline: []\n")
        .timeline.isEmpty)
  }

  @Test func `on is a key, and so are words like it`() throws {
    let text =
      "curfew: scenario/1\nname: x\npolicy: ios13\napps:\n  on:\n    on: {willTerminate: [{do: probe}]}\n  yes: {}\ntimeline: []\n"
    #expect(try scenario(text).apps.map(\.identifier) == ["on", "yes"])
  }

  @Test func `the policy's path is relative to the scenario`() throws {
    let files = [
      "s/a.yaml": timeline("{at: 0s, do: lock}").replacing("ios13", with: "../p/two.yaml"),
      "p/two.yaml": "curfew: policy/1\nname: two\nextends: ios13\nforeground: 2\n",
    ]
    try withFolder(files) { folder in
      let scenario = try Scenario.load(folder + "/s/a.yaml")
      #expect(scenario.policy.policy.foregroundLimit == 2)
    }
  }
}
