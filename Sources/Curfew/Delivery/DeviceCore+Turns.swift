import CurfewEngine
import CurfewSystem
internal import Foundation

/// Runs code as an app's code, called from outside the app's callbacks.
extension DeviceCore {
  /// Performs `body` as a turn of an app's main run loop.
  func performTurn<Result>(of app: AppID, _ body: () throws -> Result) throws -> Result {
    if clock != nil { return try performTurnInRealTime(of: app, body) }
    let caller = callingProcess
    let isOutside = caller?.core !== self || caller?.app != app
    lock.lock()
    defer { unlock() }
    if !isOutside, let caller, caller.isAlive, caller.isBusy, caller.turnTask == work?.currentTask {
      // The call is part of the current turn.
      unlock()
      defer { lock.lock() }
      return try body()
    }
    waitForPump()
    if isOutside, !isWorkOfStep, mayDeliver(fromOutside: true) { pumpOnce() }
    return try pumping {
      let process = try processToRun(in: app, for: caller)
      guard !process.isBusy else { throw error(app) }
      process.isBusy = true
      callDepth += 1
      unlock()
      let result = Swift.Result { try process.inTurn(named: "App.run", body) }
      lock.lock()
      callDepth -= 1
      finish(process, Outcome())
      // The runner of async work takes the steps that follow from its work.
      if !isWorkOfStep, isOutside || work?.isHere != true {
        settle(withWork: isOutside, withTest: false, afterCall: work != nil)
      }
      return try result.get()
    }
  }

  /// Begins async work that belongs to an app's process.
  func begin<Value: Sendable>(
    _ running: RunningWork<Value>, of app: AppID,
    _ body: @escaping @Sendable () async throws -> Value
  ) throws {
    let caller = callingProcess
    let isOutside = caller?.core !== self || caller?.app != app
    lock.lock()
    if clock != nil {
      keepUp()
    } else if isOutside, !isWorkOfStep, mayDeliver(fromOutside: true) {
      pumpOnce()
    }
    let admitted = Swift.Result { try processToRun(in: app, for: caller) }
    guard case .success(let process) = admitted else {
      leave(delivers: isOutside)
      _ = try admitted.get()
      return
    }
    let number = process.whenOver { end in
      running.giveUp(end.map { ProcessEndError(end: $0) } ?? CancellationError())
    }
    leave(delivers: isOutside)
    process.inName(as: "App.run") {
      running.start(body) { process.core.withState { _ in process.forget(number) } }
    }
  }

  /// The calling process: the process that the calling code inherits, or the owner of a
  /// detached task.
  private var callingProcess: AppProcess? { AppProcess.current ?? work?.owner as? AppProcess }

  /// The process that may run code now. The lock is held.
  private func processToRun(in app: AppID, for caller: AppProcess?) throws(AppRunError)
    -> AppProcess
  {
    guard isAllowed(caller, app) else { throw error(app, in: .notRunning) }
    guard !state.isClosed, ![.notRunning, .suspended].contains(state.driver.engine.state(of: app)),
      let process = state.apps[app].process
    else { throw error(app) }
    return process
  }

  /// - Parameter appState: The state of the process that should have run the code, if it differs
  ///   from the app's current state.
  private func error(_ app: AppID, in appState: AppState? = nil) -> AppRunError {
    let now = state.isClosed ? .notRunning : state.driver.engine.state(of: app)
    return AppRunError(app: state.apps[app].name, state: appState ?? now, instant: state.now)
  }

  /// In real time the turn runs after all deliveries that already wait for the app, and the calling
  /// thread waits until the turn is over.
  private func performTurnInRealTime<Result>(of app: AppID, _ body: () throws -> Result) throws
    -> Result
  {
    if AppProcess.caller.call?.isTurnOfThread == true, let caller = AppProcess.current,
      caller.core === self, caller.app == app
    {
      return try body()
    }
    precondition(
      !(callsOnMainActor && Thread.isMainThread),
      "App.run in real time waits for the main thread, which is the calling thread: use try await app.run { … }"
    )
    var result: Swift.Result<Result, any Error>?
    return try withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let unchecked = { result = Swift.Result { try body() } }
      let turn = Turn(of: app) { unchecked() }
      lock.lock()
      keepUp()
      let admitted = Swift.Result { try processToRun(in: app, for: AppProcess.current) }
      if case .success(let process) = admitted {
        let number = process.whenOver { _ in turn.leaveOut() }
        turn.whenOver = { self.withState { _ in process.forget(number) } }
        state.post(.turn(turn), to: app)
      }
      leave()
      _ = try admitted.get()
      turn.wait()
      if let result { return try result.get() }
      // The process ended before the turn, or the device was closed.
      throw withState { _ in error(app, in: .notRunning) }
    }
  }
}

/// In real time: a turn that waits for its app. The calling thread waits until it is over.
final class Turn: @unchecked Sendable {
  private enum Progress { case waiting, running, over }

  let app: AppID
  private let lock = Lock()
  private var body: (() -> Void)?
  private var progress = Progress.waiting
  /// Set before the turn is posted.
  var whenOver: () -> Void = {}

  init(of app: AppID, _ body: @escaping () -> Void) { (self.app, self.body) = (app, body) }

  /// Calls the body, unless the turn was abandoned.
  func perform() {
    guard callBody() else { return }
    whenOver()
    lock.withLock { end() }
  }

  /// Calls the body and releases it before the waiting thread continues, because the body must
  /// not outlive the call that passed it.
  private func callBody() -> Bool {
    let body = lock.withLock {
      guard progress == .waiting else { return nil as (() -> Void)? }
      progress = .running
      return self.body.take()
    }
    body?()
    return body != nil
  }

  /// Abandons the turn, unless it has begun.
  func leaveOut() { lock.withLock { if progress == .waiting { end() } } }

  func wait() { lock.withLock { while progress != .over { lock.wait() } } }

  /// The lock is held.
  private func end() {
    (progress, body) = (.over, nil)
    lock.broadcast()
  }
}
