public import CurfewEngine
public import CurfewPolicy
public import CurfewText
public import CurfewTrace

/// A population, described by distributions: its devices, its users' behavior and its apps'
/// behavior. A fleet plays it.
public struct Workload: Sendable {
  /// The workload's name.
  public var name: String
  /// The description in the file.
  public var about: String?
  /// The policy of its devices.
  public var policy: PolicyFile
  /// The devices, and their daily changes.
  public var device = DeviceModel()
  /// The behavior of users.
  public var user = UserModel()
  /// The sorts of app, in the order of the file.
  public var apps: [WorkloadApp]
  /// The recorded behavior of users; nil if `user` describes it.
  package var recording: Recording?
  /// The time for which a radio stays on after a wake.
  public var radioTail = Workload.defaultRadioTail
  /// The weights of the energy proxy.
  public var energy = EnergyWeights()
  /// The file's name in messages; empty if a program made the workload.
  package var file = ""
  /// The settings that replaced values of the file, in order.
  public internal(set) var settings: [ValueSetting] = []
  /// Sixteen hex digits: a digest of the file's values, with the settings, and of the logs
  /// that the file names. The digest does not include the policy. It is empty if a program made
  /// the workload.
  public internal(set) var digest = ""
  /// Warnings about entries without effect, and about rows of a log that could not be read.
  public internal(set) var warnings: [FileDiagnostic] = []

  /// A workload of these apps.
  public init(name: String, policy: PolicyFile, apps: [WorkloadApp]) {
    self.name = name
    self.policy = policy
    self.apps = apps
  }

  /// 10 s: the tail of the mobile network in eTrain (ICDCS 2015).
  package static let defaultRadioTail = Interval.seconds(10)

  /// The behavior of recorded users.
  package struct Recording: Sendable {
    /// The visits of each user.
    package var log: UsageLog
    /// The index of the sort of app that stands for all apps of the log whose names no sort has.
    package var others: Int
    /// The users' time zone: a run begins at their first midnight.
    package var zone: UsageZone

    /// Creates the recorded behavior in a log. `others` is the index of the sort for apps whose
    /// names no sort has.
    package init(_ log: UsageLog, others: Int = 0, zone: UsageZone = .utc) {
      (self.log, self.others, self.zone) = (log, others, zone)
    }

    /// The time between midnight and a user's first change.
    func timeOfDay(of user: Int) -> Interval {
      .nanoseconds(zone.nanosecondsOfDay(atUnix: log.users[user].origin))
    }

    /// The latest end of a user's log.
    public var end: Instant {
      log.users.indices.map { log.users[$0].end + timeOfDay(of: $0) }.max() ?? .zero
    }
  }
}

/// The devices of a population, and their daily changes.
public struct DeviceModel: Sendable {
  /// The facts of a device at the start, which is midnight.
  public var start = DeviceFacts()
  /// The changes that recur every day.
  public var daily: [DailyChange] = []
  /// The battery; nil if its level is constant.
  public var battery: BatteryModel?
  /// The share of devices on which Background App Refresh is off.
  public var refreshOff = 0.0

  /// A device with the default facts, without changes.
  public init() {}
}

/// A change to a device's facts at a time of the day.
public struct DailyChange: Sendable {
  /// The time from midnight.
  public var at: Interval
  /// The largest random shift, earlier or later; the shift is uniform.
  public var jitter = Interval.zero
  /// The share of days on which it occurs.
  public var chance = 1.0
  /// The change to the facts.
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

/// A battery that is discharged and charged at constant rates.
public struct BatteryModel: Hashable, Sendable {
  /// The time from full to empty.
  public var lasts: Interval
  /// The time from empty to full.
  public var charges: Interval
  /// The level below which the user turns Low Power Mode on, until the device is charged above it;
  /// nil for never.
  public var lowPowerModeUnder: UInt8?

  /// A battery with these times.
  public init(lasts: Interval, charges: Interval, lowPowerModeUnder: UInt8? = nil) {
    self.lasts = lasts
    self.charges = charges
    self.lowPowerModeUnder = lowPowerModeUnder
  }
}

/// The behavior of users: they unlock the phone, visit apps one after the other, and leave.
public struct UserModel: Sendable {
  /// The number of sessions with the phone per day if sessions had no length. The gap between
  /// the last visit and the next unlock is exponentially distributed.
  public var unlocks = 0.0
  /// The relative activity of each hour of the day; all hours are equal if it is empty.
  public var rhythm: [Double] = []
  /// The mean number of visits in a session, at least 1. The number is geometrically distributed.
  public var visits = 1.0
  /// The length of a visit, in nanoseconds.
  public var visit = Distribution(.constant(0))
  /// The share of visits that return to a recently used app, by rank. For the other visits, the app
  /// is chosen by popularity.
  public var recency = 0.0
  /// The exponent of the weights by rank: the r-th most recent app has the weight r^-exponent.
  public var recencyExponent = 1.0
  /// The share of sessions after which the user locks the device.
  public var locks = 0.0
  /// The share of visits that are interrupted.
  public var interruptions = 0.0
  /// The length of an interruption, in nanoseconds.
  public var interruption = Distribution(.constant(0))
  /// The share of interruptions that the user accepts, which ends the visit. The others
  /// are ignored.
  public var accepted = 0.0
  /// The share of sessions after which the user force-quits a recently used app.
  public var forceQuits = 0.0

  /// A user who does nothing.
  public init() {}
}
