public import CurfewEngine
public import CurfewPolicy

/// A sort of app: what it declares, who has it, and how it behaves, by chance.
public struct WorkloadApp: Sendable {
  /// What it is called.
  public var name: String
  /// What it declares.
  public var manifest = AppManifest()
  /// How many apps of this sort there are.
  public var count = 1
  /// The share of devices that have each of them.
  public var share = 1.0
  /// How likely it is chosen, beside the others.
  public var popularity = 1.0
  /// The share of users who have turned its Background App Refresh off.
  public var refreshOff = 0.0
  /// Its memory in bytes, drawn once for each device; nil for the policy's figure.
  public var footprint: Distribution?
  /// How long it takes to return from callbacks, in nanoseconds; at once where absent.
  public var returns: [Callback: Distribution] = [:]
  /// How long its expiration handlers take.
  public var handlerTime: Distribution?
  /// What it has to do when the user leaves it.
  public var tasks: [TaskModel] = []
  /// Its sessions.
  public var sessions: [SessionModel] = []
  /// Its wakes.
  public var wakes: [WakeModel] = []
  /// The share of a processor core that it uses in the background, in percent; nil for nothing
  /// to speak of.
  public var processor: UInt32?
  /// What it does beside all that; see `AppTurn`.
  public var behavior: (@Sendable (inout AppTurn) -> Void)?

  /// An app that does nothing.
  public init(_ name: String) { self.name = name }
}

/// Work that comes up when the user leaves an app, and for which the app begins a background task.
public struct TaskModel: Sendable {
  /// The task's name.
  public var name: String
  /// How likely it comes up each time.
  public var chance = 1.0
  /// How long it takes, in nanoseconds.
  public var work: Distribution
  /// The share of such tasks that are begun without a handler.
  public var withoutHandler = 0.0
  /// The share of handlers that do not end their task.
  public var leaks = 0.0
  /// What becomes of work that is cut off.
  public var unfinished = Unfinished.lost

  /// Work of this name and length.
  public init(_ name: String, work: Distribution, chance: Double = 1) {
    self.name = name
    self.work = work
    self.chance = chance
  }

  /// What becomes of work that is cut off.
  public enum Unfinished: String, Hashable, Sendable, CaseIterable {
    /// It is never done.
    case lost
    /// It begins anew when the user opens the app again, goes on while the app is in front, and has
    /// a task of its own when the user leaves.
    case again
    /// The same with what is left of it.
    case rest
  }
}

/// A session that begins when the user leaves an app, with some chance: music plays on.
public struct SessionModel: Sendable {
  /// What it is.
  public var kind: KindName
  /// How likely it is on when the user leaves.
  public var chance = 1.0
  /// How long it goes on, in nanoseconds.
  public var length: Distribution

  /// A session of this kind and length.
  public init(_ kind: KindName, length: Distribution, chance: Double = 1) {
    self.kind = kind
    self.length = length
    self.chance = chance
  }
}

/// How an app's wakes of a kind come about, and what it does in them.
public struct WakeModel: Sendable {
  /// What they are.
  public var kind: KindName
  /// How many the world asks for a day, as a Poisson process; 0 for none.
  public var perDay = 0.0
  /// Whether the world asks as busily as the users are; else evenly.
  public var followsRhythm = false
  /// How often the app asks the system for them: a fetch's least interval. nil for not at all.
  public var interval: Interval?
  /// What the app submits each time it is left and each time such a wake begins: a request for one,
  /// this long ahead at least. nil for none.
  public var earliest: Interval?
  /// What such requests require.
  public var requiresNetwork = false
  /// What such requests require.
  public var requiresPower = false
  /// How long the app works in one, in nanoseconds.
  public var work = Distribution(.constant(0))
  /// The share of them that find new data.
  public var newData = 1.0

  /// Wakes of this kind.
  public init(_ kind: KindName) { self.kind = kind }
}
