import CurfewEngine
import CurfewManifest
import CurfewText

/// Turns a complete list of values into the engine's policy.
struct PolicyValues {
  private let texts: [String: String]

  /// The values of `entries`, which must be complete.
  init(_ entries: [PolicyEntry]) {
    texts = Dictionary(uniqueKeysWithValues: entries.map { ($0.path, $0.text) })
  }

  var policy: Policy {
    Policy(
      multitasking: flag("multitasking"), foregroundLimit: number("foreground"), hasBackgroundRefresh: flag("backgroundRefresh"),
      hasLowPowerMode: flag("lowPowerMode"), suspendDelay: length("suspendDelay"), limits: limits, tasks: tasks, sessions: sessions,
      wakes: wakes, lowBattery: percentage("lowBattery"), lockedFiles: lockedFiles, memory: memory, cpu: cpu,
      notifications: NotificationRules(kept: number("notifications.kept") ?? 0, queued: number("notifications.locations") ?? 0))
  }

  private var limits: CallbackLimits {
    CallbackLimits(
      launch: length("limits.launch"), launchWarning: length("limits.launchWarning"),
      didEnterBackground: length("limits.didEnterBackground"), willTerminate: length("limits.willTerminate"), code: code("limits.code"))
  }

  private var tasks: TaskRules {
    TaskRules(
      grant: length("tasks.grant"), grantAfterWake: length("tasks.grantAfterWake"), warning: length("tasks.warning"),
      limit: number("tasks.limit") ?? 0, limitCode: code("tasks.limitCode"), code: code("tasks.code"),
      ageWarning: interval("tasks.ageWarning"), lateBegin: flag("tasks.strict") ? .invalid : .valid,
      refreshGate: flag("tasks.seedStrict") ? .seedStrict : .open, thermalExpiry: ThermalState(fileName: text("tasks.thermalExpiry")))
  }

  private var sessions: [AssertionKind: SessionRules] {
    var rows: [AssertionKind: SessionRules] = [:]
    for kind in AssertionKind.sessions {
      let row = "sessions.\(kind.fileName)"
      guard texts["\(row).linger"] != nil else { continue }
      rows[kind] = SessionRules(stopsTaskClock: flag("\(row).stopsTaskClock"), linger: length("\(row).linger"))
    }
    return rows
  }

  private var wakes: [AssertionKind: WakeRules] {
    var rows: [AssertionKind: WakeRules] = [:]
    for kind in AssertionKind.wakes {
      let row = "wakes.\(kind.fileName)"
      guard texts["\(row).length"] != nil else { continue }
      rows[kind] = WakeRules(
        modes: modes("\(row).mode"), relaunches: flag("\(row).relaunches"), survivesForceQuit: flag("\(row).survivesForceQuit"),
        deniedBy: deniedBy(row), length: length("\(row).length"), overrun: text("\(row).overrun") == "kill" ? .kill : .drop,
        code: code("\(row).code"), schedule: schedule(row), budget: budget(row), pendingLimit: number("\(row).pending"))
    }
    return rows
  }

  private func schedule(_ row: String) -> WakeSchedule {
    WakeSchedule(
      minimumInterval: interval("\(row).minimumInterval") ?? .zero, alignment: interval("\(row).alignment") ?? .zero,
      greatestBackoff: number("\(row).backoff") ?? 1)
  }

  private func budget(_ row: String) -> WakeBudget? {
    interval("\(row).window").map {
      WakeBudget(window: $0, admissions: number("\(row).admissions"), runTime: interval("\(row).runTime"))
    }
  }

  private var lockedFiles: LockedFileRules {
    LockedFileRules(terminates: flag("lockedFiles.terminate"), code: code("lockedFiles.code"))
  }

  private var memory: MemoryRules {
    MemoryRules(
      capacity: size("memory.capacity") ?? 0, warningLevel: percentage("memory.warning"), resetLevel: percentage("memory.warningReset"),
      footprint: size("memory.footprint") ?? 0, appLimit: size("memory.appLimit"))
  }

  private var cpu: CPURules? {
    guard text("cpu.share") != "none" else { return nil }
    return CPURules(
      share: UInt32(percentage("cpu.share")), window: length("cpu.window"), holdsWhileCharging: flag("cpu.whileCharging"))
  }

  private func deniedBy(_ row: String) -> DenialReasons {
    var reasons: DenialReasons = []
    if flag("\(row).needsBackgroundRefresh") { reasons.formUnion([.backgroundRefreshDenied, .backgroundRefreshRestricted]) }
    if flag("\(row).blockedByLowPowerMode") { reasons.insert(.lowPowerMode) }
    if flag("\(row).blockedByLowBattery") { reasons.insert(.lowBattery) }
    return reasons
  }

  private func text(_ path: String) -> String {
    guard let text = texts[path] else { preconditionFailure("The policy's values are complete, but for \(path)") }
    return text
  }

  private func flag(_ path: String) -> Bool { text(path) == "true" }

  private func number(_ path: String) -> UInt32? { UInt32(text(path)) }

  private func code(_ path: String) -> TerminationCode? { try? CodeText.read(text(path)) }

  private func size(_ path: String) -> Int64? { try? SizeText.read(text(path)) }

  private func percentage(_ path: String) -> UInt8 {
    guard let percentage = try? PercentageText.read(text(path)) else { preconditionFailure("\(path) is checked to be a percentage") }
    return UInt8(percentage)
  }

  /// A duration, or nil for the word that says that there is none.
  private func interval(_ path: String) -> Interval? { try? DurationText.read(text(path)) }

  private func length(_ path: String) -> Interval {
    guard let interval = interval(path) else { preconditionFailure("\(path) is checked to be a duration") }
    return interval
  }

  private func modes(_ path: String) -> BackgroundModes {
    text(path).split(separator: ", ").reduce(into: []) { modes, name in
      if let mode = BackgroundModes(fileName: String(name)) { modes.insert(mode) }
    }
  }
}
