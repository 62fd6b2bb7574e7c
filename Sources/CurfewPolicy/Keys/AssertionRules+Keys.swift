import CurfewEngine
import CurfewText

// The keys of tasks and of the rows of sessions and wakes, in the order of files, listings
// and digests.

extension TaskRules {
  static let keys: [PolicyKey<TaskRules>] = [
    .init(
      "grant", \.grant, .duration,
      "The grant of a visit to the background, however many tasks are open."),
    .init(
      "grantAfterWake", \.grantAfterWake, .duration, "The grant of a visit that a wake began."),
    .init(
      "warning", \.warning, .duration, "How long before the end the expiration handlers are due."),
    .init(
      "limit", \.limit, .number(1...TaskRules.greatestLimit), "How many tasks an app may hold open."
    ),
    .init(
      "limitCode", \.limitCode, .codeOrNone, absent: nil,
      "The code of a kill for holding more tasks."),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of a kill at the end of the grant."),
    .init(
      "ageWarning", \.ageWarning, Notation<Interval>.duration.or("never", what: "age"),
      "The age from which an open task causes a diagnostic."),
    .init(
      "thermalExpiry", \.thermalExpiry, .hotState,
      "How hot the device must get for all grants to end early."),
    .init(
      "strict", \.lateBegin, .boolean(true: .invalid, false: .valid),
      "Whether a task begun after the visit's warning is answered 'invalid'; otherwise it is valid and gains nothing."
    ),
    .init(
      "seedStrict", \.refreshGate, .boolean(true: .seedStrict, false: .open),
      "Whether an app whose Background App Refresh is off is suspended at once, its tasks are answered 'invalid' and its sessions are denied."
    ),
    .init(
      "whenLate", \.whenLate, .word("answer", of: [("kill", .kill), ("extend", .extend)]),
      absent: .extend,
      "The end of a grant whose warning comes more than 'warning' late: unchanged for 'kill'; 'warning' after the late warning for 'extend'."
    ),
  ]

  /// The rules of tasks if nothing runs in the background.
  static let none = TaskRules(
    grant: .zero, grantAfterWake: .zero, warning: .zero, limit: 0, limitCode: nil, code: nil,
    ageWarning: nil, lateBegin: .valid,
    refreshGate: .open)
}

extension Notation<Overrun> {
  fileprivate static var overrun: Notation {
    .word("overrun", of: [("kill", .kill), ("drop", .drop), ("tell", .tell)])
  }
}

private let overrunAbout =
  "The effect of the end: the app is terminated, the assertion ends, or the app is notified and nothing else happens."
private let budgetsAbout = """
  Limits within rolling windows; all of them apply: '10m in 2h' of run time, which also ends runs, '20 admissions in 1m', '8 sessions in 8h'; \
  with 'for' and a group's name, a limit only for apps of that group.
  """
private let coalesceAbout =
  "The time after a run's end within which the next run counts as the same session, where 'budgets' count sessions."
private let leastRoomAbout = """
  Each budget of run time must have more than this left for an admission; 'warning' means the row's warning.
  """

extension Notation<Interval?> {
  fileprivate static var leastRoom: Notation {
    Notation<Interval>.duration.or("warning", what: "room")
  }
}

extension SessionRules {
  /// The keys of a session's row. Keys that no file writes have the standard kind's own values.
  static func keys(of kind: StandardKind?) -> [PolicyKey<SessionRules>] {
    let mode = PolicyKey<SessionRules>.modes(
      "mode", \.[modes: kind?.mode ?? []],
      "The background mode that the manifest must declare, or a list of which it must declare one; a standard session's own mode if absent, required for any other session."
    )
    return [mode.absent(kind?.mode.description)] + otherKeys
  }

  private subscript(modes standard: BackgroundModes) -> BackgroundModes {
    get { modes ?? standard }
    set { modes = newValue == standard ? nil : newValue }
  }

  private static let otherKeys: [PolicyKey<SessionRules>] = [
    .facts("requires", \.conditions.requires, "Facts that have to hold."),
    .facts("blockedBy", \.conditions.blockedBy, "Facts that must not hold."),
    .init(
      "stopsTaskClock", \.stopsTaskClock, .boolean, absent: false,
      "Whether the clock of finite-length tasks stands still while its assertion lasts."),
    .init("linger", \.linger, .duration, absent: .zero, "How long its assertion lingers."),
    .init(
      "leeway", \.leeway, .duration, absent: .zero,
      "How much later the end of its linger may come, so that it coincides with other deadlines."),
    .init(
      "purgedLast", \.isPurgedLast, .boolean, absent: false,
      "Whether it keeps its app from being purged as long as other apps are left."),
    .init(
      "length", \.length, Notation<Interval>.duration.or("none", what: "length"), absent: nil,
      "How long it may last in the background, from its start or the visit's beginning; 'none' for no limit."
    ).positive,
    .init(
      "warning", \.warning, .durationOrNone("warning"), absent: .zero,
      "How long before the end its expiration handler is due; 'none' for no warning."
    ).positive,
    .init("overrun", \.overrun, .overrun, absent: .drop, overrunAbout),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of an overrun's kill."),
    .init(
      "deferral", \.deferral, .durationOrNone("deferral"), absent: .zero,
      "The time between the end of a 'length' that dropped the session and the start of another 'length'; 'none' for never."
    ).positive,
    .init(
      "deferralFactor", \.deferralFactor, .factor(1...1_000), absent: .one,
      "The factor by which each deferral is longer than the last, until the session is stopped or the app comes to the front."
    ),
    .init(
      "deferralMost", \.longestDeferral, Notation<Interval>.duration.or("none", what: "deferral"),
      absent: nil,
      "The longest deferral."
    ).positive,
    .budgets("budgets", \.budgets, budgetsAbout),
    .init("coalesce", \.coalescing, .durationOrNone("time"), absent: .zero, coalesceAbout).positive,
    .init("leastRoom", \.leastRoom, .leastRoom, absent: nil, leastRoomAbout),
  ]

  /// The initial values for reading a row.
  static let unwritten = SessionRules(stopsTaskClock: false, linger: .zero)
}

extension WakeRules {
  /// The keys of a wake's row. Keys that no file writes have the standard kind's own values.
  static func keys(of kind: StandardKind?) -> [PolicyKey<WakeRules>] {
    let start = PolicyKey<WakeRules>(
      "start", \.[start: kind?.start ?? .event], .start, absent: kind?.start ?? .event,
      "How it starts if it is not delivered: not at all ('event'), by the system at opportunities or at the interval that the app has asked for, or by requests."
    )
    return [start] + otherKeys
  }

  private subscript(start standard: WakeStart) -> WakeStart {
    get { start ?? standard }
    set { start = newValue == standard ? nil : newValue }
  }

  private static let otherKeys: [PolicyKey<WakeRules>] = [
    .modes(
      "mode", \.modes,
      "The background mode that the manifest must declare, or a list of which it must declare one."),
    .init(
      "relaunches", \.relaunches, .boolean, absent: false,
      "Whether it may launch an app that is not running."),
    .init(
      "survivesForceQuit", \.survivesForceQuit, .boolean, absent: false,
      "Whether it may launch an app after a force quit."),
    .facts("requires", \.conditions.requires, "Facts that have to hold."),
    .facts("blockedBy", \.conditions.blockedBy, "Facts that must not hold."),
    .init(
      "stopsTaskClock", \.stopsTaskClock, .boolean, absent: true,
      "Whether the clock of finite-length tasks stands still while its assertion lasts."),
    .init("length", \.length, .duration, "How long it may run, from delivery.").positive,
    .init(
      "warning", \.warning, .durationOrNone("warning"), absent: .zero,
      "How long before the end its expiration handler is due; 'none' for no warning."
    ).positive,
    .init(
      "unhandledWarning", \.unhandledWarning,
      .word("effect", of: [("end", .end), ("overrun", .overrun)]), absent: .overrun,
      "The effect of the warning on a wake without an expiration handler: it ends there, unsuccessfully and without a kill, or it continues and may overrun."
    ),
    .init(
      "completedTwice", \.completedTwice,
      .word("effect", of: [("remark", .remark), ("end", .end)]), absent: .remark,
      "The effect of a second completion: a diagnostic, or also the end of the process."),
    .init("overrun", \.overrun, .overrun, overrunAbout),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of an overrun's kill."),
    .init(
      "linger", \.linger, .duration, absent: .zero,
      "How long its assertion is held after its completion."),
    .init(
      "leeway", \.leeway, .duration, absent: .zero,
      "How much later than due the system may start it if nothing aligns the start, and how much later its linger may end, so that both coincide with other deadlines."
    ),
    .init(
      "purgedLast", \.isPurgedLast, .boolean, absent: false,
      "Whether it keeps its app from being purged as long as other apps are left."),
    .init(
      "minimumInterval", \.schedule.minimumInterval, .durationOrNone("interval"), absent: .zero,
      of: [.opportunity, .interval, .request],
      "The shortest time after the last start, whatever the app asks for. For kinds that the system starts."
    ).positive,
    .init(
      "alignment", \.schedule.alignment, .durationOrNone("alignment"), absent: .zero,
      of: [.opportunity, .request],
      "The system starts it only at multiples of this length, counted from the start. For kinds with opportunities or requests."
    ).positive,
    .init(
      "backoff", \.schedule.greatestBackoff, .number(1...greatestBackoff), absent: 1,
      of: [.opportunity],
      "Results without new data double the interval, up to this multiple; 1 for no doubling. For kinds with opportunities."
    ),
    .init(
      "backoffFactor", \.schedule.backoffFactor, .factor(1...greatestBackoff), absent: .two,
      of: [.opportunity],
      "The factor by which such a result multiplies the interval, instead of 2. For kinds with opportunities."
    ),
    .init(
      "backoffGrows", \.schedule.backoffGrowth,
      .word("cause", of: [("results", .results), ("runs", .runs)]), absent: .results,
      of: [.opportunity],
      "The runs that multiply the interval: results without new data, or each of the system's own runs. For kinds with opportunities."
    ),
    .init(
      "backoffReset", \.schedule.backoffReset,
      .word("cause", of: [("newData", .newData), ("use", .use), ("either", .either)]),
      absent: .newData, of: [.opportunity],
      "The events that reset the interval: new data, the app's coming to the front, or both. For kinds with opportunities."
    ),
    .init(
      "beforeUse", \.schedule.leadToUse, Notation<Interval>.duration.or("none", what: "lead"),
      absent: nil, of: [.opportunity],
      "How long before the app's expected use (a day after an earlier use) the system starts it, instead of at the interval; never sooner after the last start than the interval. For kinds with opportunities."
    ).positive,
    .init(
      "admissions", \.budgeted.admissions,
      Notation<UInt32>.count(from: 0).or("none", what: "number"), absent: nil,
      "How many admissions an app may have in the window; 0 for none at all."),
    .init(
      "runTime", \.budgeted.runTime, Notation<Interval>.duration.or("none", what: "run time"),
      absent: nil,
      "How long an app's runs may take within the window before the next is refused."
    ).positive,
    .init(
      "window", \.budgeted.window, .durationOrNone("window"), absent: .zero,
      "The length of the rolling window over which 'admissions' and 'runTime' count."
    ).positive,
    .budgets("budgets", \.budgets, budgetsAbout),
    .init("coalesce", \.coalescing, .durationOrNone("time"), absent: .zero, coalesceAbout).positive,
    .init("leastRoom", \.leastRoom, .leastRoom, absent: nil, leastRoomAbout),
    .init(
      "pending", \.pendingLimit, Notation<UInt32>.count(from: 1).or("none", what: "number"),
      absent: nil, of: [.request],
      "How many requests of this kind an app may have pending; 'none' for no requests. For kinds with requests."
    ),
    .init(
      "waitsForIdle", \.waitsForIdle, .boolean, absent: false, of: [.request],
      "Whether requests wait until nobody is at the device, and their runs end when somebody comes back. For kinds with requests."
    ),
  ]

  /// The initial values for reading a row.
  static let unwritten = WakeRules(
    modes: [], relaunches: false, survivesForceQuit: false, length: .zero, overrun: .kill, code: nil
  )

  /// The greatest `backoff`: it makes an interval of fifteen minutes grow to ten days.
  private static let greatestBackoff: UInt32 = 1_000

  /// The budget. A budget without limits and without a window stands for no budget.
  private var budgeted: WakeBudget {
    get { budget ?? WakeBudget(window: .zero) }
    set { budget = newValue == WakeBudget(window: .zero) ? nil : newValue }
  }
}
