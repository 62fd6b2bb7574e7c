public import Dispatch

/// The `BGTaskScheduler` of one app: registers handlers for its requests, and accepts requests
/// (rule W5). It is a property of the app, `App.taskScheduler`, not a global, because a device has
/// many apps.
///
/// Names, parameters and errors are the same as in Apple's framework, so a program that hides the
/// scheduler behind its own protocol needs no adapter: `extension BGTaskScheduler: MyScheduler {}`.
/// A file that also imports BackgroundTasks writes `Curfew.BGTaskScheduler`. Health research
/// and continued processing are not supported.
///
/// A call that raises an exception on iOS ends only the process of the calling app here,
/// as `abnormalExit`; `ProcessEnd.error` has the text of the exception. All calls may come from
/// any thread.
public final class BGTaskScheduler: Sendable {
  let app: App

  init(_ app: App) { self.app = app }

  /// `register(forTaskWithIdentifier:using:launchHandler:)`: sets the handler that is called when
  /// a request with this identifier is started.
  ///
  /// Each process registers each identifier once, before its `applicationDidFinishLaunching(_:)`
  /// has returned; the app's next process registers again. Registering later, or twice, raises
  /// an exception.
  ///
  /// - Parameters:
  ///   - identifier: An identifier that the manifest permits.
  ///   - queue: The queue that runs the handler and the task's expiration handler; nil for
  ///     a background queue of its own, off the main thread. A queue whose target is the main queue
  ///     runs them on the main thread. A virtual clock waits for both. If the thread that advances
  ///     it holds the queue, that thread runs them.
  ///
  ///     On a virtual clock without `CurfewTesting`, a suspended queue stops the program with
  ///     a message after 60 s of real time (`CURFEW_HANG` sets another number). If the main thread
  ///     advances that clock, so does a handler on another queue that waits for the main thread, as
  ///     with `DispatchQueue.main.sync`.
  ///   - launchHandler: Receives a `BGAppRefreshTask` or a `BGProcessingTask`. Kept until
  ///     the process ends. As in Apple's framework, the compiler does not check where it runs:
  ///     a handler that uses the main actor's state needs `.main`, and
  ///     `MainActor.assumeIsolated` in it stops the program without.
  /// - Returns: Whether the handler was registered; false if the manifest does not permit the
  ///   identifier, or if the app has no process. `App.lastDiagnostic` says which of the two.
  /// - Complexity: O(identifiers that the manifest permits).
  @discardableResult
  public func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping (BGTask) -> Void
  ) -> Bool {
    nonisolated(unsafe) let handler = launchHandler
    return app.core.register(
      LaunchHandler(queue: queue, body: { @Sendable task in handler(task) }), for: identifier,
      of: app.id, call: #function)
  }

  /// `submit(_:)`: asks for the app to be run later. The request replaces a pending one with
  /// the same identifier.
  ///
  /// The request is copied: later changes to it have no effect. A request whose identifier
  /// is permitted but has no handler in this process raises an exception.
  /// - Throws: `Error`, with the code that Apple's framework uses; its `refusal` has the reason.
  /// - Complexity: O(the app's pending requests + identifiers that the manifest permits).
  public func submit(_ taskRequest: BGTaskRequest) throws {
    guard app.core.mayBeSubmitted(taskRequest.identifier, by: app.id) else {
      app.core.raise(.unregistered(taskRequest.identifier), in: app.id, call: #function)
      throw Error(.unavailable, refusal: nil)
    }
    let processing = taskRequest as? BGProcessingTaskRequest
    do {
      try app.core.submit(
        TaskSubmission(
          identifier: taskRequest.identifier, kind: taskRequest.kind,
          earliest: .at(taskRequest.earliestBeginDate),
          requiresNetwork: processing?.requiresNetworkConnectivity ?? false,
          requiresPower: processing?.requiresExternalPower ?? false),
        of: app.id, call: #function)
    } catch {
      throw Error(Error.Code(error.error), refusal: error)
    }
  }

  /// `cancel(taskRequestWithIdentifier:)`. Does nothing if no request with this identifier
  /// is pending.
  public func cancel(taskRequestWithIdentifier identifier: String) {
    app.cancelTaskRequest(identifier)
  }

  /// `cancelAllTaskRequests()`: cancels the requests that `pendingTaskRequests()` would return.
  /// - Complexity: O(the app's pending requests), squared.
  public func cancelAllTaskRequests() {
    for request in app.core.pendingTaskRequests(of: app.id) {
      app.cancelTaskRequest(request.identifier)
    }
  }

  /// `pendingTaskRequests()`: copies of the requests that have not been started, in the order
  /// of submission. A request that replaced another takes its place in that order.
  /// - Complexity: O(the app's pending requests).
  public func pendingTaskRequests() async -> sending [BGTaskRequest] {
    app.core.pendingTaskRequests(of: app.id)
  }

  /// `getPendingTaskRequests(completionHandler:)`: passes the same requests to a handler. On
  /// a virtual clock the handler is called before this function returns; in real time it is called
  /// soon, on the device's executor.
  public func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void) {
    nonisolated(unsafe) let handler = completionHandler
    let (core, id, process) = (app.core, app.id, AppProcess.current)
    let work: @Sendable () -> Void = { handler(core.pendingTaskRequests(of: id)) }
    guard core.clock != nil else { return work() }
    core.executor.execute { AppProcess.inCall(of: process, work) }
  }
}

extension App {
  /// `BGTaskScheduler.shared` of this app: the same object until the device is closed.
  /// - Complexity: O(1).
  public var taskScheduler: BGTaskScheduler {
    core.withState { state in
      if let scheduler = state.apps[id].taskRequests.scheduler { return scheduler }
      let scheduler = BGTaskScheduler(self)
      if !state.isClosed { state.apps[id].taskRequests.scheduler = scheduler }
      return scheduler
    }
  }
}
