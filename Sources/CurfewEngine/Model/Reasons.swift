/// The reasons that deny an admission (rule D1): one bit per reason, and the facts that failed.
/// Each reason denies by itself, and has its own line in the policy file.
///
/// The order of the bits is the order in which reasons are reported. Facts come after them.
public struct DenialReasons: Hashable, Sendable, BitwiseCopyable {
  /// The reasons, one bit each.
  public private(set) var rawValue: UInt32
  /// One bit for each of the row's budgets that has no room; 0 if `budget` is not among
  /// the reasons.
  private var budgets: UInt32 = 0
  /// The facts that hold although they block the row.
  public private(set) var blocked: FactSet
  /// The facts that do not hold although the row requires them.
  public private(set) var missing: FactSet

  /// The indices, in the row's `budgets`, of the budgets that have no room. Empty if `budget` is
  /// not among the reasons, or if only the row's `budget` denies, which has no index. The indices
  /// are a detail of the reason `budget` and not a reason, so comparison ignores them.
  package var fullBudgets: [Int] {
    (0..<Budget.greatestCount).filter { budgets & 1 << UInt32($0) != 0 }
  }

  /// The reason `budget` for these budgets of the row, one bit each.
  static func budget(full budgets: UInt32) -> DenialReasons {
    DenialReasons(rawValue: DenialReasons.budget.rawValue, budgets: budgets)
  }

  private init(rawValue: UInt32, blocked: FactSet = [], missing: FactSet = [], budgets: UInt32) {
    self.init(rawValue: rawValue, blocked: blocked, missing: missing)
    self.budgets = rawValue & DenialReasons.budget.rawValue == 0 ? 0 : budgets
  }

  /// Whether both deny for the same reasons and facts.
  public static func == (a: DenialReasons, b: DenialReasons) -> Bool {
    a.rawValue == b.rawValue && a.blocked == b.blocked && a.missing == b.missing
  }

  /// Hashes the reasons and facts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
    hasher.combine(blocked)
    hasher.combine(missing)
  }

  /// Creates reasons with these bits and facts.
  public init(rawValue: UInt32, blocked: FactSet = [], missing: FactSet = []) {
    (self.rawValue, self.blocked, self.missing) = (rawValue, blocked, missing)
  }

  /// The policy has no multitasking: nothing runs in the background.
  public static let noMultitasking = DenialReasons(rawValue: 1 << 0)
  /// The policy has no row for this kind of wake.
  public static let kindNotInPolicy = DenialReasons(rawValue: 1 << 1)
  /// The policy has no row for this kind of session.
  public static let modeNotInPolicy = DenialReasons(rawValue: 1 << 2)
  /// The app's manifest does not declare the mode.
  public static let modeNotDeclared = DenialReasons(rawValue: 1 << 3)
  /// The app's manifest opts out of the background.
  public static let exitsOnSuspend = DenialReasons(rawValue: 1 << 4)
  /// Background App Refresh is off, for the device or the app.
  public static let backgroundRefreshDenied = DenialReasons(rawValue: 1 << 5)
  /// Background App Refresh is off and the user cannot turn it on.
  public static let backgroundRefreshRestricted = DenialReasons(rawValue: 1 << 6)
  /// Low Power Mode is on.
  public static let lowPowerMode = DenialReasons(rawValue: 1 << 7)
  /// The battery is below the policy's level and not charging.
  public static let lowBattery = DenialReasons(rawValue: 1 << 8)
  /// The user force-quit the app and has not opened it since.
  public static let forceQuit = DenialReasons(rawValue: 1 << 9)
  /// The device has not been unlocked since it booted.
  public static let beforeFirstUnlock = DenialReasons(rawValue: 1 << 10)
  /// The app is not running and this kind may not launch it.
  public static let mayNotRelaunch = DenialReasons(rawValue: 1 << 11)
  /// The app is being terminated.
  public static let terminating = DenialReasons(rawValue: 1 << 12)
  /// The kind's budget for the window or for this visit is used up.
  public static let budget = DenialReasons(rawValue: 1 << 13)
  /// The request comes sooner than the minimum interval allows, or before the end of a
  /// session's deferral.
  public static let interval = DenialReasons(rawValue: 1 << 14)

  /// Each reason by itself, without facts, in the order in which reasons are reported.
  package static let all: [DenialReasons] = (0..<15).map { DenialReasons(rawValue: 1 << $0) }

  /// The reasons without the facts.
  package var withoutFacts: DenialReasons { DenialReasons(rawValue: rawValue, budgets: budgets) }
}

extension DenialReasons: SetAlgebra {
  /// Creates an empty set: nothing denies.
  public init() { self.init(rawValue: 0) }

  /// Whether the set is empty: nothing denies.
  public var isEmpty: Bool { rawValue == 0 && blocked.isEmpty && missing.isEmpty }

  /// Whether the set contains every reason and fact of `member`.
  public func contains(_ member: DenialReasons) -> Bool { intersection(member) == member }

  /// The reasons and facts that are in either set.
  public func union(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue | other.rawValue, blocked: blocked.union(other.blocked),
      missing: missing.union(other.missing),
      budgets: budgets | other.budgets)
  }

  /// The reasons and facts that are in both sets.
  public func intersection(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue & other.rawValue, blocked: blocked.intersection(other.blocked),
      missing: missing.intersection(other.missing),
      budgets: budgets | other.budgets)
  }

  /// The reasons and facts that are in exactly one of the sets.
  public func symmetricDifference(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue ^ other.rawValue, blocked: blocked.symmetricDifference(other.blocked),
      missing: missing.symmetricDifference(other.missing), budgets: budgets | other.budgets)
  }

  /// Adds the reasons and facts of `member`.
  @discardableResult
  public mutating func insert(_ member: DenialReasons) -> (
    inserted: Bool, memberAfterInsert: DenialReasons
  ) {
    defer { formUnion(member) }
    return (!contains(member), member)
  }

  /// Removes the reasons and facts of `member`. Returns the removed ones.
  @discardableResult
  public mutating func remove(_ member: DenialReasons) -> DenialReasons? {
    let found = intersection(member)
    formSymmetricDifference(found)
    return found.isEmpty ? nil : found
  }

  /// Adds the reasons and facts of `member`. Returns those that were already present.
  @discardableResult
  public mutating func update(with member: DenialReasons) -> DenialReasons? {
    let found = intersection(member)
    formUnion(member)
    return found.isEmpty ? nil : found
  }

  /// Adds the reasons and facts of `other`.
  public mutating func formUnion(_ other: DenialReasons) { self = union(other) }

  /// Keeps only the reasons and facts that are also in `other`.
  public mutating func formIntersection(_ other: DenialReasons) { self = intersection(other) }

  /// Keeps the reasons and facts that are in exactly one of the sets.
  public mutating func formSymmetricDifference(_ other: DenialReasons) {
    self = symmetricDifference(other)
  }
}

/// The reason why a process ended (rule D2). The names are those that MetricKit uses for background
/// exits, if it has one.
public enum TerminationReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The app exited by itself, or its manifest requires it to exit when it leaves the foreground.
  case normalAppExit
  /// The app ended with an error.
  case abnormalExit
  /// A callback exceeded its limit.
  case appWatchdog
  /// The app used more CPU than the policy's share.
  case cpuResourceLimit
  /// The app used more memory than its own limit.
  case memoryResourceLimit
  /// The app was purged to free memory.
  case memoryPressure
  /// The app held a locked file when it was about to be suspended.
  case suspendedWithLockedFile
  /// A background task, a session or a wake exceeded its time.
  case backgroundTaskAssertionTimeout
  /// A crash: bad memory access.
  case badAccess
  /// A crash: illegal instruction.
  case illegalInstruction
  /// The user quit the app in the app switcher.
  case userForceQuit
  /// The device restarted.
  case reboot
  /// The app had more open tasks than the policy's limit.
  case tooManyBackgroundTasks
  /// The kernel killed the process because memory was short.
  case oomKill
  /// A signal ended the process.
  case signal
  /// The process could not be started.
  case spawnFailed
  /// The host of the process failed, and its processes ended with it.
  case hostFailure

  /// The reasons of an end that takes several steps: an app stores one of them from the first step
  /// to the last.
  static let ofQuits: [TerminationReason] = [.normalAppExit, .memoryPressure, .userForceQuit]
}

/// The reason why an expiration handler is called. UIKit does not report it; this engine does.
public enum ExpirationReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The grant is about to end.
  case timeLimit
  /// The device is too hot.
  case thermal
  /// Memory is short.
  case memory
  /// The user is quitting the app.
  case userForceQuit
  /// The policy's owner revoked the grant.
  case policyRevoked
}

/// The result of a wake, as the app reports it: `UIBackgroundFetchResult`.
public enum WakeResult: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// There was something new.
  case newData
  /// There was nothing new.
  case noData
  /// The work failed.
  case failed
}

/// A diagnostic: a report that changes nothing.
public enum Diagnostic: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// A launch has not returned within the policy's warning time.
  case slowLaunch
  /// An app ended a task that is not open.
  case unknownTask
  /// An event was illegal in the current state and was ignored.
  case illegalEvent
  /// An expiration handler came so late that the app is in front again.
  case deliveredInForeground
  /// A task has been open for longer than the policy's age warning.
  case taskTooOld
  /// More memory is in use than the capacity, and no app is left to purge.
  case overCapacity
  /// Expiration handlers have returned, and tasks are still open.
  case stillOpenAfterExpiration
  /// More names than the policy keeps were posted to a suspended app. The oldest name was dropped.
  case notificationDropped
  /// An app completed a wake that it had already completed.
  case alreadyCompleted
  /// didEnterBackground has not returned within the policy's warning time.
  case slowDidEnterBackground
  /// An app's run loop has been busy in the background for the policy's time, and the app holds
  /// no assertion.
  case runsWithoutAssertion
}

/// The code that a termination record carries, such as 0x8badf00d.
public struct TerminationCode: Hashable, Sendable, BitwiseCopyable {
  /// The code's 32 bits.
  public let rawValue: UInt32

  /// The code with these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension TerminationCode: CustomStringConvertible {
  /// The code in hexadecimal, as crash reports print it: `0x8badf00d`.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}
