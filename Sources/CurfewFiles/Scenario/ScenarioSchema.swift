import CurfewEngine

/// The scenario language: every key, what it may be and what it means.
enum ScenarioSchema {
  static let version = "scenario/1"

  /// A whole file.
  static let file = Record(
    "A scenario: apps on a device, a policy, and what happens to them when.",
    [
      .required("curfew", .word([version], what: "kind of file"), "What kind of file this is, and the version of its language."),
      .required("name", .text, "The scenario's name."),
      .required("policy", .text, "The policy: a built-in policy's name, or a path relative to this file."),
      .optional("until", .duration, "When the run ends, inclusive; without it, when nothing more can happen."),
      .optional("device", .record(device), device.description),
      .required("apps", .dictionary(.any(what: "app"), .record(app)), "The apps by identifier, in order."),
      .required(
        "timeline", .list(.named("step") { .variants(steps) }),
        "What happens, in time order; what stands at one time happens in this order."
      ),
    ])

  static let device = Record(
    "The device at the start.",
    [
      .optional("backgroundRefresh", .boolean, "Its Background App Refresh switch; true where absent."),
      .optional("lowPowerMode", .boolean, "Low Power Mode; false where absent."),
      .optional("battery", .percentage, "The battery; 100% where absent. Under the policy's 'lowBattery' and not charging it is low."),
      .optional("charging", .boolean, "Whether it is charging; false where absent."),
      .optional("network", network, "Its connection; wifi where absent."),
      .optional("memory", .size, "The memory that apps share; the policy's capacity where absent."),
    ])

  private static let network = Shape.word(ScenarioDevice.Network.allCases.map(\.rawValue), what: "network")
  private static let status = Shape.word(["available", "denied", "restricted"], what: "status")

  static let app = Record(
    "An app: what it declares, and how it behaves.",
    [
      .optional("manifest", .text, "Its Info.plist, XML or binary: a path relative to this file. The keys beside it override it."),
      .optional(
        "variables", .dictionary(.any(what: "variable"), .text),
        "Build settings by name; they fill $(NAME) and ${NAME} in the manifest's values."),
      .optional("backgroundModes", .list(.word(BackgroundModes.fileNames, what: "mode")), "UIBackgroundModes."),
      .optional("exitsOnSuspend", .boolean, "UIApplicationExitsOnSuspend; false where absent."),
      .optional("backgroundRefresh", status, "The app's own Background App Refresh switch; available where absent."),
      .optional("permittedIdentifiers", .list(.text), "BGTaskSchedulerPermittedIdentifiers; none where absent."),
      .optional("footprint", .footprint, "Its memory; the policy's figure where absent."),
      .optional("memoryLimit", .size, "Its own memory limit; the policy's, if that has one, where absent."),
      .optional(
        "returns", .dictionary(.words(Moment.fileNames, what: "callback"), .duration),
        "How long the app takes to return from each callback; at once where absent."),
      .optional(
        "endsTasksOnExpiration", .boolean,
        "Whether an expiration handler ends its task as it returns; true where absent."),
      .optional(
        "on", .dictionary(.words(Moment.fileNames, what: "callback"), .list(ownCall)),
        "What the app itself does when a callback is delivered to it, in order."),
    ])

  /// A step inside `on:` or `handler:`; contains itself, in a handler's steps.
  static let ownCall = Shape.named("call") { .variants(ownCalls) }

  private static let ownCalls = Variants(
    tag: "do", what: "verb", common: [], cases: calls,
    elsewhere: Dictionary(
      uniqueKeysWithValues: deeds.map { deed in
        let words = calls.map(\.word).joined(separator: ", ")
        return (deed.word, "'\(deed.word)' is nothing that an app does itself; in 'on:' and 'handler:' there are: \(words)")
      }))

  /// A step of the timeline.
  static let steps = Variants(
    tag: "do", what: "verb",
    common: [.required("at", .duration, "When, from the start.")],
    cases: deeds
      + calls.map { call in
        Variants.Variant(call.word, call.record.description, [.required("app", .text, "The app that does it.")] + call.record.fields)
      })

  private static let oneApp = Field.required("app", .text, "The app.")
  private static let inFront = Field.optional("app", .text, "The app in front; may be left out where only one can be.")

  /// What the user, the device and the world do.
  static let deeds: [Variants.Variant] = [
    .init("launch", "The user brings an app to the front.", [oneApp]),
    .init("home", "The user leaves the app in front.", [inFront]),
    .init("lock", "The user locks the device."),
    .init("unlock", "The user unlocks the device."),
    .init("interrupt", "A call or an alert comes up over the app in front.", [inFront]),
    .init("acceptInterruption", "The user answers it: the app goes to the background.", [inFront]),
    .init("ignoreInterruption", "The user sends it away: the app goes on.", [inFront]),
    .init("forceQuit", "The user throws an app out of the app switcher.", [oneApp]),
    .init("reboot", "The device restarts."),
    .init(
      "expireTasks", "Grants end early.",
      [
        .optional("app", .text, "The app; without it, every app in the background."),
        .optional("reason", .word(ExpirationReason.fileNames, what: "reason"), "Why; policyRevoked where absent."),
      ]),
    .init(
      "deliver", "The world asks for a wake.",
      [oneApp, .required("kind", .word(AssertionKind.wakes.map(\.fileName), what: "wake"), "The kind of wake.")]),
    .init(
      "setRefresh", "The user turns Background App Refresh on or off.",
      [
        .optional("app", .text, "The app; without it, the device's own switch."),
        .required("status", status, "available, denied, or restricted: off, and not for the user to turn on."),
      ]),
    .init("setDevice", "Facts of the device change; one at least.", changes),
    .init(
      "post", "Something happens that apps are notified of.",
      [
        .optional("app", .text, "The app; without it, every app."),
        .required("name", .text, "What. For a suspended app it merges with others of its name into their net change; 'location' queues."),
        .optional("value", .text, "What it is now; without it, every post is a change."),
      ]),
  ]

  /// The keys of 'setDevice', as messages tell them.
  static let changeNames = changes.map(\.name).joined(separator: ", ")

  private static let changes: [Field] = [
    .optional("backgroundRefresh", .boolean, "The device's Background App Refresh switch."),
    .optional("lowPowerMode", .boolean, "Low Power Mode."),
    .optional("battery", .percentage, "The battery."),
    .optional("charging", .boolean, "Whether it is charging."),
    .optional("network", network, "Its connection."),
    .optional("memory", .size, "The memory that apps share."),
    .optional("thermal", .word(ThermalState.fileNames, what: "thermal state"), "How hot it is."),
  ]

  /// What an app does itself.
  static let calls: [Variants.Variant] = [
    .init(
      "beginTask", "The app begins a finite-length task.",
      [
        label,
        .optional("for", .duration, "The app ends it itself after so long; without it, somebody else has to."),
        .optional(
          "handler", .either([.word(["none"], what: "handler"), .list(ownCall)]),
          "none for a nil handler, or what the task's expiration handler does, after 'on: expirationHandler'."),
      ]),
    .init("endTask", "The app ends a task.", [label]),
    .init("startSession", "The app starts a session, such as playing audio.", [mode]),
    .init("stopSession", "The app stops a session.", [mode]),
    .init(
      "completeWake", "The app says that a wake's work is done.",
      [
        .optional("kind", .word(AssertionKind.wakes.map(\.fileName), what: "wake"), "The kind of wake; without it, the oldest delivered."),
        .optional("result", .word(WakeResult.fileNames, what: "result"), "How it went."),
      ]),
    .init(
      "setFootprint", "The app takes up so much from now on; in every state, and for processes to come.",
      [.required("footprint", .footprint, "Its memory.")]),
    .init("lockFile", "The app locks a file in a shared container."),
    .init("unlockFile", "It unlocks one."),
    .init(
      "useCPU", "The app uses the processor.",
      [
        .required("share", .share, "How much of one core; over 100% for more than one."),
        .required("for", .duration, "For how long; the next 'useCPU' ends it sooner."),
      ]),
    .init("setMinimumFetchInterval", "The app says how often it wants to fetch at most.", [interval]),
    .init("setKeepAlive", "The app asks for keep-alive wakes.", [interval]),
    .init(
      "submitTask", "The app submits a request to be run in the background.",
      [
        identifier,
        .required("kind", .word([AssertionKind.appRefresh, .processing].map(\.fileName), what: "kind"), "What the request is for."),
        .optional("earliest", .duration, "Not before this has passed since the submission; 0s where absent."),
        .optional("requiresNetwork", .boolean, "Whether it waits for a network; false where absent."),
        .optional("requiresPower", .boolean, "Whether it waits for external power; false where absent."),
      ]),
    .init("cancelTask", "The app takes a request back.", [identifier]),
    .init(
      "scheduleNotification", "The app schedules a local notification.",
      [.required("in", .duration, "When it is due, from now."), notification]),
    .init("cancelNotification", "The app takes one back.", [notification]),
    .init(
      "crash", "The app ends.",
      [.optional("reason", .word(CrashReason.fileNames, what: "reason"), "How; abnormalExit where absent.")]),
    .init("probe", "The app asks for its state and its remaining time."),
  ]

  private static let interval = Field.required(
    "interval", .either([.duration, .word([IntervalText.never], what: "interval")]), "How often; never for not at all.")
  private static let identifier = Field.required("identifier", .text, "The request's identifier.")
  private static let notification = Field.required("id", .text, "The notification's id; the same id replaces.")
  private static let label = Field.required("task", .text, "The task's label.")
  private static let mode = Field.required(
    "mode", .word(AssertionKind.sessions.map(\.fileName), what: "mode"), "The session's background mode.")
}
