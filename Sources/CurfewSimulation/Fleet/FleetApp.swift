import CurfewEngine

/// A modelled app on a device of a fleet: what it is in the middle of, and where its streams
/// of random numbers stand.
struct FleetApp {
  /// Its sort's place in the plan.
  let sort: Int
  let path: RandomPath
  /// How often the user has opened it.
  var opens = 0
  /// How often it has been told something since.
  var deliveries = 0
  /// By wake: how many have come from the world, and how many have begun.
  var arrived: [Int]
  var begun: [Int]
  /// What it has been told and has not returned from.
  var delivery = Delivery.none
  var stage = Stage.calls
  /// The places of what it is at, in the order in which it began.
  var works: [Int] = []
  var isInFront = false
  /// Tasks of its closure, by the closure's numbers.
  var ownTasks: [(number: UInt32, task: BackgroundTask)] = []
  /// How often its closure has been called.
  var turns = 0

  init(sort: Int, path: RandomPath, wakes: Int) {
    (self.sort, self.path) = (sort, path)
    arrived = Array(repeating: 0, count: wakes)
    begun = arrived
  }

  /// What an app is told.
  enum Delivery {
    case none
    case callback(Callback)
    case expiration(BackgroundTask)
    case wake(AdmittedWake)
    case wakeWarning(AdmittedWake)
    case sessionWarning(AssertionKind)
    case event(AssertionKind)
  }

  /// How far it is: it calls, takes its time, ends what its handler is about, and returns.
  enum Stage { case calls, rest, end, returns }

  mutating func isTold(_ delivery: Delivery) {
    self.delivery = delivery
    stage = .calls
    deliveries += 1
  }
}

/// What an app is at.
struct Work {
  var app: AppID
  var what: What
  /// When it came up.
  var since: Instant
  /// All of it.
  var length: Interval
  /// What is left of it, at `runningSince` or, while it stands still, now.
  var left: Interval
  /// Since when it goes on; nil while it stands still.
  var runningSince: Instant?
  var plan = Driver.Plan.none

  enum What {
    /// Work that came up when the user left, by its place among the sort's, and its task where it
    /// has one.
    case task(Int, BackgroundTask?, leaks: Bool, hasHandler: Bool)
    case wake(AdmittedWake, hasNewData: Bool)
    case session(AssertionKind)
    /// Something that a closure planned, by its own number.
    case own(UInt32)
  }
}
