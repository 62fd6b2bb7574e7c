/// What an app may have of a kind of wake within a rolling window (rule W4): looked at when
/// the next one asks.
public struct WakeBudget: Hashable, Sendable {
  /// The window's length; it ends now and is open at its beginning.
  public var window: Interval
  /// How many admissions, 0 for none at all, whatever the window; nil for any number.
  public var admissions: UInt32?
  /// How much time between delivery and end before the next is refused; nil for any.
  public var runTime: Interval?

  /// A budget of these values.
  public init(window: Interval, admissions: UInt32? = nil, runTime: Interval? = nil) {
    self.window = window
    self.admissions = admissions
    self.runTime = runTime
  }

  var isSound: Bool { (window > .zero || admissions == 0) && runTime.map { $0 > .zero } ?? true }
}

/// One of the budgets of a row: so much within a rolling window, for every app or for those
/// of a group (rule W4).
///
/// Every budget that is for an app has to have room. Run time that is used up warns and ends what
/// runs, too.
public struct Budget: Hashable, Sendable {
  /// How much.
  public var amount: Amount
  /// The window's length; it ends now and is open at its beginning.
  public var window: Interval
  /// The group whose apps it is for; nil for every app.
  public var group: AppGroup?

  /// How much of something.
  public enum Amount: Hashable, Sendable {
    /// So many admissions; 0 for none at all.
    case admissions(UInt32)
    /// So many sessions: admissions, of which those count as one that come while another runs,
    /// or soon after its end.
    case sessions(UInt32)
    /// So much time between delivery and end.
    case runTime(Interval)
  }

  /// A budget of these values.
  public init(_ amount: Amount, in window: Interval, of group: AppGroup? = nil) {
    (self.amount, self.window, self.group) = (amount, window, group)
  }

  /// So many a row may have: that which of them denies can be told.
  package static let greatestCount = 32

  package var isOfRunTime: Bool {
    if case .runTime = amount { true } else { false }
  }

  var isSound: Bool {
    if case .runTime(let time) = amount, time <= .zero { return false }
    return window > .zero
  }
}

/// A group of apps, by its place among `PolicyNames.groups`.
public struct AppGroup: Hashable, Sendable, BitwiseCopyable {
  /// The place.
  public let rawValue: UInt8

  /// The group at a place.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// So many groups a policy may know.
  package static let greatestCount = 64
}

/// Which apps are in a group. Of the groups that an app fits it is in that of the highest rank,
/// among equals in the one that asks for the longest disuse, then in the one that is named first.
///
/// As Android's standby buckets are told apart: by how long ago an app was used, and by what
/// the user has said of it (AOSP, `AppStandbyController`).
public struct GroupRules: Hashable, Sendable {
  /// The facts that have to hold, and those that must not.
  public var conditions: FactConditions
  /// How long the app must not have been in the foreground; one that never was counts from
  /// its adding.
  public var unusedFor: Interval
  /// Which group is looked at first.
  public var rank: UInt32

  /// A group of these values.
  public init(
    unusedFor: Interval = .zero, conditions: FactConditions = FactConditions(), rank: UInt32 = 0
  ) {
    (self.unusedFor, self.conditions, self.rank) = (unusedFor, conditions, rank)
  }
}
