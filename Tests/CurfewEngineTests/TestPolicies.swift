import CurfewEngine

/// Policies written in code, so that the engine's tests read no files. Numbers are those of the
/// shipped profile of the same name, if there is one.
extension Policy {
  static let ios13 = Policy(
    multitasking: true, foregroundLimit: 1, hasBackgroundRefresh: true, hasLowPowerMode: true,
    suspendDelay: .zero,
    limits: CallbackLimits(
      launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(10),
      didEnterBackgroundWarning: .seconds(5), willTerminate: .seconds(5),
      withoutAssertionWarning: .seconds(10),
      code: TerminationCode(rawValue: 0x8bad_f00d)),
    tasks: TaskRules(
      grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000,
      limitCode: TerminationCode(rawValue: 0xbada_5e47),
      code: TerminationCode(rawValue: 0x2182_bad2), ageWarning: .seconds(30),
      lateBegin: .valid, refreshGate: .open, thermalExpiry: .critical),
    sessions: [
      .audio: SessionRules(stopsTaskClock: true, linger: .zero, isPurgedLast: true),
      .location: SessionRules(stopsTaskClock: true, linger: .seconds(1)),
      .voip: SessionRules(stopsTaskClock: false, linger: .zero),
      .externalAccessory: SessionRules(stopsTaskClock: false, linger: .zero, isPurgedLast: true),
      .bluetoothCentral: SessionRules(stopsTaskClock: false, linger: .zero),
    ],
    wakes: [
      .fetch: WakeRules(
        modes: .fetch, relaunches: true, survivesForceQuit: false,
        conditions: FactConditions(requires: .backgroundRefresh, blockedBy: .lowPowerMode),
        length: .seconds(30), overrun: .kill,
        code: TerminationCode(rawValue: 0x2182_bad4),
        schedule: WakeSchedule(
          minimumInterval: .seconds(900), alignment: .seconds(900), greatestBackoff: 8)),
      .remoteNotification: WakeRules(
        modes: .remoteNotification, relaunches: true, survivesForceQuit: false,
        conditions: FactConditions(requires: .backgroundRefresh, blockedBy: .lowPowerMode),
        length: .seconds(30), overrun: .kill,
        code: TerminationCode(rawValue: 0x2182_baad),
        budget: WakeBudget(window: .seconds(3600), admissions: 3)),
      .region: WakeRules(
        modes: [], relaunches: true, survivesForceQuit: true,
        conditions: FactConditions(requires: .backgroundRefresh),
        length: .seconds(10), overrun: .drop, code: nil),
      .bluetoothData: WakeRules(
        modes: [.bluetoothCentral, .bluetoothPeripheral], relaunches: true,
        survivesForceQuit: false, length: .seconds(10),
        overrun: .drop, code: nil),
      .accessoryData: WakeRules(
        modes: .externalAccessory, relaunches: false, survivesForceQuit: false,
        length: .seconds(10), overrun: .drop,
        code: nil),
      .voipKeepAlive: WakeRules(
        modes: .voip, relaunches: true, survivesForceQuit: false, length: .seconds(10),
        overrun: .drop, code: nil,
        schedule: WakeSchedule(minimumInterval: .seconds(600))),
      .urlSession: WakeRules(
        modes: [], relaunches: true, survivesForceQuit: false, length: .seconds(30), overrun: .kill,
        code: TerminationCode(rawValue: 0x2182_bad3)),
      .appRefresh: WakeRules(
        modes: .fetch, relaunches: true, survivesForceQuit: false,
        conditions: FactConditions(
          requires: .backgroundRefresh, blockedBy: [.lowPowerMode, .lowBattery]),
        length: .seconds(30),
        overrun: .kill, code: TerminationCode(rawValue: 0x2182_bad4), pendingLimit: 1),
      .processing: WakeRules(
        modes: .processing, relaunches: true, survivesForceQuit: false,
        conditions: FactConditions(
          requires: .backgroundRefresh, blockedBy: [.lowPowerMode, .lowBattery]),
        waitsForIdle: true,
        length: .seconds(300),
        overrun: .drop, code: nil, pendingLimit: 10),
    ],
    lowBattery: 20,
    lockedFiles: LockedFileRules(terminates: true, code: TerminationCode(rawValue: 0xdead_10cc)),
    memory: MemoryRules(
      capacity: 4 << 30, warningLevel: 80, resetLevel: 75, footprint: 50 << 20, appLimit: nil),
    cpu: CPURules(share: 80, window: .seconds(60), holdsWhileCharging: false),
    notifications: NotificationRules(kept: 64, queued: 100))

  /// A copy of this policy with changes.
  func with(_ change: (inout Policy) -> Void) -> Policy {
    var policy = self
    change(&policy)
    return policy
  }

  /// iOS 3: leaving the foreground terminates the app.
  static let noMultitasking = ios13.with {
    $0.multitasking = false
    $0.sessions = [:]
    $0.wakes = [:]
    $0.tasks.ageWarning = nil
    $0.tasks.thermalExpiry = nil
    $0.notifications = .none
  }

  /// iOS 7: other grants, and no session stops the task clock.
  static let ios7 = ios13.with {
    $0.hasLowPowerMode = false
    $0.tasks.grant = .seconds(180)
    $0.tasks.grantAfterWake = .seconds(40)
    $0.tasks.ageWarning = nil
    $0.tasks.thermalExpiry = nil
    $0.wakes[.appRefresh] = nil
    $0.wakes[.processing] = nil
    $0.sessions[.location] = SessionRules(stopsTaskClock: false, linger: .zero)
  }

  static let strict = ios13.with { $0.tasks.lateBegin = .invalid }
  static let seedStrict = ios13.with { $0.tasks.refreshGate = .seedStrict }
  static let unlimitedForeground = ios13.with { $0.foregroundLimit = nil }
  static let twoInFront = ios13.with { $0.foregroundLimit = 2 }
  static let slowToSuspend = ios13.with { $0.suspendDelay = .seconds(3) }

  /// Limits so small that everything happens at once, and often.
  static let tiny = ios13.with {
    $0.limits = CallbackLimits(
      launch: .milliseconds(3), launchWarning: .milliseconds(1),
      didEnterBackground: .milliseconds(2), didEnterBackgroundWarning: .milliseconds(1),
      willTerminate: .milliseconds(1), withoutAssertionWarning: .milliseconds(2),
      code: nil)
    $0.tasks = TaskRules(
      grant: .milliseconds(6), grantAfterWake: .milliseconds(4), warning: .milliseconds(2),
      limit: 3, limitCode: nil, code: nil,
      ageWarning: .milliseconds(5), lateBegin: .valid, refreshGate: .open)
    $0.suspendDelay = .milliseconds(1)
    $0.sessions = $0.sessions.mapValues { row in
      var row = row
      row.linger = .milliseconds(2)
      return row
    }
    $0.wakes = $0.wakes.mapValues { row in
      var row = row
      row.length = .milliseconds(3)
      return row
    }
  }

  /// Lengths of zero: warning and end, delivery and limit coincide.
  static let zero = tiny.with {
    $0.limits = CallbackLimits(
      launch: .zero, launchWarning: .zero, didEnterBackground: .zero,
      didEnterBackgroundWarning: .zero, willTerminate: .zero, withoutAssertionWarning: .zero,
      code: nil)
    $0.tasks.grant = .milliseconds(1)
    $0.tasks.grantAfterWake = .zero
    $0.tasks.warning = .zero
    $0.tasks.limit = 1
    $0.tasks.ageWarning = .zero
    $0.suspendDelay = .zero
  }

  /// Lengths of decades; with `Int64.max` every sum saturates.
  static func endless(_ nanoseconds: Int64 = .max) -> Policy {
    let forever = Interval(nanoseconds: nanoseconds)
    return ios13.with {
      $0.limits.launch = forever
      $0.limits.didEnterBackground = forever
      $0.tasks.grant = forever
      $0.tasks.grantAfterWake = forever
      $0.tasks.ageWarning = forever
      $0.suspendDelay = forever
      $0.wakes[.region]?.length = forever
      $0.sessions[.location]?.linger = forever
    }
  }
}
