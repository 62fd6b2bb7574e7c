/// The treatment of an app that holds a locked file when it is about to be suspended (rule D3).
public struct LockedFileRules: Hashable, Sendable {
  /// Whether the app is terminated.
  public var terminates: Bool
  /// The termination code.
  public var code: TerminationCode?

  /// Creates rules with these values.
  public init(terminates: Bool, code: TerminationCode?) {
    self.terminates = terminates
    self.code = code
  }

  /// Locked files have no effect.
  public static let harmless = LockedFileRules(terminates: false, code: nil)
}

/// The memory limits of the device and of single apps (rules M1, M2).
public struct MemoryRules: Hashable, Sendable {
  /// The memory of a device that names no figure of its own, in bytes.
  public var capacity: Int64
  /// The warning level: running apps are warned when more than this percentage of the capacity
  /// is in use.
  public var warningLevel: UInt8
  /// The reset level: apps may be warned again after less than this percentage has been in use.
  public var resetLevel: UInt8
  /// The footprint of an app that names no footprint of its own, in bytes.
  public var footprint: Int64
  /// The limit of an app that names no limit of its own, in bytes; nil for no limit.
  public var appLimit: Int64?
  /// The order in which apps are purged (rule M1).
  public var purge: PurgeOrder
  /// The percentage of the capacity above which purging begins.
  public var purgeAbove: UInt8
  /// The percentage of the capacity at which purging stops; nil for `purgeAbove`.
  public var purgeTo: UInt8?
  /// The cost of starting an app again, for an app that names no cost of its own.
  public var startCost: Interval

  /// Creates rules with these values.
  public init(
    capacity: Int64, warningLevel: UInt8, resetLevel: UInt8, footprint: Int64, appLimit: Int64?,
    purge: PurgeOrder = .largest,
    purgeAbove: UInt8 = 100, purgeTo: UInt8? = nil, startCost: Interval = .zero
  ) {
    self.capacity = capacity
    self.warningLevel = warningLevel
    self.resetLevel = resetLevel
    self.footprint = footprint
    self.appLimit = appLimit
    self.purge = purge
    self.purgeAbove = purgeAbove
    self.purgeTo = purgeTo
    self.startCost = startCost
  }

  /// The order in which apps are purged, within each group of rule M1.
  ///
  /// Ties of `leastCostly` are broken as `largest` says. Ties of `largest` are broken by the least
  /// recent use. Ties of `leastRecentlyUsed`, which are apps that were never in front, are broken
  /// by the largest footprint. File order breaks the remaining ties.
  public enum PurgeOrder: UInt8, Hashable, Sendable {
    /// The app with the largest footprint: frees the memory by ending the fewest processes.
    case largest
    /// The app that left the foreground longest ago.
    case leastRecentlyUsed
    /// The app that is cheapest to start again (SWAM, MobiCom 2023: fewer kills of apps that are
    /// expensive to launch, fewer slow launches).
    case leastCostly
  }

  /// The greatest footprint, one tebibyte. A larger footprint counts as this value, so that sums
  /// over all apps fit into 64 bits.
  package static let greatestFootprint: Int64 = 1 << 40

  /// Rules without a limit, for apps without a footprint.
  public static let unlimited = MemoryRules(
    capacity: .max, warningLevel: 100, resetLevel: 100, footprint: 0, appLimit: nil)

  var isSound: Bool {
    capacity >= 0 && footprint >= 0 && appLimit ?? 0 >= 0 && resetLevel <= warningLevel
      && warningLevel <= 100
      && purgeAbove <= 100 && purgeTo ?? 0 <= purgeAbove && startCost >= .zero
  }
}

/// The share of the processor that an app in the background may use (rule D4).
public struct CPURules: Hashable, Sendable {
  /// The share of one core, in percent, that an app must not exceed over the window.
  public var share: UInt32
  /// The window.
  public var window: Interval
  /// Whether the limit applies while the device is charging.
  public var holdsWhileCharging: Bool

  /// Creates rules with these values.
  public init(share: UInt32, window: Interval, holdsWhileCharging: Bool) {
    self.share = share
    self.window = window
    self.holdsWhileCharging = holdsWhileCharging
  }

  /// The longest window that a policy may have: a day.
  package static let longestWindow = Interval.seconds(86_400)
  /// The maximum share that an app may report: a hundred cores. With this limit, sums over
  /// a window fit into 64 bits.
  package static let greatestShare: UInt32 = 10_000

  var isSound: Bool {
    window > .zero && window <= CPURules.longestWindow && share <= CPURules.greatestShare
  }
}

/// The number of notifications and posts kept for apps that are not running (rules A11, N1).
public struct NotificationRules: Hashable, Sendable {
  /// The number of local notifications that an app may have scheduled. The soonest are kept.
  public var kept: UInt32
  /// The number of queueing posts kept for a suspended app. The oldest are dropped.
  public var queued: UInt32

  /// The number of names under which posts are kept for a suspended app. The oldest are dropped.
  /// Nil keeps all.
  public var names: UInt32?

  /// Creates rules with these values.
  public init(kept: UInt32, queued: UInt32, names: UInt32? = nil) {
    self.kept = kept
    self.queued = queued
    self.names = names
  }

  /// Rules that keep nothing.
  public static let none = NotificationRules(kept: 0, queued: 0)
}
