import CurfewEngine
import CurfewText

// The keys of a policy except tasks, sessions and wakes, in the order of files, listings
// and digests.

extension Policy {
  static let keys: [PolicyKey<Policy>] = [
    .init(
      "multitasking", \.multitasking, .boolean,
      "Whether apps may leave the foreground without ending."),
    .init(
      "foreground", \.foregroundLimit,
      Notation<UInt32>.number(1...UInt32.max).or("unlimited", what: "number"),
      "How many apps may be in the foreground at a time."),
    .init(
      "backgroundRefresh", \.hasBackgroundRefresh, .boolean,
      "Whether the Background App Refresh switch exists; if not, it denies nothing."),
    .init(
      "lowPowerMode", \.hasLowPowerMode, .boolean,
      "Whether Low Power Mode exists; if not, it denies nothing."),
    .init(
      "lowBattery", \.lowBattery, .percentage,
      "The percentage below which a battery that is not charging is low."),
    .init(
      "lowBatteryReset", \.lowBatteryReset,
      Notation<UInt8>.percentage.or("none", what: "percentage"), absent: nil,
      "The percentage from which a low battery is no longer low; 'none' for 'lowBattery'."),
    .init(
      "suspendDelay", \.suspendDelay, .duration,
      "How long an app in the background runs without an assertion before it is suspended."),
  ]

  /// The initial values for reading. A complete policy replaces all of them.
  static let unwritten = Policy(
    multitasking: false, foregroundLimit: nil, hasBackgroundRefresh: false, hasLowPowerMode: false,
    suspendDelay: .zero,
    limits: CallbackLimits(
      launch: .zero, launchWarning: .zero, didEnterBackground: .zero, willTerminate: .zero,
      code: nil),
    tasks: .none, sessions: [:], wakes: [:])
}

extension CallbackLimits {
  static let keys: [PolicyKey<CallbackLimits>] = [
    .init(
      "launch", \.launch, .duration,
      "From the delivery of willFinishLaunching to the return of didFinishLaunching."),
    .init(
      "launchWarning", \.launchWarning, .duration,
      "The length of a launch from which a diagnostic reports it as slow."),
    .init("didEnterBackground", \.didEnterBackground, .duration, "didEnterBackground."),
    .init(
      "didEnterBackgroundWarning", \.didEnterBackgroundWarning,
      Notation<Interval>.duration.or("none", what: "warning"), absent: nil,
      "The length of didEnterBackground from which a diagnostic reports it as slow; 'none' for no diagnostic."
    ),
    .init("willTerminate", \.willTerminate, .duration, "willTerminate."),
    .init(
      "withoutAssertionWarning", \.withoutAssertionWarning,
      Notation<Interval>.duration.or("none", what: "warning"), absent: nil,
      "How long a run loop may be busy in the background without an assertion before a diagnostic reports it; 'none' for no diagnostic."
    ),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of a watchdog's kill."),
  ]
}

extension LockedFileRules {
  static let keys: [PolicyKey<LockedFileRules>] = [
    .init("terminate", \.terminates, .boolean, "Whether these apps are terminated."),
    .init("code", \.code, .codeOrNone, absent: nil, "The code of such a kill."),
  ]
}

extension MemoryRules {
  static let keys: [PolicyKey<MemoryRules>] = [
    .init(
      "capacity", \.capacity, .size,
      "The capacity of a device without a figure of its own. If more is in use, apps are purged."
    ).positive,
    .init(
      "warning", \.warningLevel, .percentage,
      "With more than this share of the capacity in use, running apps are warned."),
    .init(
      "warningReset", \.resetLevel, .percentage,
      "Running apps may be warned again once less than this share has been in use."),
    .init(
      "footprint", \.footprint, .footprint, "The footprint of an app without a figure of its own."),
    .init(
      "appLimit", \.appLimit, Notation<Int64>.size.or("none", what: "limit"),
      "The memory limit of an app without a limit of its own."
    ).positive,
    .init(
      "purge", \.purge,
      .word(
        "order",
        of: [
          ("largest", .largest), ("leastRecentlyUsed", .leastRecentlyUsed),
          ("leastCostly", .leastCostly),
        ]),
      absent: .largest,
      "The app that is purged first, suspended apps before running ones: 'leastCostly' is the one that is cheapest to start again."
    ),
    .init(
      "purgeAbove", \.purgeAbove, .percentage, absent: 100,
      "Purging begins with more than this share of the capacity in use."),
    .init(
      "purgeTo", \.purgeTo, Notation<UInt8>.percentage.or("none", what: "level"), absent: nil,
      "Purging continues until at most this share is in use; 'none' for the share of 'purgeAbove'."
    ),
    .init(
      "startCost", \.startCost, .duration, absent: .zero,
      "The cost of starting an app again, for apps without a figure of their own."),
  ]
}

extension Policy {
  /// The keys of `cpu`. They belong to the policy, because without a share there are no rules
  /// to hold the other values.
  static let processorKeys: [PolicyKey<Policy>] = [
    .init(
      "share", \.processorShare, Notation<UInt32>.percentage.or("none", what: "share"),
      "The share of one core that the app must not exceed over the window."),
    .init("window", \.processor.window, .duration, "The window, a day at most.").positive,
    .init(
      "whileCharging", \.processor.holdsWhileCharging, .boolean,
      "Whether the limit applies while the device is charging."),
  ]

  private var processorShare: UInt32? {
    get { cpu?.share }
    set {
      cpu = newValue.map { share in
        var rules = processor
        rules.share = share
        return rules
      }
    }
  }

  /// The processor's rules; values that are set without a share are dropped.
  private var processor: CPURules {
    get { cpu ?? CPURules(share: 0, window: CPURules.longestWindow, holdsWhileCharging: false) }
    set { if cpu != nil { cpu = newValue } }
  }
}

extension NotificationRules {
  static let keys: [PolicyKey<NotificationRules>] = [
    .init(
      "kept", \.kept, .count(from: 0),
      "How many local notifications an app may have scheduled; beyond this number only the soonest are kept."
    ),
    .init(
      "locations", \.queued, .count(from: 0),
      "How many locations are kept for a suspended app; beyond this number the oldest are dropped."),
    .init(
      "names", \.names, Notation<UInt32>.count(from: 0).or("none", what: "number"), absent: nil,
      "For how many names posts are kept for a suspended app; beyond this number the oldest are dropped, with the diagnostic notificationDropped."
    ),
  ]
}
