/// The assertions of all apps, and the open tasks among them by age.
///
/// Invariants: an app's assertions are in its chain in order of arrival, and `previous` is the
/// reverse of `next`; if the policy has an age warning, `tasksByAge` holds every task that has not
/// had the warning; `idleWakes` is the number of wakes that wait for the user's absence; `renewals`
/// is the number of deadlines of sessions that have been deferred.
struct Assertions: ~Copyable {
  private(set) var records = Slab<Assertion>()
  /// The open tasks that have not had an age warning; kept only if the policy has one.
  private var tasksByAge = AgeLine()
  private let ageWarning: Interval?
  /// The number of wakes that end when the user comes back.
  private(set) var idleWakes = 0
  /// The number of deadlines of sessions that have been deferred before. Their terms recur,
  /// and alone do not keep a run going.
  private(set) var renewals = 0
  /// The times of wakes whose deliveries named times (rule W7).
  private var times = Slab<RunTimes>()

  init(ageWarning: Interval?) { self.ageWarning = ageWarning }

  private init(copying other: borrowing Assertions) {
    records = other.records.copy()
    times = other.times.copy()
    tasksByAge = other.tasksByAge.copy()
    (ageWarning, idleWakes, renewals) = (other.ageWarning, other.idleWakes, other.renewals)
  }

  func copy() -> Assertions { Assertions(copying: self) }

  var count: Int { records.count }

  /// - Precondition: `place` is taken.
  subscript(place: Place<Assertion>) -> Assertion {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: place)) }
    @inline(__always) unsafeMutableAddress { records.address(of: place) }
  }

  /// Whether an app's task is still open at the place where it was begun.
  @inline(__always)
  func holds(_ id: TaskID, at place: Place<Assertion>, of app: AppID) -> Bool {
    records.holds(place) && records[place].app == app && records[place].id == id
  }

  /// Loads the record of a task that may end.
  @inline(__always)
  func prefetch(_ place: Place<Assertion>) {
    records.prefetchLink(place)
    records.prefetch(place)
  }

  /// Loads the seat of a task that ends.
  @inline(__always)
  func prefetchSeat(of place: Place<Assertion>) { tasksByAge.prefetch(records[place].ageSeat) }

  func walk(_ chain: Chain<Assertion>) -> Walk<Assertion> { records.walk(chain) }

  @inline(__always)
  mutating func insert(_ assertion: Assertion, into chain: inout Chain<Assertion>) -> Place<
    Assertion
  > {
    let place = records.append(assertion, to: &chain)
    let next = records[place].next
    records[place].previous = next == place ? place : records[next].previous
    records[next].previous = place
    return place
  }

  /// Removes an assertion. The caller must have removed every other reference to it and its timer.
  mutating func remove(_ place: Place<Assertion>, from chain: inout Chain<Assertion>) {
    leaveAgeLine(place)
    if let own = records[place].times { times.free(own) }
    let (next, previous) = (records[place].next, records[place].previous)
    records[next].previous = previous
    records.removeNext(after: previous, from: &chain)
  }

  mutating func countIdleWake(_ change: Int) { idleWakes += change }

  mutating func countRenewal(_ change: Int) { renewals += change }

  // MARK: A wake's own times (rule W7)

  mutating func giveTimes(_ own: RunTimes, to place: Place<Assertion>) {
    records[place].times = times.insert(own)
  }

  @inline(__always)
  func ownTimes(of place: Place<Assertion>) -> RunTimes? { records[place].times.map { times[$0] } }

  // MARK: Age

  mutating func enterAgeLine(_ place: Place<Assertion>) {
    guard ageWarning != nil else { return }
    if tasksByAge.isFull { tasksByAge.makeRoom(&records) }
    records[place].isInAgeLine = true
    records[place].ageSeat = tasksByAge.append(place)
  }

  private mutating func leaveAgeLine(_ place: Place<Assertion>) {
    guard records[place].isInAgeLine else { return }
    records[place].isInAgeLine = false
    tasksByAge.remove(at: records[place].ageSeat)
  }

  /// The instant at which the oldest open task gets its age warning; `distantFuture` for none. All
  /// tasks wait equally long, so the oldest is always the next one, and one queue replaces
  /// a deadline per task.
  @inline(__always)
  var nextAgeWarning: Instant {
    guard let ageWarning, let oldest = tasksByAge.first else { return .distantFuture }
    return Instant(nanoseconds: records[oldest].began) + ageWarning
  }

  /// Whether a task has not had its age warning.
  @inline(__always)
  var awaitAgeWarning: Bool { tasksByAge.first != nil }

  /// Removes and returns the oldest task of the queue.
  mutating func popOldestTask() -> Place<Assertion>? {
    guard let oldest = tasksByAge.first else { return nil }
    leaveAgeLine(oldest)
    return oldest
  }

  /// For tests.
  func checkInvariants(idle: Int, held: Int, renewed: Int) {
    precondition(
      renewed == renewals, "\(renewals) deadlines of renewed sessions are counted, \(renewed) exist"
    )
    precondition(held == count, "\(count - held) assertions belong to no app")
    precondition(
      idle == idleWakes,
      "\(idleWakes) wakes that need the user's absence are counted, \(idle) are held")
    tasksByAge.checkInvariants { place, seat in
      precondition(
        records[place].isInAgeLine && records[place].ageSeat == seat,
        "task \(records[place].id) is at a different seat")
    }
  }
}
