public import CurfewEngine
public import CurfewPolicy

/// A sort of app, described by distributions: its declarations, its installations and its behavior.
public struct WorkloadApp: Sendable {
  /// The name of the sort.
  public var name: String
  /// The declarations of its apps.
  public var manifest = AppManifest()
  /// The number of apps of this sort.
  public var count = 1
  /// The share of devices on which each of them is installed.
  public var share = 1.0
  /// The relative weight with which users choose it.
  public var popularity = 1.0
  /// The share of users who have turned its Background App Refresh off.
  public var refreshOff = 0.0
  /// The memory in bytes, drawn once for each device; nil for the policy's value.
  public var footprint: Distribution?
  /// The time to return from each callback, in nanoseconds; the app returns at once from callbacks
  /// without an entry.
  public var returns: [Callback: Distribution] = [:]
  /// The time that its expiration handlers take, in nanoseconds.
  public var handlerTime: Distribution?
  /// The work that comes up when the user leaves it.
  public var tasks: [TaskModel] = []
  /// The sessions that begin when the user leaves it.
  public var sessions: [SessionModel] = []
  /// The wakes that the app gets, by kind.
  public var wakes: [WakeModel] = []
  /// The share of a processor core that the app uses in the background, in percent; nil for none.
  public var processor: UInt32?
  /// A closure for further behavior; see `AppTurn`.
  public var behavior: (@Sendable (inout AppTurn) -> Void)?

  /// An app that does nothing.
  public init(_ name: String) { self.name = name }
}

/// Work that comes up when the user leaves an app, and for which the app begins a background task.
public struct TaskModel: Sendable {
  /// The task's name.
  public var name: String
  /// The probability that the work comes up each time.
  public var chance = 1.0
  /// The time that the work takes, in nanoseconds.
  public var work: Distribution
  /// The share of such tasks that are begun without a handler.
  public var withoutHandler = 0.0
  /// The share of handlers that do not end their task.
  public var leaks = 0.0
  /// The fate of work that is cut off.
  public var unfinished = Unfinished.lost

  /// Work of this name and length.
  public init(_ name: String, work: Distribution, chance: Double = 1) {
    self.name = name
    self.work = work
    self.chance = chance
  }

  /// The fate of work that is cut off.
  public enum Unfinished: String, Hashable, Sendable, CaseIterable {
    /// The work is never done.
    case lost
    /// The work begins again when the user next opens the app. It continues while the app is in the
    /// foreground, and gets a new task when the user leaves.
    case again
    /// Like `again`, but only the rest of the work is done.
    case rest
  }
}

/// A session that may begin when the user leaves an app, such as music that keeps playing.
public struct SessionModel: Sendable {
  /// The kind of session.
  public var kind: KindName
  /// The probability that the session begins when the user leaves.
  public var chance = 1.0
  /// The length of the session, in nanoseconds.
  public var length: Distribution

  /// A session of this kind and length.
  public init(_ kind: KindName, length: Distribution, chance: Double = 1) {
    self.kind = kind
    self.length = length
    self.chance = chance
  }
}

/// The source of an app's wakes of one kind, and the work that the app does in them.
public struct WakeModel: Sendable {
  /// The kind of wake.
  public var kind: KindName
  /// The number of deliveries from the world per day, a Poisson process; 0 for none.
  public var perDay = 0.0
  /// Whether deliveries follow the users' rhythm; if false, they are uniform over the day.
  public var followsRhythm = false
  /// The interval at which the app asks the system for such wakes, such as a minimum fetch
  /// interval; nil for none.
  public var interval: Interval?
  /// The earliest start of a request, counted from its submission; nil for no requests. The app
  /// submits a request whenever the user leaves it and whenever such a wake begins.
  public var earliest: Interval?
  /// Whether such requests require a network connection.
  public var requiresNetwork = false
  /// Whether such requests require external power.
  public var requiresPower = false
  /// The time that the app works during a wake, in nanoseconds.
  public var work = Distribution(.constant(0))
  /// The share of wakes that find new data.
  public var newData = 1.0

  /// Wakes of this kind.
  public init(_ kind: KindName) { self.kind = kind }
}
