import CurfewEngine
import CurfewPolicy
import TestRuns
import Testing

/// The shipped profiles against the tables of the rules, value by value, and the others against
/// the promises of their files.
@Suite(.inTurn) struct ProfileTests {
  /// For each wake: its mode, its properties and denials (R relaunches, F survives force quit,
  /// B needs Background App Refresh, L is blocked by Low Power Mode), its length in seconds,
  /// the overrun, its code from ios13 on, and the profile that introduced it.
  private static let wakes = """
    fetch               fetch                                   R-BL 30  kill 2182bad4 ios7
    remoteNotification  remote-notification                     R-BL 30  kill 2182baad ios7
    newsstand           newsstand-content                       R-B- 30  kill 2182baad ios4
    significantLocation none                                    RFB- 10  drop none     ios4
    region              none                                    RFB- 10  drop none     ios4
    bluetoothData       bluetooth-central,bluetooth-peripheral  R--- 10  drop none     ios7
    accessoryData       external-accessory                      ---- 10  drop none     ios4
    voipPush            voip                                    RF-- 30  drop none     ios7
    voipKeepAlive       voip                                    R--- 10  drop none     ios4
    urlSession          none                                    R--- 30  kill 2182bad3 ios7
    appRefresh          fetch                                   R-BL 30  kill 2182bad4 ios13
    processing          processing                              R-BL 300 drop none     ios13
    """

  private static let watchdog = TerminationCode(rawValue: 0x8bad_f00d)

  @Test(arguments: PolicyFile.builtInNames.filter { $0.hasPrefix("ios") })
  func `each value of a profile is the one that the rules state`(
    _ name: String
  ) throws {
    let policy = try PolicyFile.load(name).policy
    let version = try #require(Int(name.dropFirst(3)))
    #expect(policy.wakes == Self.wakes(version))
    #expect(policy.sessions == Self.sessions(version))
    #expect(policy.tasks == Self.tasks(version))
    #expect(
      policy
        == Policy(
          multitasking: version >= 4, foregroundLimit: 1, hasBackgroundRefresh: version >= 7,
          hasLowPowerMode: version >= 13,
          suspendDelay: .zero,
          limits: CallbackLimits(
            launch: .seconds(20), launchWarning: .seconds(5),
            didEnterBackground: .seconds(version < 13 ? 5 : 10),
            didEnterBackgroundWarning: version < 13 ? nil : .seconds(5),
            willTerminate: .seconds(5),
            withoutAssertionWarning: version < 4 ? nil : .seconds(10),
            code: Self.watchdog),
          tasks: Self.tasks(version), sessions: Self.sessions(version), wakes: Self.wakes(version),
          lowBattery: 20,
          lockedFiles: LockedFileRules(
            terminates: true, code: TerminationCode(rawValue: 0xdead_10cc)),
          memory: MemoryRules(
            capacity: 4 << 30, warningLevel: 80, resetLevel: 75, footprint: 50 << 20, appLimit: nil),
          cpu: CPURules(share: 80, window: .seconds(60), holdsWhileCharging: false),
          notifications: NotificationRules(
            kept: version < 4 ? 0 : version < 7 ? 128 : 64, queued: 100, names: 1000)))
  }

  @Test(arguments: PolicyFile.builtInNames)
  func `every value that a profile writes has its confidence and its source`(
    _ name: String
  ) throws {
    let file = try PolicyFile.load(name)
    var written = 0
    for entry in file.entries where file.isWritten(entry) {
      written += 1
      #expect(entry.confidence != nil, "\(entry.place): \(entry.path)")
      #expect(entry.source?.isEmpty == false, "\(entry.place): \(entry.path)")
      // A short key without a meaning would be its own text.
      #expect(
        entry.source?.contains(" ") == true || entry.source?.contains("://") == true,
        "\(entry.place): \(entry.source ?? "")")
    }
    #expect(written > 25)
  }

  @Test func `the car has kinds and facts of its own, and no row of a phone`() throws {
    let file = try PolicyFile.load("car")
    let (policy, names) = (file.policy, file.policy.names)
    #expect(file.parents.isEmpty && PolicyFile.builtInNames.contains("car"))
    #expect(Set(policy.sessions.keys.map(names.name)) == ["navigation", "media", "call"])
    #expect(
      Set(policy.wakes.keys.map(names.name)) == [
        "shutdown", "carUpdate", "remoteCommand", "tripEvent",
      ])
    #expect(
      names.names(of: policy.facts.ofDevice) == ["ignitionOff", "parked"]
        && names.names(of: policy.facts.ofApps) == ["ioOveruse"])
    #expect(policy.facts.unset.isEmpty && policy.foregroundLimit == 2)
    let ends = policy.sessions.filter {
      names.names(of: $0.value.conditions.blockedBy) == ["ignitionOff"]
    }.keys.map(names.name)
    #expect(Set(ends) == ["navigation", "media"])
    let (shutdown, update) = (names.kind("shutdown"), names.kind("carUpdate"))
    let grace = try #require(shutdown.flatMap { policy.wakes[$0] })
    #expect(grace.length == .seconds(5) && grace.overrun == .drop && !grace.relaunches)
    #expect(names.names(of: grace.conditions.requires) == ["ignitionOff"])
    let upkeep = try #require(update.flatMap { policy.wakes[$0] })
    #expect(
      upkeep.start == .request && upkeep.waitsForIdle && upkeep.length == .seconds(900)
        && upkeep.conditions.blockedBy == .lowBattery)
    #expect(names.names(of: upkeep.conditions.requires) == ["ignitionOff", "parked"])
  }

  @Test func `a server has jobs of up to a day, no limit in front, and no memory to share`() throws
  {
    let file = try PolicyFile.load("server")
    let (policy, names) = (file.policy, file.policy.names)
    #expect(file.parents.isEmpty && PolicyFile.builtInNames.last == "server")
    #expect(
      policy.sessions.isEmpty && policy.wakes.keys.map(names.name) == ["job"]
        && policy.foregroundLimit == nil)
    #expect(
      names.names(of: policy.facts.ofDevice) == ["draining"] && policy.facts.ofApps == []
        && policy.facts.unset.isEmpty)
    let job = try #require(names.kind("job").flatMap { policy.wakes[$0] })
    #expect(
      job.length == .seconds(86_400) && job.warning == .seconds(5) && job.overrun == .kill
        && job.relaunches)
    #expect(names.names(of: job.conditions.blockedBy) == ["draining"] && job.modes.isEmpty)
    #expect(policy.memory.footprint == 0)
  }

  @Test func `Android has standby buckets, and each has quotas of its own`() throws {
    let file = try PolicyFile.load("android14")
    let (policy, names) = (file.policy, file.policy.names)
    #expect(
      file.parents.isEmpty && policy.suspendDelay == .seconds(10)
        && policy.tasks.grant == .seconds(60))
    #expect(
      names.groups == [
        "active", "exempt", "frequent", "rare", "restricted", "restrictedByUser", "workingSet",
      ])
    let hours = zip(names.groups, policy.groups).map {
      "\($0) \($1.unusedFor.nanoseconds / 3_600_000_000_000) \($1.rank)"
    }
    #expect(
      hours == [
        "active 0 0", "exempt 0 2", "frequent 24 0", "rare 48 0", "restricted 192 0",
        "restrictedByUser 0 1", "workingSet 12 0",
      ])
    let job = try #require(names.kind("job").flatMap { policy.wakes[$0] })
    #expect(
      names.names(of: job.conditions.blockedBy) == ["lowPowerMode", "dozing"]
        && job.start == .request && job.coalescing == .seconds(5))
    let minute = Interval.seconds(60)
    // The window in hours, and the jobs and sessions in it.
    for (group, window, jobs, sessions) in [
      ("workingSet", 2, 120, 10), ("frequent", 8, 200, 8), ("rare", 24, 48, 3),
      ("restricted", 24, 10, 1),
    ] {
      let own = try #require(
        names.groups.firstIndex(of: group).map { AppGroup(rawValue: UInt8($0)) })
      let window = Interval.seconds(Int64(window * 3600))
      let expected = [
        Budget(.runTime(.seconds(600)), in: window, of: own),
        Budget(.admissions(UInt32(jobs)), in: window, of: own),
        Budget(.sessions(UInt32(sessions)), in: window, of: own),
      ]
      #expect(job.budgets.filter { $0.group == own } == expected, "\(group)")
    }
    let ofAll = [
      Budget(.runTime(.seconds(14_400)), in: .seconds(86_400)), Budget(.admissions(20), in: minute),
      Budget(.sessions(20), in: minute),
    ]
    #expect(job.budgets.filter { $0.group == nil } == ofAll)
    let service = try #require(names.kind("shortService").flatMap { policy.sessions[$0] })
    #expect(
      service.length == .seconds(190) && service.warning == .seconds(10) && service.overrun == .kill
    )
  }

  private static func tasks(_ version: Int) -> TaskRules {
    let none = version < 4
    return TaskRules(
      grant: .seconds(none ? 0 : version < 7 ? 600 : version < 13 ? 180 : 30),
      grantAfterWake: .seconds(none ? 0 : version < 7 ? 600 : version < 13 ? 40 : 30),
      warning: .seconds(none ? 0 : 5), limit: 1000,
      limitCode: TerminationCode(rawValue: 0xbada_5e47),
      code: none ? nil : version < 13 ? watchdog : TerminationCode(rawValue: 0x2182_bad2),
      ageWarning: version < 13 ? nil : .seconds(30),
      lateBegin: .valid, refreshGate: .open, thermalExpiry: version < 13 ? nil : .critical)
  }

  private static func sessions(_ version: Int) -> [AssertionKind: SessionRules] {
    let still = SessionRules(stopsTaskClock: false, linger: .zero)
    let held = SessionRules(stopsTaskClock: false, linger: .zero, isPurgedLast: true)
    let played = SessionRules(stopsTaskClock: true, linger: .zero, isPurgedLast: true)
    var rows: [AssertionKind: SessionRules] = [:]
    if version >= 4 {
      rows = [.audio: played, .location: still, .voip: still, .externalAccessory: held]
    }
    if version >= 7 {
      for kind in [AssertionKind.bluetoothCentral, .bluetoothPeripheral] { rows[kind] = still }
    }
    if version >= 13 { rows[.location] = SessionRules(stopsTaskClock: true, linger: .seconds(1)) }
    return rows
  }

  private static func wakes(_ version: Int) -> [AssertionKind: WakeRules] {
    var rows: [AssertionKind: WakeRules] = [:]
    for line in wakes.split(separator: "\n") {
      let column = line.split(separator: " ").map(String.init)
      guard let kind = PolicyNames().kind(KindName(rawValue: column[0])),
        let since = Int(column[6].dropFirst(3)), since <= version
      else {
        continue
      }
      var conditions = FactConditions()
      if column[2].contains("B"), version >= 7 { conditions.requires = .backgroundRefresh }
      if column[2].contains("L"), version >= 13 { conditions.blockedBy.insert(.lowPowerMode) }
      if kind == .appRefresh || kind == .processing { conditions.blockedBy.insert(.lowBattery) }
      rows[kind] = WakeRules(
        modes: column[1].split(separator: ",").compactMap { BackgroundModes(fileName: String($0)) }
          .reduce(into: []) { $0.formUnion($1) },
        relaunches: column[2].contains("R"),
        survivesForceQuit: column[2].contains("F") && version >= 7, conditions: conditions,
        length: .seconds(Int64(column[3]) ?? 0), overrun: column[4] == "kill" ? .kill : .drop,
        code: column[4] == "drop"
          ? nil
          : version < 13
            ? watchdog : UInt32(column[5], radix: 16).map(TerminationCode.init(rawValue:)))
    }
    rows[.fetch]?.schedule = WakeSchedule(
      minimumInterval: .seconds(900), alignment: .seconds(900), greatestBackoff: 8)
    rows[.voipKeepAlive]?.schedule = WakeSchedule(minimumInterval: .seconds(600))
    rows[.remoteNotification]?.budget = WakeBudget(window: .seconds(3600), admissions: 3)
    rows[.newsstand]?.budget = WakeBudget(window: .seconds(86_400), admissions: 1)
    for kind in [AssertionKind.appRefresh, .processing] {
      rows[kind]?.schedule = WakeSchedule(minimumInterval: .seconds(900), alignment: .seconds(900))
      rows[kind]?.warning = .seconds(5)
      rows[kind]?.unhandledWarning = .end
    }
    for kind in [AssertionKind.fetch, .remoteNotification] {
      rows[kind]?.completedTwice = .end
    }
    if version >= 13 {
      // The row of a call that was not reported.
      rows[.voipPush]?.overrun = .kill
      rows[.voipPush]?.code = TerminationCode(rawValue: 0xbaad_ca11)
    }
    rows[.processing]?.waitsForIdle = true
    rows[.appRefresh]?.pendingLimit = 1
    rows[.processing]?.pendingLimit = 10
    return rows
  }
}
