internal import CurfewEngine
import CurfewSystem

/// A process of an app, from launch to end, and the deliveries that wait for it. The device's lock
/// guards everything except the constants.
final class AppProcess: @unchecked Sendable {
  /// A process and its call. Every begin and end of a task reads this value. It is a structure,
  /// because the runtime needs three times as many instructions to copy an optional value.
  struct Caller: Sendable {
    /// The process whose handler is running. Calls of a dead process have no effect.
    var process: AppProcess?
    /// In real time: the call that the calling code is in, or inherits.
    var call: Call?
  }

  /// The calling process. Work that a handler starts with `Task { }` inherits this value.
  @TaskLocal static var caller = Caller()
  static var current: AppProcess? { caller.process }

  let core: DeviceCore
  let app: AppID
  let delegate: (any AppDelegate)?
  /// nil if the app was registered without a host.
  let hostCalls: HostCalls?
  /// False after the process has ended.
  var isAlive = true
  /// In real time: whether the process was passed to the executor, which performs its deliveries
  /// one by one.
  var isScheduled = false
  /// In real time: whether the lane, not the executor, performs the first delivery. Only the thread
  /// that has scheduled the process may use this, until it hands the process over.
  var startsOnLane = false
  /// Whether nothing of the process is delivered yet, because the host has not returned from
  /// the end of the app's former process.
  var isHeldBack = false
  /// On a virtual clock: whether the process is in a callback.
  var isBusy = false
  /// On a virtual clock: whether a delivery may begin.
  var isReady: Bool { !isBusy && !isHeldBack }
  /// With async work: the task that is calling the process; nil if the caller is not a task.
  var turnTask: UInt64?
  /// The process's entry in the pool of handler threads.
  let occupant = HandlerThreads.Occupant()
  /// Wakes that were delivered and are not over, with their expiration handlers and, on a virtual
  /// clock, the places that delivered them.
  var wakes: [WakeID: (kind: AssertionKind, origin: CallSite?, handler: (@Sendable () -> Void)?)] =
    [:]
  /// Tasks of the scheduler that had no expiration handler at their warning.
  var endedByCurfew: Set<WakeID> = []
  /// The expiration handlers of running sessions, each with the number of its start.
  var sessions: [AssertionKind: (start: Int, handler: @Sendable () -> Void)] = [:]
  /// The handlers registered for identifiers of requests. Registration closes when the process has
  /// finished launching.
  var launchHandlers: [String: LaunchHandler] = [:]
  var hasFinishedLaunching = false
  /// On a virtual clock: the running sessions, with the places that began them.
  var sessionOrigins: [AssertionKind: CallSite] = [:]
  /// Called with the process's end, or with nil when the device is closed, in the order in which
  /// they were added.
  private var waiters: [(number: Int, tell: @Sendable (ProcessEnd?) -> Void)] = []
  private var waiterCount = 0
  /// The count of sessions that were started with a handler.
  private var sessionStarts = 0
  private var inbox: [Delivery?] = []
  private var first = 0

  init(
    core: DeviceCore, app: AppID, delegate: (any AppDelegate)?, host: (any ProcessHost)?
  ) {
    (self.core, self.app, self.delegate) = (core, app, delegate)
    hostCalls = host.map { HostCalls($0) }
  }

  /// The host's call that a delivery is; nil without a look at the delivery if there is no host.
  func hostCall(in delivery: Delivery) -> HostCalls.Call? {
    hostCalls == nil ? nil : delivery.hostCall
  }

  func post(_ delivery: Delivery) { inbox.append(delivery) }

  /// Notes that a session has been started, with a handler or without one.
  /// - Returns: The handler of a session that lingered, to be released outside the lock.
  func begin(_ session: AssertionKind, _ handler: (@Sendable () -> Void)?) -> (
    @Sendable () -> Void
  )? {
    let old = sessions.removeValue(forKey: session)?.handler
    guard let handler else { return old }
    sessionStarts += 1
    sessions[session] = (sessionStarts, handler)
    return old
  }

  /// Takes the process's handlers, which may hold the process in turn. They are released with
  /// the result.
  func takeHandlers() -> @Sendable () -> Void {
    let handlers = (wakes, sessions, launchHandlers)
    (wakes, sessions, launchHandlers) = ([:], [:], [:])
    return { _ = handlers }
  }

  /// Registers a handler of the process's end.
  /// - Returns: The number to pass to `forget`.
  func whenOver(_ tell: @escaping @Sendable (ProcessEnd?) -> Void) -> Int {
    waiterCount += 1
    waiters.append((waiterCount, tell))
    return waiterCount
  }

  /// Removes the handler with this number.
  func forget(_ number: Int) { waiters.removeAll { $0.number == number } }

  /// Takes the handlers of the process's end, as notices to be called outside the lock.
  func takeWaiters(_ end: ProcessEnd?) -> [@Sendable () -> Void] {
    defer { waiters = [] }
    return waiters.map { waiter in { waiter.tell(end) } }
  }

  /// Takes the first waiting delivery. The process keeps no reference to it, so that it cannot be
  /// released under the lock.
  func next() -> Delivery? {
    guard hasNext else { return nil }
    if first > 64, first > inbox.count / 2 {
      inbox.removeFirst(first)
      first = 0
    }
    defer { first += 1 }
    return inbox[first].take()
  }

  /// Whether a delivery waits for the process.
  var hasNext: Bool { first < inbox.count }

  /// Whether the first waiting delivery may be performed on the lane.
  var nextOnlyCancels: Bool { hasNext && inbox[first]?.onlyCancels == true }

  /// Takes the deliveries that will never be performed, to be released outside the lock.
  func empty() -> [Delivery] {
    let rest = hasNext ? inbox.compactMap(\.self) : []
    inbox.removeAll(keepingCapacity: true)
    first = 0
    return rest
  }

  /// The actor on which a delivery is performed. The lock is held.
  func actor(for delivery: Delivery) -> (any Actor)? {
    if case .expiration(let handler, _) = delivery, let actor = handler.actor { return actor }
    if core.callsOnMainActor { return MainActor.shared }
    guard delegate is OnMainActor else { return nil }
    switch delivery {
    case .callback, .event, .notification, .localNotification: return MainActor.shared
    case .wake(_, let identifier):
      // A handler that was registered for the request is called instead of the delegate.
      return identifier.map { launchHandlers[$0] == nil } ?? true ? MainActor.shared : nil
    case .expiration, .wakeExpiration, .sessionExpiration, .turn, .host: return nil
    }
  }

  /// Calls the app with a delivery, on the calling thread, which is on the delivery's actor.
  /// - Returns: The text of the error, if one was thrown.
  func perform(_ delivery: Delivery) -> String? {
    do {
      try inName(as: delivery.name, hostCall(in: delivery) == nil ? self : hostCalls) {
        try asTurn { try call(delivery, App(core: core, id: app)) }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Runs `body` as a turn of the process, on the main actor if the device calls apps there.
  /// - Parameter name: The callback's name, for a report that the callback does not return.
  func inTurn<Result>(named name: @autoclosure () -> String, _ body: () throws -> Result) throws
    -> Result
  {
    try inName(as: name()) {
      guard core.callsOnMainActor else { return try asTurn(body) }
      return try withoutActuallyEscaping(body) { body in
        // The caller waits, whichever thread runs the body.
        nonisolated(unsafe) let unchecked = body
        nonisolated(unsafe) var result: Result?
        try core.onMainActor { result = try self.asTurn(unchecked) }
        return result!
      }
    }
  }

  /// Remembers the task of the turn: other tasks of the app inherit `current`, but are not part
  /// of the turn.
  func asTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    if let work = core.work {
      let task = work.currentTask
      core.withState { _ in turnTask = task }
    }
    return try body()
  }

  /// Runs `body` as code of the process: tasks that `body` begins belong to the process.
  /// - Parameters:
  ///   - name: As in `inTurn`.
  ///   - owner: The owner of async work that `body` begins; nil for the process. A host's work
  ///     goes on while the process is suspended and after its end.
  func inName<Result>(
    as name: @autoclosure () -> String, _ owner: AnyObject? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    try AppProcess.with(self, core.clock == nil ? nil : .here(isTurn: true)) {
      guard let work = core.work else { return try body() }
      return try work.call(for: owner ?? self, named: whereabouts(name()), body)
    }
  }

  /// The app and its callback, for a report that the callback does not return.
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
    case .host(let calls, let hostCall): calls.perform(hostCall, app)
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
