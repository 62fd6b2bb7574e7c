import CurfewEngine
import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct PolicyTests {
  static let child = "curfew: policy/1\nname: mine\nextends: ios13\n"

  @Test func `each value that is not written is the parent's`() throws {
    let mine = try policy(
      Self.child + "tasks: {grant: 45s}\nwakes:\n  fetch: {length: 10s}\nforeground: unlimited\n")
    let parent = try PolicyFile.load("ios13")
    var expected = parent.policy
    expected.tasks.grant = .seconds(45)
    expected.wakes[.fetch]?.length = .seconds(10)
    expected.foregroundLimit = nil
    #expect(mine.policy == expected)
    #expect(mine.entry("tasks.grant")?.place == SourcePlace(file: "mine.yaml", line: 4, column: 16))
    #expect(mine.entry("tasks.warning")?.place.file == "Policies/ios4.yaml")
    #expect(mine.entries.map(\.path) == parent.entries.map(\.path))
    #expect(mine.entry("tasks.grant")?.text == "45s")
    #expect(mine.place(of: "wakes.fetch") == SourcePlace(file: "mine.yaml", line: 6, column: 3))
    #expect(mine.place(of: "wakes.nonsense") == nil)
  }

  @Test func `a parent's path is relative to the file that names it`() throws {
    let files = [
      "a.yaml": "curfew: policy/1\nname: a\nextends: sub/b.yaml\n",
      "sub/b.yaml": "curfew: policy/1\nname: b\nextends: ./c.yaml\ntasks: {grant: 20s}\n",
      "sub/c.yaml": "curfew: policy/1\nname: c\nextends: ios7\nsuspendDelay: 3s\n",
    ]
    try withFolder(files) { folder in
      let a = try PolicyFile.load("a.yaml", relativeTo: folder + "/scenario.yaml")
      #expect(a.name == "a")
      #expect(a.file == folder + "/a.yaml")
      #expect(a.policy.tasks.grant == .seconds(20))
      #expect(a.policy.suspendDelay == .seconds(3))
      #expect(
        a.entry("suspendDelay")?.place
          == SourcePlace(file: folder + "/sub/c.yaml", line: 4, column: 15))
    }
  }

  @Test func `a policy names the files that were read for it, itself first`() throws {
    let files = [
      "a.yaml": "curfew: policy/1\nname: a\nextends: sub/b.yaml\n",
      "sub/b.yaml": "curfew: policy/1\nname: b\nextends: ios7\n",
    ]
    try withFolder(files) { folder in
      let (a, b) = (folder + "/a.yaml", folder + "/sub/b.yaml")
      let own = try PolicyFile.load(a)
      #expect(own.files == [a, b])
      let child = try policy("curfew: policy/1\nname: c\nextends: \(b)\n")
      #expect(child.files == [b])
    }
    #expect(try PolicyFile.load("ios13").files == [])
    #expect(try policy(Self.child).files == [])
  }

  @Test func `a row that no parent has needs its length and the consequence of an overrun`() throws
  {
    #expect(
      policyErrors(
        "curfew: policy/1\nname: x\nextends: ios4\nwakes:\n  fetch: {relaunches: true, blockedBy: none}\n"
      )
        == [
          "mine.yaml:5:3: error: missing 'wakes.fetch.length', 'wakes.fetch.overrun'; a row that no parent has needs 'length' and 'overrun'"
        ])
    let row =
      "{length: 3s, overrun: drop, relaunches: false, survivesForceQuit: false, requires: none, blockedBy: none}"
    let file = try policy("curfew: policy/1\nname: x\nextends: ios4\nwakes:\n  fetch: \(row)\n")
    #expect(file.policy.wakes[.fetch]?.code == nil)
    #expect(file.policy.wakes[.fetch]?.modes == [])
    #expect(file.policy.wakes[.fetch]?.schedule == WakeSchedule())
    #expect(file.policy.wakes[.fetch]?.budget == nil)
    #expect(file.policy.wakes[.fetch]?.pendingLimit == nil)
    #expect(file.entry("wakes.fetch.backoff")?.text == "1")
    #expect(file.entry("wakes.fetch.mode")?.text == "none")
    #expect(
      file.entry("wakes.fetch.mode")?.place == SourcePlace(file: "mine.yaml", line: 5, column: 3))
  }

  @Test func `a policy without a parent needs every value`() {
    #expect(
      policyErrors("curfew: policy/1\nname: x\nmultitasking: false\nlimits: {launch: 20s}\n") == [
        "mine.yaml:1:1: error: missing 'foreground', 'backgroundRefresh', 'lowPowerMode', 'lowBattery', 'suspendDelay', "
          + "'lockedFiles.terminate', 'memory.capacity', 'memory.warning', 'memory.warningReset', 'memory.footprint', 'memory.appLimit', "
          + "'cpu.share', 'cpu.window', 'cpu.whileCharging', 'notifications.kept', 'notifications.locations'; "
          + "a policy without 'extends' needs every value",
        "mine.yaml:4:1: error: missing 'limits.launchWarning', 'limits.didEnterBackground', 'limits.willTerminate'; a policy without 'extends' needs every value",
      ])
    #expect(
      policyErrors("curfew: policy/1\nname: x\nextends: ios3\nmultitasking: true\n") == [
        "mine.yaml:4:15: error: missing 'tasks.grant', 'tasks.grantAfterWake', 'tasks.warning'; where 'multitasking' is true, tasks need every value"
      ])
  }

  @Test func `a value's source is its own, its mapping's or none`() throws {
    let file = try policy(
      """
      curfew: policy/1
      name: x
      extends: ios13
      sources:
        MINE: A measurement of mine
      suspendDelay: {value: 1s, confidence: assumed}
      tasks:
        confidence: observed
        source: MINE
        grant: 40s
        grantAfterWake: {value: 35s, source: QN}
        warning: {value: 4s, confidence: assumed, source: A remark}
      sessions:
        source: MINE
        audio: {linger: 2s}
      """)
    let quinn = try #require(try PolicyFile.load("ios13").entry("tasks.limit")?.source)
    #expect(file.entry("suspendDelay")?.source == nil)
    #expect(file.entry("suspendDelay")?.confidence == .assumed)
    #expect(file.entry("tasks.grant")?.source == "A measurement of mine")
    #expect(file.entry("tasks.grant")?.confidence == .observed)
    #expect(file.entry("tasks.grantAfterWake")?.source == quinn)
    #expect(file.entry("tasks.grantAfterWake")?.confidence == .observed)
    #expect(file.entry("tasks.warning")?.source == "A remark")
    #expect(file.entry("tasks.warning")?.confidence == .assumed)
    #expect(file.entry("tasks.limit")?.source == quinn)
    #expect(file.entry("foreground")?.confidence == .assumed)
    #expect(
      file.entry("tasks.grant")?.place == SourcePlace(file: "mine.yaml", line: 10, column: 10))
    #expect(
      file.entry("tasks.warning")?.place == SourcePlace(file: "mine.yaml", line: 12, column: 20))
    #expect(file.entry("sessions.audio.linger")?.source == "A measurement of mine")
    #expect(file.entry("sessions.audio.linger")?.confidence == nil)
    #expect(file.entry("sessions.audio.stopsTaskClock")?.place.file == "Policies/ios4.yaml")
  }

  @Test func `the digest depends on the values, not on how they are written`() throws {
    let plain = try policy(Self.child + "tasks: {grant: 40s, warning: 6s}\n")
    let other = try policy(
      """
      # A remark.
      curfew: policy/1
      name: 'another name'
      about: The same.
      sources: {X: y}
      tasks:
        warning: {value: 6000ms, confidence: assumed, source: X}
        grant: 40000ms   # the same
        ageWarning: 30s
      wakes: {bluetoothData: {mode: [bluetooth-peripheral, bluetooth-central]}}
      extends: ios13
      """, file: "other.yaml")
    #expect(plain.digest == other.digest)
    #expect(plain.policy == other.policy)
    #expect(plain.digest != (try PolicyFile.load("ios13").digest))
    #expect(
      plain.digest.allSatisfy { $0.isHexDigit && !$0.isUppercase } && plain.digest.count == 16)
  }

  @Test func `the digest is FNV-1a of a line for each value`() throws {
    let file = try PolicyFile.load("ios7")
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in file.entries.map({ "\($0.path)=\($0.text)\n" }).joined().utf8 {
      hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
    }
    #expect(UInt64(file.digest, radix: 16) == hash)
  }

  @Test func `each denial names the deciding value and the change that would help`() throws {
    let file = try PolicyFile.load("ios13")
    for kind in KindName.standard {
      for reason in DenialReasons.all.map({ Denials($0) }) {
        #expect(file.remedy(ofDenial: reason, kind: kind).hasSuffix("."))
        if let path = file.path(ofDenial: reason, kind: kind), path != "wakes", path != "sessions" {
          #expect(file.place(of: path) != nil, "\(path)")
        }
      }
    }
    #expect(file.path(ofDenial: .modeNotDeclared, kind: .fetch) == "wakes.fetch.mode")
    #expect(
      file.path(ofDenial: .modeNotDeclared, kind: .externalAccessory)
        == "sessions.external-accessory")
    #expect(file.path(ofDenial: .backgroundRefreshDenied, kind: .finiteTask) == "tasks.seedStrict")
    for reason in [Denials.backgroundRefreshDenied, .backgroundRefreshRestricted] {
      #expect(file.path(ofDenial: reason, kind: .audio) == "tasks.seedStrict")
      #expect(file.path(ofDenial: reason, kind: .fetch) == "wakes.fetch.requires")
    }
    #expect(
      file.path(ofDenial: .mayNotRelaunch, kind: .accessoryData) == "wakes.accessoryData.relaunches"
    )
    #expect(file.path(ofDenial: .forceQuit, kind: .fetch) == "wakes.fetch.survivesForceQuit")
    #expect(file.path(ofDenial: .budget, kind: .finiteTask) == "tasks.strict")
    #expect(file.path(ofDenial: .budget, kind: .fetch) == nil)
    #expect(
      file.remedy(ofDenial: .modeNotDeclared, kind: .bluetoothData).contains(
        "'bluetooth-central' or 'bluetooth-peripheral'"))
    #expect(
      file.path(ofTermination: .backgroundTaskAssertionTimeout, kind: .fetch)
        == "wakes.fetch.length")
    #expect(
      file.path(ofTermination: .backgroundTaskAssertionTimeout, kind: .finiteTask) == "tasks.grant")
    #expect(file.path(ofTermination: .appWatchdog, during: .didFinishLaunching) == "limits.launch")
    #expect(file.path(ofTermination: .reboot) == nil)
  }
}

extension PolicyTests {
  @Test func `W4 a denial by one of several budgets names the budget and the remedy`() throws {
    let text = """
      groups: {rare: {unusedFor: 1h}}
      wakes:
        region: {budgets: [1 admission in 1h, 5m in 2h, 0 admissions in 1s for rare, 2 sessions in 1d]}
        fetch: {budgets: 0 sessions in 1d}
      """
    let file = try policy(Self.child + text)
    func explained(_ budgets: [String], _ kind: KindName = "region") throws -> Explanation {
      let all = file.explanations(
        ofDenial: Denials(.budget, budgets: budgets), kind: kind, in: Explanation.Setting())
      return try #require(all.first)
    }
    let one = try explained(["1 admission in 1h"])
    #expect(
      one.fact.key == "wakes.region.budgets" && one.fact.value == "1 admission in 1h"
        && one.others.isEmpty)
    #expect(one.remedy == "Wait until the window has room again: no more than 1 admission in 1h.")
    let two = try explained(["5m in 2h", "2 sessions in 1d"])
    #expect(two.fact.value == "5m in 2h" && two.others.map(\.value) == ["2 sessions in 1d"])
    #expect(
      two.remedy
        == "Wait until each window has room again: no more than 5m in 2h, 2 sessions in 1d.")
    #expect(
      try explained(["0 admissions in 1s for rare"]).remedy == "Move the app to another group.")
    #expect(
      try explained(["1 admission in 1h", "0 admissions in 1s for rare"]).remedy
        == "Move the app to another group, and wait until the window has room again: no more than 1 admission in 1h."
    )
    #expect(
      try explained(["0 sessions in 1d"], "fetch").remedy
        == "Use a policy without '0 sessions in 1d'.")
    // Older traces do not name the full budgets.
    #expect(
      try explained([]).fact.value
        == "1 admission in 1h, 5m in 2h, 0 admissions in 1s for rare, 2 sessions in 1d")
  }

  @Test
  func `W4 a denial for lack of room says how much room is needed, and which value requires it`()
    throws
  {
    let text = """
      sessions:
        sync: {mode: none, warning: 10s, budgets: 6h in 24h}
      wakes:
        region: {leastRoom: 4s, budgets: [1 admission in 1h, 5m in 2h]}
        fetch: {runTime: 5m, window: 1h, warning: 5s}
        urlSession: {budgets: 5m in 2h, warning: 5s, leastRoom: 0s}
      """
    let file = try policy(Self.child + text)
    func explained(_ kind: KindName, _ budgets: [String] = []) throws -> Explanation {
      try #require(
        file.explanations(
          ofDenial: Denials(.budget, budgets: budgets), kind: kind, in: Explanation.Setting()
        ).first)
    }
    let wait = "Wait until the window has room again: no more than"
    let region = try explained("region", ["5m in 2h"])
    #expect(
      region.others.map(\.key) == ["wakes.region.leastRoom"] && region.others.map(\.value) == ["4s"]
    )
    #expect(region.remedy == "\(wait) 5m in 2h (more than 4s left).")
    let counted = try explained("region", ["1 admission in 1h"])
    #expect(counted.others.isEmpty && counted.remedy == "\(wait) 1 admission in 1h.")
    let sync = try explained("sync", ["6h in 1d"])
    #expect(
      sync.fact.key == "sessions.sync.budgets"
        && sync.others.map(\.key) == ["sessions.sync.warning"])
    #expect(sync.remedy == "\(wait) 6h in 1d (more than 10s left).")
    let fetch = try explained("fetch")
    #expect(
      fetch.fact.key == "wakes.fetch.runTime" && fetch.others.map(\.key) == ["wakes.fetch.warning"])
    #expect(fetch.remedy == "\(wait) 5m of run time in 1h (more than 5s left).")
    let any = try explained("urlSession", ["5m in 2h"])
    #expect(any.others.isEmpty && any.remedy == "\(wait) 5m in 2h.")
  }

  @Test func `a denial by a budget or by an interval names the row's figure`() throws {
    let rows =
      "wakes:\n  fetch: {runTime: 5m, window: 1h}\n  urlSession: {admissions: 4, runTime: 90s, window: 2h}\n"
    let file = try policy(Self.child + rows)
    #expect(
      file.path(ofDenial: .budget, kind: .remoteNotification)
        == "wakes.remoteNotification.admissions")
    #expect(file.path(ofDenial: .budget, kind: .fetch) == "wakes.fetch.runTime")
    #expect(file.path(ofDenial: .budget, kind: .region) == nil)
    #expect(
      file.path(ofDenial: .interval, kind: .voipKeepAlive) == "wakes.voipKeepAlive.minimumInterval")
    #expect(file.path(ofDenial: .interval, kind: .region) == nil)
    #expect(
      file.remedy(ofDenial: .budget, kind: .newsstand)
        == "Wait until the window has room again: no more than 1 in 1d.")
    #expect(
      file.remedy(ofDenial: .budget, kind: .urlSession)
        == "Wait until the window has room again: no more than 4 and 90s of run time in 2h."
    )
    #expect(
      file.remedy(ofDenial: .interval, kind: .voipKeepAlive)
        == "Ask for an interval of at least 10m.")
  }

  @Test func `the low level comes from the policy, and the explanation uses it too`() throws {
    let remedy = try PolicyFile.load("ios13").remedy(ofDenial: .lowBattery, kind: .processing)
    #expect(remedy == "Plug the device in, or charge it to at least 20%.")
    #expect(
      try policy(Self.child + "lowBattery: 5%\n").remedy(ofDenial: .lowBattery, kind: .appRefresh)
        .contains("5%"))
  }

  @Test func `a kill for memory, the processor or a locked file names its value`() throws {
    let file = try PolicyFile.load("ios13")
    for (reason, path) in [
      (TerminationReason.cpuResourceLimit, "cpu.share"), (.memoryPressure, "memory.capacity"),
      (.memoryResourceLimit, nil),
      (.suspendedWithLockedFile, "lockedFiles.terminate"),
    ] {
      #expect(file.path(ofTermination: reason) == path)
      if let path { #expect(file.place(of: path) != nil) }
    }
    let limited = try policy(Self.child + "memory: {appLimit: 200MiB}\n")
    #expect(limited.policy.memory.appLimit == 200 << 20)
    #expect(limited.path(ofTermination: .memoryResourceLimit) == "memory.appLimit")
  }

  @Test func `a refused request names the deciding value and the change that would help`() throws {
    let file = try PolicyFile.load("ios13")
    for kind in PolicyNames().kinds(.wake) {
      for error in TaskRequestError.allCases {
        let remedy = file.remedy(ofRefusal: error, kind: kind)
        #expect(remedy.hasSuffix(".") && !remedy.dropLast().contains("."))
        if let path = file.path(ofRefusal: error, kind: kind) {
          #expect(file.place(of: path) != nil, "\(path)")
        }
      }
    }
    #expect(
      file.path(ofRefusal: .tooManyPendingTaskRequests, kind: .processing)
        == "wakes.processing.pending")
    #expect(
      file.remedy(ofRefusal: .tooManyPendingTaskRequests, kind: .processing).hasSuffix(
        ": 10 may be pending."))
    #expect(file.path(ofRefusal: .notPermitted, kind: .appRefresh) == "wakes.appRefresh.mode")
    #expect(
      file.path(ofRefusal: .notPermitted, kind: .appRefresh, declaring: ["audio"])
        == "wakes.appRefresh.mode")
    #expect(
      file.path(ofRefusal: .notPermitted, kind: .appRefresh, declaring: ["audio", "fetch"]) == nil)
    #expect(file.remedy(ofRefusal: .notPermitted, kind: .appRefresh).contains("declare 'fetch'"))
    #expect(file.path(ofRefusal: .unavailable, kind: .processing) == "wakes.processing.requires")
    #expect(file.path(ofRefusal: .unavailable, kind: .fetch) == "wakes.fetch.pending")
    #expect(try PolicyFile.load("ios7").path(ofRefusal: .unavailable, kind: .appRefresh) == "wakes")
    #expect(
      try PolicyFile.load("ios3").path(ofRefusal: .unavailable, kind: .appRefresh) == "multitasking"
    )
    let open = try policy(Self.child + "wakes: {appRefresh: {mode: none, requires: none}}\n")
    #expect(open.path(ofRefusal: .notPermitted, kind: .appRefresh) == nil)
    #expect(open.path(ofRefusal: .unavailable, kind: .appRefresh) == nil)
  }
}
