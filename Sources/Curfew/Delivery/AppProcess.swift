internal import CurfewEngine
import CurfewSystem

/// One life of an app, from launch to end, and what waits to be delivered to it. Everything but
/// the constants is under the device's lock.
final class AppProcess: @unchecked Sendable {
  /// The process whose handler is running; work that a handler starts with `Task { }` inherits it.
  /// A dead process's calls change nothing.
  @TaskLocal static var current: AppProcess?
  /// In real time: the thread on which it is being called.
  @TaskLocal static var callingThread: ThreadID?

  let core: DeviceCore
  let app: AppID
  let delegate: (any AppDelegate)?
  /// False from its end on.
  var isAlive = true
  /// In real time: whether it is with the executor, which takes one delivery after the other.
  var isScheduled = false
  /// In real time: whether the lane is to begin with it, not the executor. Of whoever has scheduled
  /// it, until it is handed over.
  var startsOnLane = false
  /// On a virtual clock: whether it is being called.
  var isBusy = false
  /// Beside async work: the task in which it is being called; nil if no task makes the call.
  var turnTask: UInt64?
  /// What it has of the threads for handlers.
  let occupant = HandlerThreads.Occupant()
  /// Wakes that were delivered and go on, with who delivered them, on a virtual clock, and their
  /// expiration handlers.
  var wakes: [WakeID: (kind: AssertionKind, origin: CallSite?, handler: (@Sendable () -> Void)?)] =
    [:]
  /// The expiration handlers of sessions that are on, each with the number of its start.
  var sessions: [AssertionKind: (start: Int, handler: @Sendable () -> Void)] = [:]
  /// What it has registered for the identifiers of requests, until it has finished launching.
  var launchHandlers: [String: LaunchHandler] = [:]
  var hasFinishedLaunching = false
  /// On a virtual clock: sessions that are on, with who began them.
  var sessionOrigins: [AssertionKind: CallSite] = [:]
  /// Called with the process's end, or with nil when the device is closed, in the order in which
  /// they came.
  private var waiters: [(number: Int, tell: @Sendable (ProcessEnd?) -> Void)] = []
  private var waiterCount = 0
  /// How many sessions with handlers have been started.
  private var sessionStarts = 0
  private var inbox: [Delivery?] = []
  private var first = 0

  init(core: DeviceCore, app: AppID, delegate: (any AppDelegate)?) {
    (self.core, self.app, self.delegate) = (core, app, delegate)
  }

  func post(_ delivery: Delivery) { inbox.append(delivery) }

  /// A session has been started with a handler, or without one.
  /// - Returns: The handler of a session that lingered, to be let go of outside the lock.
  func begin(_ session: AssertionKind, _ handler: (@Sendable () -> Void)?) -> (
    @Sendable () -> Void
  )? {
    let old = sessions.removeValue(forKey: session)?.handler
    guard let handler else { return old }
    sessionStarts += 1
    sessions[session] = (sessionStarts, handler)
    return old
  }

  /// Lets go of the handlers that it has, which may know the process in their turn, where the
  /// answer ends.
  func takeHandlers() -> @Sendable () -> Void {
    let handlers = (wakes, sessions, launchHandlers)
    (wakes, sessions, launchHandlers) = ([:], [:], [:])
    return { _ = handlers }
  }

  /// Registers a handler of the process's end.
  /// - Returns: The number by which `forget` knows it.
  func whenOver(_ tell: @escaping @Sendable (ProcessEnd?) -> Void) -> Int {
    waiterCount += 1
    waiters.append((waiterCount, tell))
    return waiterCount
  }

  /// Removes that handler.
  func forget(_ number: Int) { waiters.removeAll { $0.number == number } }

  /// The process is over: everything that its end is told to, as notices outside the lock.
  func takeWaiters(_ end: ProcessEnd?) -> [@Sendable () -> Void] {
    defer { waiters = [] }
    return waiters.map { waiter in { waiter.tell(end) } }
  }

  /// Hands over what waits for it first: nothing of that stays here, whose end might then come
  /// under the lock.
  func next() -> Delivery? {
    guard hasNext else { return nil }
    if first > 64, first > inbox.count / 2 {
      inbox.removeFirst(first)
      first = 0
    }
    defer { first += 1 }
    return inbox[first].take()
  }

  /// Whether something waits for it.
  var hasNext: Bool { first < inbox.count }

  /// Whether what waits for it first may be done on the lane.
  var nextOnlyCancels: Bool { hasNext && inbox[first]?.onlyCancels == true }

  /// What is not delivered any more, to be let go of outside the lock.
  func empty() -> [Delivery] {
    let rest = hasNext ? inbox.compactMap(\.self) : []
    inbox.removeAll(keepingCapacity: true)
    first = 0
    return rest
  }

  /// Calls what the app has for this, on the calling thread.
  /// - Returns: What an error said that was thrown.
  func perform(_ delivery: Delivery) -> String? {
    do {
      try inTurn(named: delivery.name) { try call(delivery, App(core: core, id: app)) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Does this in the process's name, where the app is called.
  /// - Parameter name: The callback, for a report that it does not return.
  func inTurn<Result>(named name: @autoclosure () -> String, _ body: () throws -> Result) throws
    -> Result
  {
    try inName(as: name()) {
      guard core.callsOnMainActor else { return try asTurn(body) }
      return try withoutActuallyEscaping(body) { body in
        // The caller waits, wherever it is called.
        nonisolated(unsafe) let unchecked = body
        nonisolated(unsafe) var result: Result?
        try core.onMainActor { result = try self.asTurn(unchecked) }
        return result!
      }
    }
  }

  /// Remembers the task of the turn: other tasks of the app inherit its name, and are no part
  /// of it.
  private func asTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    if let work = core.work {
      let task = work.currentTask
      core.withState { _ in turnTask = task }
    }
    return try body()
  }

  /// Does this in the process's name: tasks that it begins are the process's.
  /// - Parameter name: As of `inTurn`.
  func inName<Result>(as name: @autoclosure () -> String, _ body: () throws -> Result) rethrows
    -> Result
  {
    try AppProcess.$current.withValue(self) {
      guard core.clock == nil else {
        return try AppProcess.$callingThread.withValue(.current, operation: body)
      }
      guard let work = core.work else { return try body() }
      return try work.call(for: self, named: whereabouts(name()), body)
    }
  }

  /// The app and what it is called with, for a report that it does not return.
  private func whereabouts(_ name: String) -> String {
    core.withState { state in "in \(state.apps[app].name): \(name) at \(state.now)" }
  }

  private func call(_ delivery: Delivery, _ app: App) throws {
    switch delivery {
    case .callback(let callback):
      try call(callback, app)
      app.notifyObservers(of: callback)
    case .expiration(let handler, let expiration): try handler(expiration)
    case .wakeExpiration(let handler, _, _), .sessionExpiration(let handler, _, _): handler()
    case .wake(let admitted, let identifier):
      let wake = Wake(
        app: app, kind: core.policy.policy.names.name(of: admitted.kind), id: admitted.id,
        identifier: identifier, process: self)
      if try launch(wake) { return }
      if let delegate {
        try delegate.application(app, didReceive: wake)
      } else {
        wake.complete(.noData)
      }
    case .event(let kind):
      try delegate?.application(
        app, didReceiveInForeground: core.policy.policy.names.name(of: kind))
    case .notification(let name, let value):
      try delegate?.application(app, didReceive: name, value: value)
    case .localNotification(let id): try delegate?.application(app, didReceiveLocalNotification: id)
    case .turn(let turn): turn.perform()
    }
  }

  private func call(_ callback: Callback, _ app: App) throws {
    switch callback {
    case .willFinishLaunching: try delegate?.applicationWillFinishLaunching(app)
    case .didFinishLaunching:
      defer { core.withState { _ in hasFinishedLaunching = true } }
      try delegate?.applicationDidFinishLaunching(app)
    case .didBecomeActive: try delegate?.applicationDidBecomeActive(app)
    case .willResignActive: try delegate?.applicationWillResignActive(app)
    case .didEnterBackground: try delegate?.applicationDidEnterBackground(app)
    case .willEnterForeground: try delegate?.applicationWillEnterForeground(app)
    case .willTerminate: try delegate?.applicationWillTerminate(app)
    case .didReceiveMemoryWarning: try delegate?.applicationDidReceiveMemoryWarning(app)
    }
  }
}
