/// What becomes of an app that holds a locked file when it is about to be suspended (rule D3).
public struct LockedFileRules: Hashable, Sendable {
  /// Whether it is terminated.
  public var terminates: Bool
  /// The code of that kill.
  public var code: TerminationCode?

  /// Rules of these values.
  public init(terminates: Bool, code: TerminationCode?) {
    self.terminates = terminates
    self.code = code
  }

  /// Nothing.
  public static let harmless = LockedFileRules(terminates: false, code: nil)
}

/// What apps may take up together and each alone (rules M1, M2).
public struct MemoryRules: Hashable, Sendable {
  /// What a device has that names no figure of its own, in bytes.
  public var capacity: Int64
  /// Running apps are warned when more than this percentage of the capacity is in use.
  public var warningLevel: UInt8
  /// They may be warned again once less than this percentage has been in use.
  public var resetLevel: UInt8
  /// What an app takes up that names no figure of its own, in bytes.
  public var footprint: Int64
  /// What an app may take up that names no limit of its own, in bytes; nil for any amount.
  public var appLimit: Int64?
  /// Who makes room first (rule M1).
  public var purge: PurgeOrder
  /// Purging begins when more than this percentage of the capacity is in use.
  public var purgeAbove: UInt8
  /// It goes on until no more than this percentage is in use; nil for `purgeAbove`.
  public var purgeTo: UInt8?
  /// What it costs to start an app again that names no figure of its own.
  public var startCost: Interval

  /// Rules of these values.
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

  /// Which of the apps that may be purged goes first, within each group of rule M1.
  ///
  /// Equals of `leastCostly` go in the order of `largest`; equals of `largest` the least recently
  /// used first; equals of `leastRecentlyUsed`, which are those that were never in front,
  /// the largest first. What is left is settled by file order.
  public enum PurgeOrder: UInt8, Hashable, Sendable {
    /// The one with the largest footprint: fewest ends for the room.
    case largest
    /// The one that has been out of the foreground for the longest.
    case leastRecentlyUsed
    /// The one that is cheapest to start again (SWAM, MobiCom 2023: fewer kills of what is dear
    /// to launch, fewer launches that take long).
    case leastCostly
  }

  /// A footprint of more than this, one tebibyte, counts as this: so sums over all apps fit
  /// 64 bits.
  package static let greatestFootprint: Int64 = 1 << 40

  /// As much as anybody wants, for apps that take up nothing.
  public static let unlimited = MemoryRules(
    capacity: .max, warningLevel: 100, resetLevel: 100, footprint: 0, appLimit: nil)

  var isSound: Bool {
    capacity >= 0 && footprint >= 0 && appLimit ?? 0 >= 0 && resetLevel <= warningLevel
      && warningLevel <= 100
      && purgeAbove <= 100 && purgeTo ?? 0 <= purgeAbove && startCost >= .zero
  }
}

/// What an app in the background may use of the processor (rule D4).
public struct CPURules: Hashable, Sendable {
  /// The share of one core, in percent, that it must not exceed over the window.
  public var share: UInt32
  /// The window.
  public var window: Interval
  /// Whether that holds while the device is charging.
  public var holdsWhileCharging: Bool

  /// Rules of these values.
  public init(share: UInt32, window: Interval, holdsWhileCharging: Bool) {
    self.share = share
    self.window = window
    self.holdsWhileCharging = holdsWhileCharging
  }

  /// The longest window that there may be: a day.
  package static let longestWindow = Interval.seconds(86_400)
  /// The greatest share that an app may be said to use: a hundred cores. With it, sums over
  /// a window fit 64 bits.
  package static let greatestShare: UInt32 = 10_000

  var isSound: Bool {
    window > .zero && window <= CPURules.longestWindow && share <= CPURules.greatestShare
  }
}

/// What is kept for apps that do not run (rules A11, N1).
public struct NotificationRules: Hashable, Sendable {
  /// How many local notifications an app may have scheduled; the soonest stay.
  public var kept: UInt32
  /// How many queueing posts wait for a suspended app; the oldest go.
  public var queued: UInt32

  /// Under how many names posts are kept for a suspended app; the oldest go. nil: under all.
  public var names: UInt32?

  /// Rules of these values.
  public init(kept: UInt32, queued: UInt32, names: UInt32? = nil) {
    self.kept = kept
    self.queued = queued
    self.names = names
  }

  /// Nothing is kept.
  public static let none = NotificationRules(kept: 0, queued: 0)
}
