import CurfewEngine

/// The policy language: every key, what it may be and what it means.
enum PolicySchema {
  static let version = "policy/1"

  /// A whole file.
  static let file = Record(
    "A policy: which background execution is admitted, for how long, and what happens at the end. "
      + "With 'extends', values that are not written are the parent's.",
    [
      .required("curfew", .word([version], what: "kind of file"), "What kind of file this is, and the version of its language."),
      .required("name", .text, "The policy's name."),
      .optional("extends", .text, "The parent: a built-in policy's name, or a path relative to this file."),
      .optional("about", .text, "One sentence about the policy."),
    ] + values.fields + [
      .optional("sources", .dictionary(.any(what: "source"), .text), "Short keys for the 'source' of values.")
    ] + Provenance.fields)

  /// What of a file are values: what is inherited, listed and digested.
  static let values = Record(
    "The values of a policy.",
    [
      value("multitasking", .boolean, "Whether apps may leave the foreground without ending."),
      value(
        "foreground", .either([.wholeNumber(1...Int64(UInt32.max)), .word(["unlimited"], what: "number")]),
        "How many apps may be in the foreground at a time."),
      value("backgroundRefresh", .boolean, "Whether the Background App Refresh switch exists; where it does not, it denies nothing."),
      value("lowPowerMode", .boolean, "Whether Low Power Mode exists; where it does not, it denies nothing."),
      value("suspendDelay", .duration, "How long an app in the background that holds no assertion goes on before it is suspended."),
      .optional("limits", .record(limits), limits.description),
      .optional("tasks", .record(tasks), tasks.description),
      .optional(
        "sessions",
        .dictionary(.words(AssertionKind.sessions.map(\.fileName), what: "session", besides: Provenance.fields), .record(session)),
        "The sessions that are admitted, by mode."),
      .optional(
        "wakes", .dictionary(.words(AssertionKind.wakes.map(\.fileName), what: "wake", besides: Provenance.fields), .record(wake)),
        "The wakes that are admitted, by kind."),
    ])

  static let limits = Record(
    "How long callbacks may take, in wall time from delivery to return.",
    [
      value("launch", .duration, "From the delivery of willFinishLaunching to the return of didFinishLaunching."),
      value("launchWarning", .duration, "After this much of a launch a diagnostic says that it is slow."),
      value("didEnterBackground", .duration, "didEnterBackground."),
      value("willTerminate", .duration, "willTerminate."),
      value("code", code, "The code of a watchdog's kill."),
    ] + Provenance.fields)

  static let tasks = Record(
    "Finite-length tasks.",
    [
      value("grant", .duration, "What a visit to the background is granted, however many tasks are open."),
      value("grantAfterWake", .duration, "What a visit that a wake began is granted."),
      value("warning", .duration, "How long before the end the expiration handlers are due."),
      value("limit", .wholeNumber(1...Int64(TaskRules.greatestLimit)), "How many tasks an app may hold open."),
      value("limitCode", code, "The code of a kill for holding more."),
      value("code", code, "The code of a kill at the end of the grant."),
      value(
        "ageWarning", .either([.duration, .word(["never"], what: "age")]),
        "The age from which an open task is worth a diagnostic."),
      value("strict", .boolean, "Whether a begin after the visit's warning is answered 'invalid'; else it is valid and gains nothing."),
      value(
        "seedStrict", .boolean,
        "Whether an app for which Background App Refresh is off is suspended at once, its begins answered 'invalid', its sessions denied."
      ),
    ] + Provenance.fields)

  static let session = Record(
    "A session: an assertion while it is on.",
    [
      value("stopsTaskClock", .boolean, "Whether the clock of finite-length tasks stands still while it is on."),
      value("linger", .duration, "How long its assertion outlives it."),
    ] + Provenance.fields)

  static let wake = Record(
    "A wake: what an arriving event may do.",
    [
      value(
        "mode",
        .either([.word(BackgroundModes.fileNames + ["none"], what: "mode"), .list(.word(BackgroundModes.fileNames, what: "mode"))]),
        "The background mode that the manifest must declare, or a list of which it must declare one."),
      value("relaunches", .boolean, "Whether it may launch an app that is not running."),
      value("survivesForceQuit", .boolean, "Whether it may do so after a force quit."),
      value("needsBackgroundRefresh", .boolean, "Whether Background App Refresh, switched off, denies it."),
      value("blockedByLowPowerMode", .boolean, "Whether Low Power Mode denies it."),
      value("blockedByLowBattery", .boolean, "Whether a battery under 20 % that is not charging denies it."),
      value("length", .duration, "How long it may run, from delivery."),
      value("overrun", .word(["kill", "drop"], what: "overrun"), "What happens at the end: the app is terminated, or the assertion ends."),
      value("code", code, "The code of an overrun's kill."),
    ] + Provenance.fields)

  private static let code = Shape.either([.code, .word(["none"], what: "code")])

  private static func value(_ name: String, _ shape: Shape, _ description: String) -> Field {
    .optional(name, .sourced(shape), description)
  }

  /// What a value is that no file of a chain has to write, by its key.
  static let absent = ["mode": "none", "code": "none", "limitCode": "none"]

  /// What finite-length tasks are where nothing runs in the background.
  static let noTasks = [
    "grant": "0s", "grantAfterWake": "0s", "warning": "0s", "limit": "0", "limitCode": "none", "code": "none", "ageWarning": "never",
    "strict": "false", "seedStrict": "false",
  ]
}
