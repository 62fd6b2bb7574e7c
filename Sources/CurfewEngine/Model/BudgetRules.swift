/// The budget of a kind of wake within a rolling window (rule W4). It is checked when the next wake
/// asks for admission.
public struct WakeBudget: Hashable, Sendable {
  /// The window's length. The window ends now and excludes its beginning.
  public var window: Interval
  /// The number of admissions; nil for any number. 0 denies every wake, whatever the window.
  public var admissions: UInt32?
  /// The run time, from delivery to end, after which the next wake is denied; nil for any run time.
  public var runTime: Interval?

  /// Creates a budget with these values.
  public init(window: Interval, admissions: UInt32? = nil, runTime: Interval? = nil) {
    self.window = window
    self.admissions = admissions
    self.runTime = runTime
  }

  var isSound: Bool { (window > .zero || admissions == 0) && runTime.map { $0 > .zero } ?? true }
}

/// One of the budgets of a row: an amount within a rolling window, for every app or for the apps
/// of a group (rule W4).
///
/// Every budget that applies to an app must have room. A budget of run time that is used up also
/// warns and ends the current runs.
public struct Budget: Hashable, Sendable {
  /// The amount.
  public var amount: Amount
  /// The window's length. The window ends now and excludes its beginning.
  public var window: Interval
  /// The group to whose apps the budget applies; nil for every app.
  public var group: AppGroup?

  /// The amount of a budget.
  public enum Amount: Hashable, Sendable {
    /// A number of admissions; 0 for none.
    case admissions(UInt32)
    /// A number of sessions. An admission that comes during another run, or soon after its end,
    /// belongs to the same session.
    case sessions(UInt32)
    /// An amount of run time, from delivery to end.
    case runTime(Interval)
  }

  /// Creates a budget with these values.
  public init(_ amount: Amount, in window: Interval, of group: AppGroup? = nil) {
    (self.amount, self.window, self.group) = (amount, window, group)
  }

  /// The maximum number of budgets in a row. It is limited so that a denial can name its budgets.
  package static let greatestCount = 32

  package var isOfRunTime: Bool {
    if case .runTime = amount { true } else { false }
  }

  var isSound: Bool {
    if case .runTime(let time) = amount, time <= .zero { return false }
    return window > .zero
  }
}

/// A group of apps, identified by its place in `PolicyNames.groups`.
public struct AppGroup: Hashable, Sendable, BitwiseCopyable {
  /// The place.
  public let rawValue: UInt8

  /// The group at a place.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The maximum number of groups in a policy.
  package static let greatestCount = 64
}

/// The apps that belong to a group. An app that fits several groups belongs to the one with
/// the highest rank. If ranks are equal, the group that requires the longest disuse wins, then
/// the group named first.
///
/// Groups are modelled on Android's standby buckets, which depend on how long ago an app was used
/// and on what the user has set for it (AOSP, `AppStandbyController`).
public struct GroupRules: Hashable, Sendable {
  /// The facts that must hold, and the facts that must not.
  public var conditions: FactConditions
  /// How long the app must have been out of the foreground. For an app that has never been there,
  /// the time counts from the instant at which it was added.
  public var unusedFor: Interval
  /// The rank. The group of the highest rank is checked first.
  public var rank: UInt32

  /// Creates a group with these values.
  public init(
    unusedFor: Interval = .zero, conditions: FactConditions = FactConditions(), rank: UInt32 = 0
  ) {
    (self.unusedFor, self.conditions, self.rank) = (unusedFor, conditions, rank)
  }
}
