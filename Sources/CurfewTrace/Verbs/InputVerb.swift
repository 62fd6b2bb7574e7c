import CurfewEngine
import CurfewPolicy
import CurfewText

/// The words for events. A new verb needs a row here, and a line in `TraceCoder.deed(_:)`.
public enum InputVerb: UInt8, Hashable, Sendable, CaseIterable {
  /// The user brings an app to the front.
  case launch
  /// The user leaves the app in front.
  case home
  /// The user locks the device.
  case lock
  /// The user unlocks the device.
  case unlock
  /// A call or an alert comes up over the app in front.
  case interrupt
  /// The user accepts the interruption: the app goes to the background.
  case acceptInterruption
  /// The user dismisses the interruption: the app continues.
  case ignoreInterruption
  /// The user kills an app in the app switcher.
  case forceQuit
  /// The device restarts.
  case reboot
  /// Grants end early: the grant of one app, or of every app in the background.
  case expireTasks
  /// An event from the world asks for a wake.
  case deliver
  /// The user turns Background App Refresh on or off, for an app or for the device.
  case setRefresh
  /// A fact that the policy declares changes, for an app or for the device.
  case setFact
  /// Facts of the device change.
  case setDevice
  /// The user removes an app that is not running, with everything that it has scheduled.
  case removeApp
  /// Something happens of which one app, or every app, is notified.
  case post
  /// The first line of a delivered callback is reached.
  case begin
  /// A delivered callback returns.
  case `return`
  /// A wake gets or loses its expiration handler.
  case setWakeHandler
  /// An app is added, but not launched.
  case addApp
  /// The app begins a finite-length task.
  case beginTask
  /// The app ends a task.
  case endTask
  /// The app starts a session, such as playing audio.
  case startSession
  /// The app stops a session.
  case stopSession
  /// The app reports that a wake's work is done.
  case completeWake
  /// The app's memory changes, in bytes, for this process and later ones.
  case setFootprint
  /// The app locks a file in a shared container.
  case lockFile
  /// The app unlocks a file.
  case unlockFile
  /// The app uses a share of a processor core, in percent, for a given time.
  case useCPU
  /// The app sets the shortest interval between fetches.
  case setMinimumFetchInterval
  /// The app sets the interval of its keep-alive wakes.
  case setKeepAlive
  /// The app sets the interval at which the system starts wakes of a kind.
  case setInterval
  /// The app submits a request to be run in the background.
  case submitTask
  /// The app cancels a request.
  case cancelTask
  /// The app schedules a local notification.
  case scheduleNotification
  /// The app cancels a local notification.
  case cancelNotification
  /// The process of the app has ended, by itself or from outside.
  case crash
  /// The app asks for its state and its remaining background time, in nanoseconds.
  case probe

  /// The table: a row for each verb, in the order of the verbs.
  package static let rows: [VerbRow] = {
    let rows = others + ownCalls
    precondition(rows.map(\.verb) == allCases, "The rows of verbs are \(rows.map(\.verb))")
    return rows
  }()

  /// Verbs of users, devices, the world, and hosts.
  private static let others: [VerbRow] = [
    .of(.launch, by: .user, app: "The user brings an app to the front.") { _, app, _ in .launch(app)
    },
    .of(.home, by: .user, on: .inFront, "The user leaves the app in front.") { _, app, _ in
      .home(app)
    },
    .of(.lock, by: .user, "The user locks the device.") { _, _, _ in .lock },
    .of(.unlock, by: .user, "The user unlocks the device.") { _, _, _ in .unlock },
    .of(.interrupt, by: .user, on: .inFront, "A call or an alert comes up over the app in front.") {
      _, app, _ in .interrupt(app)
    },
    .of(
      .acceptInterruption, by: .user, on: .inFront,
      "The user accepts the interruption: the app goes to the background."
    ) { _, app, _ in
      .acceptInterruption(app)
    },
    .of(
      .ignoreInterruption, by: .user, on: .inFront,
      "The user dismisses the interruption: the app continues."
    ) {
      _, app, _ in .ignoreInterruption(app)
    },
    .of(.forceQuit, by: .user, app: "The user kills an app in the app switcher.") {
      _, app, _ in .forceQuit(app)
    },
    .of(.reboot, by: .device, "The device restarts.") { _, _, _ in .reboot },
    .of(
      .expireTasks, by: .device,
      on: .optional(about: "The app; without it, every app in the background."),
      "Grants end early.",
      [
        .init(
          "reason", \.expiration, .word("reason"), .optional, "The reason; policyRevoked if absent."
        )
      ], words: { $0.expiration?.fileName },
      event: { deed, app, _ in .expireTasks(app, deed.expiration ?? .policyRevoked) }),
    .of(
      .deliver, by: .world, app: "The world asks for a wake.",
      [
        .init("kind", \.kind, .kind(.wake, "wake"), .required, "The kind of wake."),
        .init(
          "length", \.length, .duration, .optional,
          "How long the wake may run, if that is less than its row's length."),
        .init(
          "warning", \.warning, .duration, .optional,
          "How long before the end of that length its expiration handler is due; no warning if absent."
        ),
      ],
      words: { deed in
        let times = [
          deed.length.map { "for \(HumanTime.text($0))" },
          deed.warning.map { "warned \(HumanTime.text($0)) before" },
        ]
        return ([deed.kind?.rawValue] + times).compactMap(\.self).joined(separator: ", ")
      },
      event: { deed, app, coder in
        coder.kind(of: deed).map { .deliver(app, $0, for: deed.runTimes) }
      }),
    .of(
      .setRefresh, by: .user, on: .optional(about: "The app; without it, the device's own switch."),
      "The user turns Background App Refresh on or off.",
      [
        .init(
          "status", \.status, .word("status", among: [.available, .denied, .restricted]), .required,
          "available, denied, or restricted: off, and the user cannot turn it on.")
      ], words: { $0.status?.fileName },
      event: { deed, app, coder in
        if app == nil { coder.device.backgroundRefresh = deed.need(\.status) }
        return .setRefresh(app, deed.need(\.status))
      }),
    .of(
      .setFact, by: .world,
      on: .optional(about: "The app that has the fact; without it, the device."),
      "A fact that the policy declares changes.",
      [
        .init("fact", \.fact, .fact, .required, "The fact."),
        .init(
          "is", \.holds, .boolean, absent: true, "Whether it holds from now on; true if absent."),
      ], words: { "\($0.fact ?? "") \($0.holds)" },
      event: { deed, app, coder in
        guard let fact = coder.names.fact(deed.need(\.fact)) else { return nil }
        if app == nil { coder.device.declared.set(fact, holds: deed.holds) }
        return .setFact(app, fact, holds: deed.holds)
      }),
    .of(
      .setDevice, by: .device, "At least one fact of the device changes.", Attribute.facts,
      words: { $0.device?.words },
      event: { deed, app, coder in
        guard app == nil else { return nil }
        coder.device = deed.need(\.device).applied(to: coder.device)
        return .setDevice(coder.device)
      }),
    .of(
      .removeApp, by: .user,
      app: "The user removes an app that is not running, with everything that it has scheduled."
    ) { _, app, _ in
      .removeApp(app)
    },
    .of(
      .post, by: .world, on: .optional(about: "The app; without it, every app."),
      "Something happens that apps are notified of.",
      [
        .init(
          "name", \.name, .text, .required,
          "The name. For a suspended app, posts with one name merge into their net change; 'location' queues."
        ),
        .init(
          "value", \.value, .text, .optional, "The new value; without it, every post is a change."),
      ], words: { [$0.name, $0.value].compactMap(\.self).joined(separator: " ") },
      event: { deed, app, coder in
        let manner = NotificationPost.Manner(ofPostNamed: deed.need(\.name))
        return .post(
          app,
          NotificationPost(
            name: coder.number(of: deed.need(\.name)),
            value: deed.value.map { coder.number(of: $0) }, manner: manner))
      }),
    .of(
      .begin, by: .host, app: "The first line of a delivered callback is reached.", [callback]
    ) { _, app, _ in .began(app) }
    .said { "\($0.callback?.fileName ?? "") begins" },
    .of(.return, by: .host, app: "A delivered callback returns.", [callback]) { _, app, _ in
      .returned(app)
    }
    .said { "\($0.callback?.fileName ?? "") returns" },
    .of(
      .setWakeHandler, by: .host, app: "A wake gets an expiration handler, or loses it.",
      [
        .init("wake", \.wake, .wake, .required, "The wake's number."),
        .init("handler", \.handler, .noHandler, absent: .present),
      ],
      words: { "\($0.wake?.rawValue ?? 0)" + ($0.handler == .absent ? ", no handler" : "") },
      event: { deed, app, _ in .setWakeHandler(app, deed.need(\.wake), deed.handler) }),
    // The host itself adds the app: the app gets a number, and no event enters the engine.
    .of(.addApp, by: .host, on: .required, "An app is added, but not launched.", Attribute.manifest)
    { _, _, _ in nil },
  ]

  /// Verbs of apps.
  private static let ownCalls: [VerbRow] = [
    .of(
      .beginTask, app: "The app begins a finite-length task.",
      [.init("task", \.name, .text, .required, "The task's label.")],
      traced: [.init("handler", \.handler, .noHandler, absent: .present)],
      words: { "'\($0.name ?? "")'" + ($0.handler == .absent ? ", no handler" : "") },
      event: { deed, app, coder in
        .beginTask(app, label: coder.number(of: deed.need(\.name)), handler: deed.handler)
      }),
    .of(
      .endTask, app: "The app ends a task.", [.task],
      words: { $0.task.map { "\($0.rawValue)" } ?? "'\($0.name ?? "")'" },
      event: { deed, app, coder in .endTask(app, coder.task(of: deed, app)) }),
    .of(
      .startSession, app: "The app starts a session, such as playing audio.", [mode],
      traced: [
        .init(
          "expirationHandler", \.sessionHandler, .boolean(true: .present, false: .absent),
          absent: .absent)
      ],
      words: { $0.kind?.rawValue }
    ) { deed, app, coder in
      coder.kind(of: deed).map { .startSession(app, $0, handler: deed.sessionHandler) }
    },
    .of(.stopSession, app: "The app stops a session.", [mode], words: { $0.kind?.rawValue }) {
      deed, app, coder in
      coder.kind(of: deed).map { .stopSession(app, $0) }
    },
    .of(
      .completeWake, app: "The app says that a wake's work is done.",
      [
        .init(
          "kind", \.kind, .kind(.wake, "wake"), .optional,
          "The kind of wake; if several are open, the one delivered first."),
        .init(
          "identifier", \.name, .text, .optional,
          "The identifier of the request that led to the wake."
        ),
        .init(
          "wake", \.wake, .wake, .optional,
          "The wake's number: an app's wakes count from 1, in the order of admission."),
        .init("result", \.result, .word("result"), .optional, "The result."),
      ],
      words: { deed in
        let names = [
          deed.wake.map { "\($0.rawValue)" }, deed.kind?.rawValue, deed.name.map { "'\($0)'" },
          deed.result?.fileName,
        ]
        return names.compactMap(\.self).joined(separator: " ")
      },
      event: { deed, app, coder in
        let kind = coder.kind(of: deed)
        guard (kind == nil) == (deed.kind == nil) else { return nil }
        return .completeWake(
          app,
          WakeChoice(id: deed.wake, kind: kind, identifier: deed.name.map { coder.number(of: $0) }),
          deed.result)
      }),
    .of(
      .setFootprint,
      app: "The app has this footprint from now on, in every state and in later processes.",
      [.init("footprint", \.footprint, .footprint, .required, "The memory used.")],
      words: { $0.footprint.map(HumanSize.text) },
      event: { deed, app, _ in .setFootprint(app, deed.need(\.footprint)) }),
    .of(.lockFile, app: "The app locks a file in a shared container.") { _, app, _ in .lockFile(app)
    },
    .of(.unlockFile, app: "The app unlocks a file.") { _, app, _ in .unlockFile(app) },
    .of(
      .useCPU, app: "The app uses the processor.",
      [
        .init(
          "share", \.share, .share, .required, "A share of one core; over 100% for more than one."),
        .init(
          "for", \.length, .duration, .required,
          "For how long; the next 'useCPU' ends this use earlier."),
      ], words: { "\($0.share ?? 0)% for \(HumanTime.text($0.length ?? .zero))" },
      event: { deed, app, _ in .useCPU(app, share: deed.need(\.share), for: deed.need(\.length)) }),
    .of(
      .setMinimumFetchInterval, app: "The app sets the shortest interval between fetches.",
      [interval], words: intervalWords
    ) {
      deed, app, _ in
      .setInterval(app, .fetch, deed.need(\.interval))
    },
    .of(.setKeepAlive, app: "The app asks for keep-alive wakes.", [interval], words: intervalWords)
    { deed, app, _ in
      .setInterval(app, .voipKeepAlive, deed.need(\.interval))
    },
    .of(
      .setInterval,
      app:
        "The app sets the interval at which the system wakes it; the kind's row says whether this is the shortest or the exact interval.",
      [.init("kind", \.kind, .kind(.wake, "wake"), .required, "The kind of wake."), interval],
      words: { "\($0.kind?.rawValue ?? "") \(intervalWords($0) ?? "")" },
      event: { deed, app, coder in
        coder.kind(of: deed).map { .setInterval(app, $0, deed.need(\.interval)) }
      }),
    .of(
      .submitTask, app: "The app submits a request to be run in the background.",
      [
        identifier,
        .init("kind", \.kind, .kind(.wake, "kind"), .required, "The kind of wake requested."),
        .init(
          "earliest", \.earliest, .duration, absent: .zero,
          "The least time between its submission and its start; 0s if absent."),
        .init(
          "requiresNetwork", \.requiresNetwork, .boolean, absent: false,
          "Whether it waits for a network; false if absent."),
        .init(
          "requiresPower", \.requiresPower, .boolean, absent: false,
          "Whether it waits for external power; false if absent."),
      ],
      words: { deed in
        [
          "'\(deed.name ?? "")' \(deed.kind?.rawValue ?? "")",
          deed.earliest > .zero ? "in \(HumanTime.text(deed.earliest)) at the earliest" : nil,
          deed.requiresNetwork ? "with a network" : nil, deed.requiresPower ? "on power" : nil,
        ].compactMap(\.self).joined(separator: ", ")
      },
      event: { deed, app, coder in
        guard let kind = coder.kind(of: deed) else { return nil }
        return .submitTask(
          app,
          TaskRequest(
            identifier: coder.number(of: deed.need(\.name)), kind: kind, earliest: deed.earliest,
            requiresNetwork: deed.requiresNetwork,
            requiresPower: deed.requiresPower))
      }),
    .of(.cancelTask, app: "The app cancels a request.", [identifier], words: quotedName) {
      deed, app, coder in
      .cancelTask(app, identifier: coder.number(of: deed.need(\.name)))
    },
    .of(
      .scheduleNotification, app: "The app schedules a local notification.",
      [
        .init("in", \.length, .duration, .required, "The time from now until it is due."),
        notification,
      ],
      words: { "'\($0.name ?? "")' in \(HumanTime.text($0.length ?? .zero))" },
      event: { deed, app, coder in
        .scheduleNotification(
          app, id: coder.number(of: deed.need(\.name)), after: deed.need(\.length))
      }),
    .of(
      .cancelNotification, app: "The app cancels a local notification.", [notification],
      words: quotedName
    ) {
      deed, app, coder in
      .cancelNotification(app, id: coder.number(of: deed.need(\.name)))
    },
    .of(
      .crash, app: "The app's process ends.",
      crashValues,
      words: { deed in
        let detail = deed.crashReason?.detail
        return deed.crash.map { reason in
          reason.fileName + (detail.map { " (\($0.value))" } ?? "")
        } ?? detail.map { "\($0)" }
      },
      event: { deed, app, _ in deed.crashReason.map { .crash(app, $0) } }),
    .of(.probe, app: "The app asks for its state and its remaining time.") { _, app, _ in
      .probe(app)
    },
  ]
}
