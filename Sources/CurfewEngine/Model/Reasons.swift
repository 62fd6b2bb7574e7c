/// What denies an admission (rule D1): reasons of one bit each, and the facts that failed. Whatever
/// of it is there denies, and each has its line of the policy file.
///
/// The order of the bits is the order in which reasons are told; facts come after them.
public struct DenialReasons: Hashable, Sendable, BitwiseCopyable {
  /// One bit a reason.
  public private(set) var rawValue: UInt32
  /// One bit for each of the row's budgets that has no room; none where `budget` is not among
  /// the reasons.
  private var budgets: UInt32 = 0
  /// Facts that hold, and by which the row is blocked.
  public private(set) var blocked: FactSet
  /// Facts that do not hold, and that the row requires.
  public private(set) var missing: FactSet

  /// The places, in the list of the row's `budgets`, of those that have no room; none where
  /// `budget` does not deny, or another than these does. How it denies in detail, and no reason
  /// of its own: where it differs, reasons are equal all the same.
  public var fullBudgets: [Int] {
    (0..<Budget.greatestCount).filter { budgets & 1 << UInt32($0) != 0 }
  }

  /// `budget`, for these of the row's list, one bit each.
  static func budget(full budgets: UInt32) -> DenialReasons {
    DenialReasons(rawValue: DenialReasons.budget.rawValue, budgets: budgets)
  }

  private init(rawValue: UInt32, blocked: FactSet = [], missing: FactSet = [], budgets: UInt32) {
    self.init(rawValue: rawValue, blocked: blocked, missing: missing)
    self.budgets = rawValue & DenialReasons.budget.rawValue == 0 ? 0 : budgets
  }

  /// Whether the same denies.
  public static func == (a: DenialReasons, b: DenialReasons) -> Bool {
    a.rawValue == b.rawValue && a.blocked == b.blocked && a.missing == b.missing
  }

  /// What denies.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
    hasher.combine(blocked)
    hasher.combine(missing)
  }

  /// The reasons with these bits, and these facts.
  public init(rawValue: UInt32, blocked: FactSet = [], missing: FactSet = []) {
    (self.rawValue, self.blocked, self.missing) = (rawValue, blocked, missing)
  }

  /// The policy lets nothing run in the background.
  public static let noMultitasking = DenialReasons(rawValue: 1 << 0)
  /// The policy has no row for this kind of wake.
  public static let kindNotInPolicy = DenialReasons(rawValue: 1 << 1)
  /// The policy has no row for this mode's session.
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
  /// The battery is under the policy's level and not charging.
  public static let lowBattery = DenialReasons(rawValue: 1 << 8)
  /// The user force-quit the app and has not opened it since.
  public static let forceQuit = DenialReasons(rawValue: 1 << 9)
  /// The device has not been unlocked since it booted.
  public static let beforeFirstUnlock = DenialReasons(rawValue: 1 << 10)
  /// The app is not running and this kind may not launch it.
  public static let mayNotRelaunch = DenialReasons(rawValue: 1 << 11)
  /// The app is being terminated.
  public static let terminating = DenialReasons(rawValue: 1 << 12)
  /// What this kind may have in its window, or in this visit, is used up.
  public static let budget = DenialReasons(rawValue: 1 << 13)
  /// Asked for sooner than the minimum interval allows, or than a session that was put off may
  /// go on.
  public static let interval = DenialReasons(rawValue: 1 << 14)

  /// Each reason by itself, but for facts, in the order in which reasons are told.
  package static let all: [DenialReasons] = (0..<15).map { DenialReasons(rawValue: 1 << $0) }

  /// The reasons without the facts.
  package var withoutFacts: DenialReasons { DenialReasons(rawValue: rawValue, budgets: budgets) }
}

extension DenialReasons: SetAlgebra {
  /// Nothing denies.
  public init() { self.init(rawValue: 0) }

  /// Whether nothing denies.
  public var isEmpty: Bool { rawValue == 0 && blocked.isEmpty && missing.isEmpty }

  /// Whether all of `member` denies.
  public func contains(_ member: DenialReasons) -> Bool { intersection(member) == member }

  /// What denies here or there.
  public func union(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue | other.rawValue, blocked: blocked.union(other.blocked),
      missing: missing.union(other.missing),
      budgets: budgets | other.budgets)
  }

  /// What denies here and there.
  public func intersection(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue & other.rawValue, blocked: blocked.intersection(other.blocked),
      missing: missing.intersection(other.missing),
      budgets: budgets | other.budgets)
  }

  /// What denies here or there, and not both.
  public func symmetricDifference(_ other: DenialReasons) -> DenialReasons {
    DenialReasons(
      rawValue: rawValue ^ other.rawValue, blocked: blocked.symmetricDifference(other.blocked),
      missing: missing.symmetricDifference(other.missing), budgets: budgets | other.budgets)
  }

  /// Adds what is in `member`.
  @discardableResult
  public mutating func insert(_ member: DenialReasons) -> (
    inserted: Bool, memberAfterInsert: DenialReasons
  ) {
    defer { formUnion(member) }
    return (!contains(member), member)
  }

  /// Takes away what is in `member`; answers what of it was there.
  @discardableResult
  public mutating func remove(_ member: DenialReasons) -> DenialReasons? {
    let found = intersection(member)
    formSymmetricDifference(found)
    return found.isEmpty ? nil : found
  }

  /// Adds what is in `member`; answers what of it was there.
  @discardableResult
  public mutating func update(with member: DenialReasons) -> DenialReasons? {
    let found = intersection(member)
    formUnion(member)
    return found.isEmpty ? nil : found
  }

  /// Adds what denies there.
  public mutating func formUnion(_ other: DenialReasons) { self = union(other) }

  /// Leaves what denies there, too.
  public mutating func formIntersection(_ other: DenialReasons) { self = intersection(other) }

  /// Leaves what denies here or there, and not both.
  public mutating func formSymmetricDifference(_ other: DenialReasons) {
    self = symmetricDifference(other)
  }
}

/// Why a process ended (rule D2), by MetricKit's names for background exits where it has one.
public enum TerminationReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The app left by itself, or as its manifest asks on leaving the foreground.
  case normalAppExit
  /// The app ended with an error.
  case abnormalExit
  /// A callback took longer than its limit.
  case appWatchdog
  /// More CPU than the policy's share.
  case cpuResourceLimit
  /// More memory than the app's own limit.
  case memoryResourceLimit
  /// Purged to make room.
  case memoryPressure
  /// Held a locked file when it was about to be suspended.
  case suspendedWithLockedFile
  /// A background task, a session or a wake outlived what it may take.
  case backgroundTaskAssertionTimeout
  /// A crash: bad memory access.
  case badAccess
  /// A crash: illegal instruction.
  case illegalInstruction
  /// The app switcher's kill.
  case userForceQuit
  /// The device restarted.
  case reboot
  /// More open tasks than the policy's limit.
  case tooManyBackgroundTasks
}

/// How an app ends by its own doing (rule D2).
public enum CrashReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// Left with an error; what a crash without a reason is.
  case abnormalExit
  /// Bad memory access.
  case badAccess
  /// Illegal instruction.
  case illegalInstruction
  /// `exit(0)`.
  case normalAppExit

  var termination: TerminationReason {
    switch self {
    case .abnormalExit: .abnormalExit
    case .badAccess: .badAccess
    case .illegalInstruction: .illegalInstruction
    case .normalAppExit: .normalAppExit
    }
  }
}

/// Why an expiration handler is called. UIKit does not tell; this engine does.
public enum ExpirationReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The grant is about to end.
  case timeLimit
  /// The device is too hot.
  case thermal
  /// Memory is short.
  case memory
  /// The user is quitting the app.
  case userForceQuit
  /// Whoever sets the policy took the grant back.
  case policyRevoked
}

/// How a wake went, in the app's words: `UIBackgroundFetchResult`.
public enum WakeResult: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// There was something new.
  case newData
  /// There was nothing new.
  case noData
  /// It did not work out.
  case failed
}

/// Something worth saying that changes nothing.
public enum Diagnostic: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// A launch has not returned within the policy's warning time.
  case slowLaunch
  /// An app ended a task that is not open.
  case unknownTask
  /// A step that makes no sense where it stands; nothing was done about it.
  case illegalEvent
  /// An expiration handler came so late that the app is in front again.
  case deliveredInForeground
  /// A task has been open for longer than the policy's age warning.
  case taskTooOld
  /// More memory is in use than there is, and nothing is left to purge.
  case overCapacity
  /// Expiration handlers have been called and have returned, and tasks are still open.
  case stillOpenAfterExpiration
  /// More names have been posted to a suspended app than are kept for it; the oldest is lost.
  case notificationDropped
}

/// The code that a termination record carries, such as 0x8badf00d.
public struct TerminationCode: Hashable, Sendable, BitwiseCopyable {
  /// The code's 32 bits.
  public let rawValue: UInt32

  /// The code with these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension TerminationCode: CustomStringConvertible {
  /// In hexadecimal, as crash reports print it: `0x8badf00d`.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}
