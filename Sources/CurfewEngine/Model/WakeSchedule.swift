/// When the system starts a wake by itself, or because an app has asked for it (rules W3, W5).
public struct WakeSchedule: Hashable, Sendable {
  /// Not sooner than this after the last, whatever the app asks for; of requests, after the start
  /// of the app's last run of the kind.
  public var minimumInterval: Interval
  /// Only at multiples of this since the engine's start; zero for at any time.
  public var alignment: Interval
  /// How many times its interval the next one may be pushed out; 1 for not at all.
  public var greatestBackoff: UInt32
  /// How many times as far out each push puts it.
  public var backoffFactor: Factor
  /// What pushes the next one out.
  public var backoffGrowth: BackoffGrowth
  /// What brings the next one back to its interval.
  public var backoffReset: BackoffReset
  /// How long before the app's predicted next use it starts, in place of the interval; nil where
  /// uses do not matter.
  public var leadToUse: Interval?

  /// A schedule of these values.
  public init(
    minimumInterval: Interval = .zero, alignment: Interval = .zero, greatestBackoff: UInt32 = 1,
    backoffFactor: Factor = .two,
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

  /// What pushes the next one out.
  public enum BackoffGrowth: UInt8, Hashable, Sendable {
    /// Each result without new data, also that of one that was delivered; an overrun is one.
    case results
    /// Each of the system's own (HUSH, SIGMETRICS 2015: 1.2 times the interval for every run
    /// without use).
    case runs
  }

  /// What brings the next one back to its interval.
  public enum BackoffReset: UInt8, Hashable, Sendable {
    /// A result with new data.
    case newData
    /// The app's coming to the front.
    case use
    /// Both.
    case either
  }

  /// How long fetches are apart, one second, where neither the policy nor the app says anything:
  /// "as often as possible" is not at every instant, which would stop time.
  static let intervalOfNone = Interval.seconds(1)

  /// How long after a use the next is expected: people do today what they did at that
  /// hour yesterday.
  static let dayOfUse = Interval.seconds(86_400)

  /// Whether it matters when apps come to the front.
  var watchesUse: Bool { backoffReset != .newData || leadToUse != nil }

  var isSound: Bool {
    alignment >= .zero && greatestBackoff >= 1 && greatestBackoff <= Factor.greatestWhole
      && backoffFactor >= .one
      && leadToUse.map { $0 > .zero } ?? true
  }
}
