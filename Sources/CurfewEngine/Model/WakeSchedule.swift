/// The schedule of wakes that the system starts, by itself or at an app's request (rules W3, W5).
public struct WakeSchedule: Hashable, Sendable {
  /// The least interval since the last start, whatever the app asks for. For requests, the interval
  /// counts from the start of the app's last run of the kind.
  public var minimumInterval: Interval
  /// The alignment: the system starts wakes only at multiples of this length, counted from
  /// the engine's start. Zero for no alignment.
  public var alignment: Interval
  /// The greatest multiple of the interval to which backoff may extend it; 1 for no backoff.
  public var greatestBackoff: UInt32
  /// The factor by which each backoff multiplies the interval.
  public var backoffFactor: ScaleFactor
  /// The event that extends the interval.
  public var backoffGrowth: BackoffGrowth
  /// The event that resets the interval.
  public var backoffReset: BackoffReset
  /// How long before the app's predicted next use the wake starts, instead of after the interval;
  /// nil if uses are ignored.
  public var leadToUse: Interval?

  /// Creates a schedule with these values.
  public init(
    minimumInterval: Interval = .zero, alignment: Interval = .zero, greatestBackoff: UInt32 = 1,
    backoffFactor: ScaleFactor = .two,
    backoffGrowth: BackoffGrowth = .results, backoffReset: BackoffReset = .newData,
    leadToUse: Interval? = nil
  ) {
    self.minimumInterval = minimumInterval
    self.alignment = alignment
    self.greatestBackoff = greatestBackoff
    self.backoffFactor = backoffFactor
    self.backoffGrowth = backoffGrowth
    self.backoffReset = backoffReset
    self.leadToUse = leadToUse
  }

  /// The event that extends the interval.
  public enum BackoffGrowth: UInt8, Hashable, Sendable {
    /// Each result without new data, including results of wakes from outside. An overrun counts as
    /// such a result.
    case results
    /// Each of the system's own runs (HUSH, SIGMETRICS 2015: 1.2 times the interval for every run
    /// without use).
    case runs
  }

  /// The event that resets the interval.
  public enum BackoffReset: UInt8, Hashable, Sendable {
    /// A result with new data.
    case newData
    /// The app comes to the front.
    case use
    /// Either of them.
    case either
  }

  /// The interval of fetches, one second, if neither the policy nor the app sets one. "As often as
  /// possible" cannot mean every instant: time would stop.
  static let intervalOfNone = Interval.seconds(1)

  /// The expected time between a use and the next: people do today what they did at the same
  /// hour yesterday.
  static let dayOfUse = Interval.seconds(86_400)

  /// Whether the schedule depends on apps coming to the front.
  var watchesUse: Bool { backoffReset != .newData || leadToUse != nil }

  var isSound: Bool {
    alignment >= .zero && greatestBackoff >= 1 && greatestBackoff <= ScaleFactor.greatestWhole
      && backoffFactor >= .one
      && leadToUse.map { $0 > .zero } ?? true
  }
}
