import CurfewEngine

/// An app on a device of a fleet: its current delivery, its work, and the positions of its streams
/// of random numbers.
struct FleetApp {
  /// The index of its sort in the plan.
  let sort: Int
  let path: RandomPath
  /// The path of the times that its callbacks take. Nearly every turn draws one, so the part of
  /// the path that they share is hashed once.
  let callbackPath: RandomPath
  /// The number of times that the user has opened it.
  var opens = 0
  /// The number of deliveries since it was last opened.
  var deliveries = 0
  /// The numbers of arrivals from the world and of wakes begun, by the wake's index.
  var arrived: [Int]
  var begun: [Int]
  /// The delivery from which the app has not returned.
  var delivery = Delivery.none
  var stage = Stage.calls
  /// The indices of its work, in the order in which it began.
  var works: [Int] = []
  var isInFront = false
  /// The tasks of its closure, by the closure's numbers.
  var ownTasks: [(number: UInt32, task: BackgroundTask)] = []
  /// The number of calls of its closure.
  var turns = 0

  /// The callbacks from which it returns at once without a call, by `Callback.rawValue`.
  let silentCallbacks: UInt32

  init(_ sort: FleetPlan.Sort, _ number: Int, path: RandomPath) {
    (self.sort, self.path, callbackPath) = (number, path, path.app(.callbacks))
    silentCallbacks = sort.silentCallbacks
    arrived = Array(repeating: 0, count: sort.wakes.count)
    begun = arrived
  }

  /// A delivery to an app.
  enum Delivery {
    case none
    case callback(Callback)
    case expiration(BackgroundTask)
    case wake(AdmittedWake)
    case wakeWarning(AdmittedWake)
    case sessionWarning(AssertionKind)
    case event(AssertionKind)
  }

  /// The stage of a delivery: the app makes its calls, lets its time to return pass, ends the task
  /// whose handler is running, and returns.
  enum Stage { case calls, rest, end, returns }

  /// Notes a change of its state.
  /// - Returns: Whether it has work.
  @inline(__always)
  mutating func moves(to state: AppState) -> Bool {
    isInFront = state == .active || state == .inactive
    if state == .notRunning { ownTasks = [] }
    return !works.isEmpty
  }

  @inline(__always)
  mutating func isTold(_ delivery: Delivery) {
    self.delivery = delivery
    stage = .calls
    deliveries += 1
  }
}

/// Work of an app, or a plan of its closure.
struct Work {
  var app: AppID
  var what: What
  /// The instant at which the work came up.
  var since: Instant
  /// The total length.
  var length: Interval
  /// The remaining time: as of `runningSince`, or, while the work is paused, as of now.
  var left: Interval
  /// The instant at which the work last began or resumed; nil while it is paused.
  var runningSince: Instant?
  var plan = Driver.Plan.none

  enum What {
    /// Work that came up when the user left: its index in the sort, and its task if it has one.
    case task(Int, BackgroundTask?, leaks: Bool, hasHandler: Bool)
    case wake(AdmittedWake, hasNewData: Bool)
    case session(AssertionKind)
    /// A plan of a closure, by the closure's number.
    case own(UInt32)
  }
}
