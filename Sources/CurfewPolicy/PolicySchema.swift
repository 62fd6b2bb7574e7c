import CurfewEngine
import CurfewManifest
import CurfewText

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
      value("lowBattery", .percentage, "Under this percentage a battery that is not charging is low."),
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
      .optional("lockedFiles", .record(lockedFiles), lockedFiles.description),
      .optional("memory", .record(memory), memory.description),
      .optional("cpu", .record(cpu), cpu.description),
      .optional("notifications", .record(notifications), notifications.description),
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
      value(
        "thermalExpiry", .word(["never"] + hotStates, what: "thermal state"), "How hot the device must get for all grants to end early."),
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
      value("blockedByLowBattery", .boolean, "Whether a battery that is low and not charging denies it."),
      value("length", .duration, "How long it may run, from delivery."),
      value("overrun", .word(["kill", "drop"], what: "overrun"), "What happens at the end: the app is terminated, or the assertion ends."),
      value("code", code, "The code of an overrun's kill."),
      value(
        "minimumInterval", .either([.duration, none("interval")]),
        "The system starts it no sooner after the last, whatever the app asks for. Of fetch and voipKeepAlive."),
      value(
        "alignment", .either([.duration, none("alignment")]), "The system starts it at multiples of this only, from the start. Of fetch."),
      value(
        "backoff", .wholeNumber(1...greatestBackoff),
        "Results without new data double the interval, up to so many times it; 1 for not at all. Of fetch."),
      value("admissions", .either([count(from: 1), none("number")]), "How many an app may have in the window."),
      value("runTime", .either([.duration, none("run time")]), "How long an app's may run within the window before the next is refused."),
      value("window", .either([.duration, none("window")]), "The length of the rolling window that 'admissions' and 'runTime' look at."),
      value(
        "pending", .either([count(from: 1), none("number")]),
        "How many requests of this kind an app may have pending. Of appRefresh and processing; 'none' for no requests."),
    ] + Provenance.fields)

  static let lockedFiles = Record(
    "Apps that hold a locked file when they are about to be suspended.",
    [
      value("terminate", .boolean, "Whether they are terminated."),
      value("code", code, "The code of that kill."),
    ] + Provenance.fields)

  static let memory = Record(
    "What apps may take up together, and each alone.",
    [
      value("capacity", .size, "What a device has that names no figure of its own. With more in use, apps are purged."),
      value("warning", .percentage, "With more than this share of the capacity in use, running apps are warned."),
      value("warningReset", .percentage, "They may be warned again once less than this share has been in use."),
      value("footprint", .footprint, "What an app takes up that names no figure of its own."),
      value("appLimit", .either([.size, none("limit")]), "What an app may take up that names no limit of its own."),
    ] + Provenance.fields)

  static let cpu = Record(
    "What an app in the background may use of the processor.",
    [
      value("share", .either([.percentage, none("share")]), "The share of one core that it must not exceed over the window."),
      value("window", .duration, "The window, a day at most."),
      value("whileCharging", .boolean, "Whether that holds while the device is charging."),
    ] + Provenance.fields)

  static let notifications = Record(
    "What is kept for apps that do not run.",
    [
      value("kept", count(from: 0), "How many local notifications an app may have scheduled; the soonest stay."),
      value("locations", count(from: 0), "How many locations wait for a suspended app; the oldest go."),
    ] + Provenance.fields)

  /// The most that a policy may have counted or kept for one app: the engine makes room for it, app by app.
  static let greatestCount: Int64 = 10_000
  /// The greatest `backoff`: a fetch of fifteen minutes is ten days away then.
  static let greatestBackoff: Int64 = 1_000

  private static let code = Shape.either([.code, .word(["none"], what: "code")])

  private static let hotStates = ThermalState.named.filter { $0 > .nominal }.map(\.fileName)

  private static func count(from least: Int64) -> Shape { .wholeNumber(least...greatestCount) }

  private static func none(_ what: String) -> Shape { .word(["none"], what: what) }

  private static func value(_ name: String, _ shape: Shape, _ description: String) -> Field {
    .optional(name, .sourced(shape, with: Provenance.fields), description)
  }

  /// What the value at `path` is if no file of a chain writes it; nil where one has to.
  static func absent(_ path: String) -> String? {
    let key = path.split(separator: ".").last.map(String.init) ?? path
    return path.hasPrefix("wakes.") ? absentInWake[key] : absentAnywhere[key]
  }

  private static let absentAnywhere = ["code": "none", "limitCode": "none"]

  private static let absentInWake = [
    "mode": "none", "code": "none", "minimumInterval": "none", "alignment": "none", "backoff": "1", "admissions": "none",
    "runTime": "none", "window": "none", "pending": "none",
  ]

  /// The kinds of wake that a key of their rows is about; nil for all. Anywhere else it would have no effect.
  static func kinds(of key: String) -> [AssertionKind]? {
    switch key {
    case "minimumInterval": [.fetch, .voipKeepAlive]
    case "alignment", "backoff": [.fetch]
    case "pending": [.appRefresh, .processing]
    default: nil
    }
  }

  /// What finite-length tasks are where nothing runs in the background.
  static let noTasks = [
    "grant": "0s", "grantAfterWake": "0s", "warning": "0s", "limit": "0", "limitCode": "none", "code": "none", "ageWarning": "never",
    "thermalExpiry": "never", "strict": "false", "seedStrict": "false",
  ]
}
