import CurfewEngine
import CurfewText

// The keys of tasks, and of a session's and a wake's row: a row each, in the order of files,
// listings and digests.

extension TaskRules {
  static let keys: [PolicyKey<TaskRules>] = [
    .init(
      "grant", \.grant, .duration,
      "What a visit to the background is granted, however many tasks are open."),
    .init(
      "grantAfterWake", \.grantAfterWake, .duration, "What a visit that a wake began is granted."),
    .init(
      "warning", \.warning, .duration, "How long before the end the expiration handlers are due."),
    .init(
      "limit", \.limit, .number(1...TaskRules.greatestLimit), "How many tasks an app may hold open."
    ),
    .init(
      "limitCode", \.limitCode, .codeOrNone, absent: nil, "The code of a kill for holding more."),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of a kill at the end of the grant."),
    .init(
      "ageWarning", \.ageWarning, Notation<Interval>.duration.or("never", what: "age"),
      "The age from which an open task is worth a diagnostic."),
    .init(
      "thermalExpiry", \.thermalExpiry, .hotState,
      "How hot the device must get for all grants to end early."),
    .init(
      "strict", \.lateBegin, .boolean(true: .invalid, false: .valid),
      "Whether a begin after the visit's warning is answered 'invalid'; else it is valid and gains nothing."
    ),
    .init(
      "seedStrict", \.refreshGate, .boolean(true: .seedStrict, false: .open),
      "Whether an app for which Background App Refresh is off is suspended at once, its begins answered 'invalid', its sessions denied."
    ),
    .init(
      "whenLate", \.whenLate, .word("answer", of: [("kill", .kill), ("extend", .extend)]),
      absent: .extend,
      "What a host means for the end that warns later than 'warning' after the warning was due: none, or the end comes 'warning' after that."
    ),
  ]

  /// What finite-length tasks are where nothing runs in the background.
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
  "What happens at the end: the app is terminated, the assertion ends, or it is told and nothing else."
private let budgetsAbout = """
  What an app may have within rolling windows, each of it: '10m in 2h' of run time, which also ends what runs, '20 admissions in 1m', '8 sessions in 8h'; \
  with 'for' and a group's name, an app of that group.
  """
private let coalesceAbout =
  "How soon after a run's end another is counted as the same session, where 'budgets' count sessions."
private let leastRoomAbout = """
  The run time that has to be left in each budget of run time for the next to be admitted: more than that; 'warning' for as much as the row's.
  """

extension Notation<Interval?> {
  fileprivate static var leastRoom: Notation {
    Notation<Interval>.duration.or("warning", what: "room")
  }
}

extension SessionRules {
  /// The keys of a session's row. What it says of itself where nobody writes it is a standard
  /// kind's own.
  static func keys(of kind: StandardKind?) -> [PolicyKey<SessionRules>] {
    let mode = PolicyKey<SessionRules>.modes(
      "mode", \.[modes: kind?.mode ?? []],
      "The background mode that the manifest must declare, or a list of which it must declare one; a standard session's own where absent, needed in any other."
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
    .init("linger", \.linger, .duration, absent: .zero, "How long its assertion outlives it."),
    .init(
      "leeway", \.leeway, .duration, absent: .zero,
      "How much later the end of its linger may come, so that it meets others."),
    .init(
      "purgedLast", \.isPurgedLast, .boolean, absent: false,
      "Whether it keeps its app from being purged as long as others are left."),
    .init(
      "length", \.length, Notation<Interval>.duration.or("none", what: "length"), absent: nil,
      "How long it may go on in the background, from its start or the visit's beginning; 'none' for as long as it is on."
    ).positive,
    .init(
      "warning", \.warning, .durationOrNone("warning"), absent: .zero,
      "How long before the end its expiration handler is due; 'none' for no warning."
    ).positive,
    .init("overrun", \.overrun, .overrun, absent: .drop, overrunAbout),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of an overrun's kill."),
    .init(
      "deferral", \.deferral, .durationOrNone("deferral"), absent: .zero,
      "How long after a 'length' that dropped it, it goes on by itself for another; 'none' for never."
    ).positive,
    .init(
      "deferralFactor", \.deferralFactor, .factor(1...1_000), absent: .one,
      "How many times as long as the last each deferral is, until the session is stopped or the app comes to the front."
    ),
    .init(
      "deferralMost", \.longestDeferral, Notation<Interval>.duration.or("none", what: "deferral"),
      absent: nil,
      "How long a deferral gets at most."
    ).positive,
    .budgets("budgets", \.budgets, budgetsAbout),
    .init("coalesce", \.coalescing, .durationOrNone("time"), absent: .zero, coalesceAbout).positive,
    .init("leastRoom", \.leastRoom, .leastRoom, absent: nil, leastRoomAbout),
  ]

  /// What reading a row begins with.
  static let unwritten = SessionRules(stopsTaskClock: false, linger: .zero)
}

extension WakeRules {
  /// The keys of a wake's row. What it says of itself where nobody writes it is a standard
  /// kind's own.
  static func keys(of kind: StandardKind?) -> [PolicyKey<WakeRules>] {
    let start = PolicyKey<WakeRules>(
      "start", \.[start: kind?.start ?? .event], .start, absent: kind?.start ?? .event,
      "How it comes about, beside being delivered: in no other way ('event'), by the system on opportunities or at the interval that the app has asked for, or by requests."
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
      "Whether it may do so after a force quit."),
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
    .init("overrun", \.overrun, .overrun, overrunAbout),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of an overrun's kill."),
    .init(
      "linger", \.linger, .duration, absent: .zero,
      "How long its assertion outlives its completion."),
    .init(
      "leeway", \.leeway, .duration, absent: .zero,
      "How much later than due the system may start it where nothing aligns it, and the end of its linger may come, so that they meet others."
    ),
    .init(
      "purgedLast", \.isPurgedLast, .boolean, absent: false,
      "Whether it keeps its app from being purged as long as others are left."),
    .init(
      "minimumInterval", \.schedule.minimumInterval, .durationOrNone("interval"), absent: .zero,
      of: [.opportunity, .interval, .request],
      "The system starts it no sooner after the last, whatever the app asks for. Of what the system starts."
    ).positive,
    .init(
      "alignment", \.schedule.alignment, .durationOrNone("alignment"), absent: .zero,
      of: [.opportunity, .request],
      "The system starts it at multiples of this only, from the start. Of what has opportunities, and what is requested."
    ).positive,
    .init(
      "backoff", \.schedule.greatestBackoff, .number(1...greatestBackoff), absent: 1,
      of: [.opportunity],
      "Results without new data double the interval, up to so many times it; 1 for not at all. Of what has opportunities."
    ),
    .init(
      "backoffFactor", \.schedule.backoffFactor, .factor(1...greatestBackoff), absent: .two,
      of: [.opportunity],
      "What such a result multiplies the interval by, in place of doubling it. Of what has opportunities."
    ),
    .init(
      "backoffGrows", \.schedule.backoffGrowth,
      .word("cause", of: [("results", .results), ("runs", .runs)]), absent: .results,
      of: [.opportunity],
      "What does so: results without new data, or each of the system's own runs. Of what has opportunities."
    ),
    .init(
      "backoffReset", \.schedule.backoffReset,
      .word("cause", of: [("newData", .newData), ("use", .use), ("either", .either)]),
      absent: .newData, of: [.opportunity],
      "What takes the interval back to what it was: new data, the app's coming to the front, or both. Of what has opportunities."
    ),
    .init(
      "beforeUse", \.schedule.leadToUse, Notation<Interval>.duration.or("none", what: "lead"),
      absent: nil, of: [.opportunity],
      "The system starts it so long before the app is expected to be used, a day after it was, in place of the interval; never sooner after the last than that. Of what has opportunities."
    ).positive,
    .init(
      "admissions", \.budgeted.admissions,
      Notation<UInt32>.count(from: 0).or("none", what: "number"), absent: nil,
      "How many an app may have in the window; 0 for none at all."),
    .init(
      "runTime", \.budgeted.runTime, Notation<Interval>.duration.or("none", what: "run time"),
      absent: nil,
      "How long an app's may run within the window before the next is refused."
    ).positive,
    .init(
      "window", \.budgeted.window, .durationOrNone("window"), absent: .zero,
      "The length of the rolling window that 'admissions' and 'runTime' look at."
    ).positive,
    .budgets("budgets", \.budgets, budgetsAbout),
    .init("coalesce", \.coalescing, .durationOrNone("time"), absent: .zero, coalesceAbout).positive,
    .init("leastRoom", \.leastRoom, .leastRoom, absent: nil, leastRoomAbout),
    .init(
      "pending", \.pendingLimit, Notation<UInt32>.count(from: 1).or("none", what: "number"),
      absent: nil, of: [.request],
      "How many requests of this kind an app may have pending; 'none' for no requests. Of what is requested."
    ),
    .init(
      "waitsForIdle", \.waitsForIdle, .boolean, absent: false, of: [.request],
      "Whether requests wait until nobody is at the device, and their runs end when somebody comes. Of what is requested."
    ),
  ]

  /// What reading a row begins with.
  static let unwritten = WakeRules(
    modes: [], relaunches: false, survivesForceQuit: false, length: .zero, overrun: .kill, code: nil
  )

  /// The greatest `backoff`: a fetch of fifteen minutes is ten days away then.
  private static let greatestBackoff: UInt32 = 1_000

  /// The budget; one of nothing, in no time, is none.
  private var budgeted: WakeBudget {
    get { budget ?? WakeBudget(window: .zero) }
    set { budget = newValue == WakeBudget(window: .zero) ? nil : newValue }
  }
}
