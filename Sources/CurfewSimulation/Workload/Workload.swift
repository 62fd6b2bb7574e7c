public import CurfewEngine
public import CurfewPolicy
public import CurfewText
public import CurfewTrace

/// A population: what devices are like, what their users do, and how apps behave, by chance. A
/// fleet plays it.
public struct Workload: Sendable {
  /// The workload's name.
  public var name: String
  /// What it is about, in the file's words.
  public var about: String?
  /// The policy that its devices run under.
  public var policy: PolicyFile
  /// What the devices are like, and what happens to them every day.
  public var device = DeviceModel()
  /// What users do.
  public var user = UserModel()
  /// The sorts of app, by name, in the order of the file.
  public var apps: [WorkloadApp]
  /// What users have been recorded to do; nil where `user` says what they do.
  package var recording: Recording?
  /// How long a radio stays on after a wake.
  public var radioTail = Workload.usualRadioTail
  /// What the energy proxy counts.
  public var energy = EnergyWeights()
  /// The file by the name that it is shown under; empty for one that a program made.
  package var file = ""
  /// What has been set of the file's values, in that order.
  public internal(set) var settings: [ValueSetting] = []
  /// Sixteen hex digits that stand for the file's values and the logs that it names, with what was
  /// set of them, and without the policy; empty for one that a program made.
  public internal(set) var digest = ""
  /// What it says that has no effect, and rows of a log that could not be read.
  public internal(set) var warnings: [FileDiagnostic] = []

  /// A workload of these apps.
  public init(name: String, policy: PolicyFile, apps: [WorkloadApp]) {
    self.name = name
    self.policy = policy
    self.apps = apps
  }

  /// 10 s: a tail of the mobile network, as eTrain has it (ICDCS 2015).
  public static let usualRadioTail = Interval.seconds(10)

  /// Users that were recorded.
  package struct Recording: Sendable {
    /// Who came to the front when.
    package var log: UsageLog
    /// The sort of app that stands for every app of the log that no sort is called after: its place
    /// among the workload's.
    package var others: Int
    /// Where the users live: their first midnight is when a run begins.
    package var zone: UsageZone

    /// A log, and who stands for apps that the workload does not name.
    package init(_ log: UsageLog, others: Int = 0, zone: UsageZone = .utc) {
      (self.log, self.others, self.zone) = (log, others, zone)
    }

    /// How long after a midnight a user's first change is.
    func timeOfDay(of user: Int) -> Interval {
      .nanoseconds(zone.nanosecondsOfDay(atUnix: log.users[user].origin))
    }

    /// When the last user's log ends.
    public var end: Instant {
      log.users.indices.map { log.users[$0].end + timeOfDay(of: $0) }.max() ?? .zero
    }
  }
}

/// What devices are like, and what happens to them every day.
public struct DeviceModel: Sendable {
  /// A device at the start, which is midnight.
  public var start = DeviceFacts()
  /// What changes every day again.
  public var daily: [DailyChange] = []
  /// How its battery runs down and is charged; nil for a level that stays.
  public var battery: BatteryModel?
  /// The share of devices on which Background App Refresh is off.
  public var refreshOff = 0.0

  /// A device at ease, to which nothing happens.
  public init() {}
}

/// What changes on a device at a time of the day.
public struct DailyChange: Sendable {
  /// When, from midnight.
  public var at: Interval
  /// So much later or earlier at most, evenly.
  public var jitter = Interval.zero
  /// On how many days.
  public var chance = 1.0
  /// What is so from then on.
  public var change: @Sendable (inout DeviceFacts) -> Void

  /// A change at a time of the day.
  public init(
    at: Interval, jitter: Interval = .zero, chance: Double = 1,
    _ change: @escaping @Sendable (inout DeviceFacts) -> Void
  ) {
    self.at = at
    self.jitter = jitter
    self.chance = chance
    self.change = change
  }
}

/// How a battery runs down and is charged, evenly.
public struct BatteryModel: Hashable, Sendable {
  /// From full to empty.
  public var lasts: Interval
  /// From empty to full.
  public var charges: Interval
  /// The level under which the user turns Low Power Mode on, until the device is charged above it;
  /// nil for never.
  public var lowPowerModeUnder: UInt8?

  /// A battery that lasts and charges so long.
  public init(lasts: Interval, charges: Interval, lowPowerModeUnder: UInt8? = nil) {
    self.lasts = lasts
    self.charges = charges
    self.lowPowerModeUnder = lowPowerModeUnder
  }
}

/// What users do: unlock the phone, visit apps one after the other, and leave.
public struct UserModel: Sendable {
  /// How often a day the phone is taken up, if the day were long enough for all; the gaps between
  /// the last visit and the next unlock are exponential.
  public var unlocks = 0.0
  /// How busy each hour of the day is, beside the others; all alike where it is empty.
  public var rhythm: [Double] = []
  /// How many apps are visited, one after the other, in the mean; at least 1. Geometric.
  public var visits = 1.0
  /// How long a visit lasts, in nanoseconds.
  public var visit = Distribution(.constant(0))
  /// The share of visits that go back to an app that was used lately, the latest first; the others
  /// choose by popularity.
  public var recency = 0.0
  /// How much less likely the next app of the recency list is: the r-th has the weight r^-exponent.
  public var recencyExponent = 1.0
  /// The share of times that the user locks the device from the last app; else goes home.
  public var locks = 0.0
  /// The share of visits that are interrupted.
  public var interruptions = 0.0
  /// How long an interruption lasts, in nanoseconds.
  public var interruption = Distribution(.constant(0))
  /// The share of interruptions that the user follows, which ends the visit; the others
  /// are ignored.
  public var accepted = 0.0
  /// The share of times, after the last visit, that the user force-quits one of the apps
  /// used lately.
  public var forceQuits = 0.0

  /// A user who does nothing.
  public init() {}
}
