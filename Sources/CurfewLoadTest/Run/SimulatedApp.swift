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
      visit = number
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
    lock.withLock { measurements.visits[visit].sent = clock.wallNow() }
  }

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
      guard visit >= 0, measurements.visits[visit].active < 0 else { return }
      measurements.visits[visit].active = now
    }
  }

  func applicationDidEnterBackground(_ app: App) {
    let now = clock.wallNow()
    let visit = lock.withLock {
      // Before the departure, this can only be the callback of a former visit. Then no tasks are
      // begun: each visit begins its tasks exactly once, whenever a former visit's callback comes.
      guard self.visit >= 0, measurements.visits[self.visit].left >= 0,
        measurements.visits[self.visit].entered < 0
      else { return -1 }
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
    let visit = lock.withLock {
      self.wake = wake
      if self.visit >= 0, measurements.visits[self.visit].received < 0 {
        measurements.visits[self.visit].received = now
      }
      return isWakeDone ? self.visit : nil
    }
    if let visit { complete(wake, visit) }
  }

  /// The number of calls of its tasks' handlers so far.
  var handlerCalls: Int { lock.withLock { handlersCalled } }

  /// Reads or writes data that other threads access, too.
  func withMeasurements<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }
}
