import CurfewEngine

/// A modelled app on a device of a fleet: what it is in the middle of, and its streams of random numbers.
struct FleetApp {
  /// Its sort's place in the plan.
  let sort: Int
  var callbacks: RandomStream
  var work: RandomStream
  var arrivals: RandomStream
  var wakeWork: RandomStream
  var sessions: RandomStream
  var behavior: RandomStream
  /// What it has been told and has not returned from.
  var delivery = Delivery.none
  var stage = Stage.calls
  /// The places of what it is at, in the order in which it began.
  var works: [Int] = []
  var isInFront = false

  init(sort: Int, seed: UInt64, device: UInt64, app: UInt64) {
    self.sort = sort
    func stream(_ purpose: Purpose) -> RandomStream { RandomStream(seed: seed, device: device, app: app, purpose: purpose.rawValue) }
    callbacks = stream(.callbacks)
    work = stream(.work)
    arrivals = stream(.arrivals)
    wakeWork = stream(.wakeWork)
    sessions = stream(.sessions)
    behavior = stream(.behavior)
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
    /// Work that came up when the user left, by its place among the sort's, and its task where it has one.
    case task(Int, BackgroundTask?, leaks: Bool, hasHandler: Bool)
    case wake(AdmittedWake, hasNewData: Bool)
    case session(AssertionKind)
    /// Something that a behavior planned, by its own number.
    case own(UInt32)
  }
}
