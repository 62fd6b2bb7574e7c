internal import Curfew
internal import CurfewEngine
import CurfewSystem
internal import CurfewUV

/// An app of the load test: performs its planned visits through the embedding API, and records when
/// it is called.
final class SimulatedApp: AppDelegate, @unchecked Sendable {
  private let plan: LoadPlan
  private let clock: UVClock
  private let measurements: Measurements
  private let lock = Lock()

  // Protected by the lock.
  private var visit = -1
  /// The visit before this one; -1 if there is none.
  private var former = -1
  /// The visits of the admitted wakes, in order. Wakes are numbered from 1 in that order.
  private var deliveries: [Int] = []
  private var identifiers: [BackgroundTaskIdentifier] = []
  /// Tasks whose planned end came before their begin, which happens on a late host.
  private var endedEarly: Set<Int> = []
  /// The number of calls of its handlers.
  private var handlersCalled = 0
  private var wake: Wake?
  private var isWakeDone = false
  private(set) var completedWakes: [Int] = []

  init(_ plan: LoadPlan, _ clock: UVClock, _ measurements: Measurements) {
    (self.plan, self.clock, self.measurements) = (plan, clock, measurements)
  }

  // MARK: The plan's calls

  /// Begins a visit, just before the call that launches the app.
  func startVisit(_ number: Int) {
    lock.withLock {
      (former, visit) = (visit, number)
      identifiers.removeAll(keepingCapacity: true)
      endedEarly.removeAll(keepingCapacity: true)
      (wake, isWakeDone) = (nil, false)
      measurements.visits[number].launched = clock.wallNow()
    }
  }

  /// Notes the call that sends the app away, just before it.
  func leave(_ visit: Int) {
    lock.withLock {
      if measurements.visits[visit].left < 0 { measurements.visits[visit].left = clock.wallNow() }
    }
  }

  /// Notes the delivery of a wake, just before it.
  func noteDelivery(_ visit: Int) {
    lock.withLock {
      deliveries.append(visit)
      measurements.visits[visit].sent = clock.wallNow()
    }
  }

  /// Notes that the wake delivered last was not admitted. It has no number, and it does not come.
  func noteRefusal() { lock.withLock { _ = deliveries.popLast() } }

  func endTask(_ number: Int, of visit: Int, _ app: App) {
    let identifier: BackgroundTaskIdentifier? = lock.withLock {
      guard self.visit == visit else { return nil }
      if number < identifiers.count { return identifiers[number] }
      endedEarly.insert(number)
      return nil
    }
    if let identifier { end(identifier, plan.visits[visit].firstTask + number, app) }
  }

  func completeWake(of visit: Int) {
    let wake: Wake? = lock.withLock {
      guard self.visit == visit else { return nil }
      isWakeDone = true
      return self.wake
    }
    complete(wake, visit)
  }

  private func complete(_ wake: Wake?, _ visit: Int) {
    guard let wake, wake.complete(.noData) else { return }
    lock.withLock { completedWakes.append(visit) }
  }

  private func end(_ identifier: BackgroundTaskIdentifier, _ task: Int, _ app: App) {
    let before = clock.wallNow()
    app.endBackgroundTask(identifier)
    let after = clock.wallNow()
    lock.withLock {
      measurements[task].end = after - before
      measurements[task].ended = before
    }
  }

  // MARK: The system's calls

  func applicationDidBecomeActive(_ app: App) {
    let now = clock.wallNow()
    lock.withLock {
      guard visit >= 0 else { return }
      guard now >= measurements.visits[visit].launched else {
        // The former visit's callback began just before this visit.
        if former >= 0, measurements.visits[former].active < 0 {
          measurements.visits[former].active = now
        }
        return
      }
      // An app becomes active once in a visit, so the first of two callbacks was the former's.
      if measurements.visits[visit].active >= 0 { giveActivationToFormer() }
      if measurements.visits[visit].active < 0 { measurements.visits[visit].active = now }
    }
  }

  /// Credits an activation of this visit to the former one, whose callback came late. Does nothing
  /// if the former visit has had its own.
  private func giveActivationToFormer() {
    guard former >= 0, measurements.visits[former].active < 0 else { return }
    measurements.visits[former].active = measurements.visits[visit].active
    measurements.visits[visit].active = -1
  }

  /// Credits a callback that comes before the departure to the former visit.
  private func enterFormer(_ now: Int64) {
    if measurements.visits[visit].active >= 0 { giveActivationToFormer() }
    guard former >= 0, measurements.visits[former].left >= 0,
      measurements.visits[former].entered < 0
    else { return }
    measurements.visits[former].entered = now
  }

  func applicationDidEnterBackground(_ app: App) {
    let now = clock.wallNow()
    let visit = lock.withLock {
      // Before the departure, this can only be the callback of a former visit. Then no tasks are
      // begun: each visit begins its tasks exactly once, whenever a former visit's callback comes.
      guard self.visit >= 0 else { return -1 }
      let left = measurements.visits[self.visit].left
      guard left >= 0, left <= now else {
        enterFormer(now)
        return -1
      }
      guard measurements.visits[self.visit].entered < 0 else { return -1 }
      measurements.visits[self.visit].entered = now
      return self.visit
    }
    guard visit >= 0 else { return }
    for (number, task) in plan.tasks(of: plan.visits[visit]).enumerated() {
      begin(task, number, visit, app)
    }
  }

  private func begin(_ task: LoadTask, _ number: Int, _ visit: Int, _ app: App) {
    let place = plan.visits[visit].firstTask + number
    let before = clock.wallNow()
    let identifier = app.beginBackgroundTask(withName: LoadPlan.taskNames[Int(task.label)]) {
      [unowned self] expiration in
      // The first line of the handler.
      let now = clock.wallNow()
      expire(expiration, task, place, now, app)
    }
    let after = clock.wallNow()
    let isDone = lock.withLock {
      measurements[place].begin = after - before
      measurements[place].identifier = identifier
      identifiers.append(identifier)
      return endedEarly.contains(number)
    }
    if isDone { end(identifier, place, app) }
  }

  private func expire(
    _ expiration: Expiration, _ task: LoadTask, _ place: Int, _ now: Int64, _ app: App
  ) {
    lock.withLock {
      if measurements[place].deliveries == 0 { measurements[place].delivered = now }
      measurements[place].deliveries += 1
      handlersCalled += 1
    }
    if task.ending == .inHandler { end(expiration.identifier, place, app) }
  }

  func application(_ app: App, didReceive wake: Wake) {
    let now = clock.wallNow()
    let done: Int? = lock.withLock {
      guard let visit = noteArrival(wake.id, now) else { return nil }
      // The planned completion of a former visit's wake is over.
      guard visit == self.visit else { return visit }
      self.wake = wake
      return isWakeDone ? visit : nil
    }
    if let done { complete(wake, done) }
  }

  /// Credits the arrival of a wake to the visit that it was delivered in, and returns that
  /// visit; nil if this app's plan has not delivered it. Call it with the lock held.
  func noteArrival(_ wake: WakeID, _ now: Int64) -> Int? {
    let number = Int(wake.rawValue) - 1
    guard deliveries.indices.contains(number) else { return nil }
    let visit = deliveries[number]
    if measurements.visits[visit].sent >= 0, measurements.visits[visit].received < 0 {
      measurements.visits[visit].received = now
    }
    return visit
  }

  /// The number of calls of its tasks' handlers so far.
  var handlerCalls: Int { lock.withLock { handlersCalled } }

  /// Reads or writes data that other threads access, too.
  func withMeasurements<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }
}
