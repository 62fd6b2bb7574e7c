/// The schedule of the wakes of a kind that the system starts for an app (rule W3). Outlives
/// the process.
struct SystemSchedule: Linked {
  var next = Place<SystemSchedule>.nowhere
  var timer = TimerQueue.ID.none
  let app: AppID
  let kind: AssertionKind
  /// The factor by which the interval is multiplied.
  var backoff = ScaleFactor.one
  /// The interval that the app has asked for; nil for never.
  var interval: Interval?
  /// The instant from which the interval counts: the system's last start, or the call that set
  /// the first interval. For keep-alives: the instant at which the next keep-alive is due.
  var reference = Instant.zero
  var hasStarted = false

  init(_ kind: AssertionKind, of app: AppID) { (self.kind, self.app) = (kind, app) }
}

/// An instant at which an app came to the front. Outlives the process.
struct Opening: Linked {
  var next = Place<Opening>.nowhere
  let instant: Instant
}

/// The schedules of the wakes that the system starts by itself.
///
/// Invariants: an app's openings are in its chain in order, at most `keptOpenings`, and none unless
/// a row predicts uses; a schedule is in its app's chain, one for each kind for which the app has
/// ever been granted an interval; `opportunities` is the number of schedules and requests that have
/// a deadline, and only this type arms and disarms them.
struct Schedules: ~Copyable {
  private(set) var records = Slab<SystemSchedule>()
  private(set) var opportunities = 0
  private(set) var openings = Slab<Opening>()
  /// Whether any row depends on apps coming to the front.
  let watchesUse: Bool
  /// Whether any row predicts uses from earlier ones.
  let predictsUse: Bool

  /// The number of openings that are remembered for an app. A favourite app is opened more often
  /// in a day, but one opening is enough to predict the hour.
  static let keptOpenings = 8

  init(_ policy: Policy) {
    let schedules = policy.wakes.values.map(\.schedule)
    watchesUse = schedules.contains { $0.watchesUse }
    predictsUse = schedules.contains { $0.leadToUse != nil }
  }

  private init(copying other: borrowing Schedules) {
    records = other.records.copy()
    opportunities = other.opportunities
    openings = other.openings.copy()
    (watchesUse, predictsUse) = (other.watchesUse, other.predictsUse)
  }

  func copy() -> Schedules { Schedules(copying: self) }

  subscript(place: Place<SystemSchedule>) -> SystemSchedule {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: place)) }
    @inline(__always) unsafeMutableAddress { records.address(of: place) }
  }

  /// An app's schedule of a kind; nil if it has none.
  func place(of kind: AssertionKind, in chain: Chain<SystemSchedule>) -> Place<SystemSchedule>? {
    records.first(in: chain) { $0.kind == kind }
  }

  /// An app's schedule of a kind, created if it has none.
  mutating func makePlace(
    of kind: AssertionKind, _ app: AppID, in chain: inout Chain<SystemSchedule>
  ) -> Place<SystemSchedule> {
    place(of: kind, in: chain) ?? records.append(SystemSchedule(kind, of: app), to: &chain)
  }

  mutating func removeAll(of chain: inout Chain<SystemSchedule>, _ timers: inout TimerQueue) {
    var walk = records.walk(chain)
    while let place = walk.next(in: records) { disarm(place, &timers) }
    records.removeAll(of: &chain)
  }

  // MARK: Openings

  mutating func noteOpening(at now: Instant, in chain: inout Chain<Opening>) {
    guard predictsUse else { return }
    if openings.count(chain) == Schedules.keptOpenings { _ = openings.removeFirst(of: &chain) }
    _ = openings.append(Opening(instant: now), to: &chain)
  }

  mutating func forgetOpenings(_ chain: inout Chain<Opening>) { openings.removeAll(of: &chain) }

  // MARK: Deadlines

  mutating func arm(_ place: Place<SystemSchedule>, at instant: Instant, _ timers: inout TimerQueue)
  {
    if records[place].timer == .none { opportunities += 1 }
    timers.arm(&records[place].timer, at: instant, .schedule(place))
  }

  mutating func disarm(_ place: Place<SystemSchedule>, _ timers: inout TimerQueue) {
    if records[place].timer != .none { opportunities -= 1 }
    timers.disarm(&records[place].timer)
  }

  /// Notes that a schedule's deadline has come.
  mutating func fired(_ place: Place<SystemSchedule>) {
    records[place].timer = .none
    opportunities -= 1
  }

  mutating func arm(
    _ timer: inout TimerQueue.ID, at instant: Instant, _ deadline: Deadline,
    _ timers: inout TimerQueue
  ) {
    if timer == .none { opportunities += 1 }
    timers.arm(&timer, at: instant, deadline)
  }

  mutating func disarm(_ timer: inout TimerQueue.ID, _ timers: inout TimerQueue) {
    if timer != .none { opportunities -= 1 }
    timers.disarm(&timer)
  }

  /// Notes that a request's deadline has come.
  mutating func fired(_ timer: inout TimerQueue.ID) {
    timer = .none
    opportunities -= 1
  }

  func checkInvariants(_ apps: borrowing AppTable, _ requests: borrowing Requests) {
    var (count, armed, opened) = (0, 0, 0)
    for app in apps.ids {
      var last = Instant.zero
      openings.forEach(in: apps[extras: app].openings) { opening in
        precondition(opening.instant >= last, "app \(app.rawValue)'s openings are out of order")
        last = opening.instant
      }
      precondition(
        openings.count(apps[extras: app].openings) <= Schedules.keptOpenings,
        "app \(app.rawValue) keeps too many openings")
      opened += openings.count(apps[extras: app].openings)
      requests.records.forEach(in: apps[extras: app].requests) {
        armed += $0.timer == .none ? 0 : 1
      }
      var kinds: Set<AssertionKind> = []
      records.forEach(in: apps[extras: app].schedules) { schedule in
        precondition(
          schedule.app == app && kinds.insert(schedule.kind).inserted,
          "app \(app.rawValue)'s schedules are broken")
        count += 1
        armed += schedule.timer == .none ? 0 : 1
      }
    }
    precondition(count == records.count, "schedules belong to no app")
    precondition(
      opened == openings.count && (predictsUse || opened == 0), "openings belong to no app")
    precondition(
      armed == opportunities, "\(opportunities) opportunities are counted, \(armed) are armed")
  }
}
