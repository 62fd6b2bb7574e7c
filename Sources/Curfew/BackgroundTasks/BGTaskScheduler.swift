public import Dispatch

/// `BGTaskScheduler` of one app: registers what is done for its requests, and takes them (rule W5).
/// `App.taskScheduler` has it, since a device has many apps and none is shared.
///
/// Names, parameters and errors are those of Apple's framework, so that a program with a protocol
/// of its own over it needs no adapter: `extension BGTaskScheduler: MyScheduler {}`. A file that
/// imports BackgroundTasks as well names the module: `Curfew.BGTaskScheduler`. There is nothing for
/// health research and continued processing.
///
/// What iOS answers with an exception ends the app's process here, as `abnormalExit`, and no other;
/// `ProcessEnd.error` has the exception's words. All calls may come from any thread.
public final class BGTaskScheduler: Sendable {
  let app: App

  init(_ app: App) { self.app = app }

  /// `register(forTaskWithIdentifier:using:launchHandler:)`: says what is done when a request
  /// of this identifier is started.
  ///
  /// A process registers before its `applicationDidFinishLaunching(_:)` has returned, each
  /// identifier once; a process that comes later registers anew. To register later, or twice,
  /// is an exception.
  ///
  /// - Parameters:
  ///   - identifier: One that the manifest permits.
  ///   - queue: In real time, where the handler and the task's expiration handler run; nil for
  ///     the app's run loop, where everything else of the app's runs. On a virtual clock both run
  ///     on the run loop in any case, before time goes on: another queue would run beside a clock
  ///     that does not wait for it.
  ///   - launchHandler: Gets a `BGAppRefreshTask` or a `BGProcessingTask`. Kept until the process
  ///     ends. In real time it runs on another thread than the one that made it, unchecked by
  ///     the compiler as in Apple's framework: what belongs to an actor it may only send to.
  /// - Returns: Whether it was registered: not where the manifest does not permit the identifier,
  ///   and not where no process runs that could. `App.lastDiagnostic` says which.
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

  /// `submit(_:)`: asks for the app to be run later. A pending request of the same identifier
  /// is replaced.
  ///
  /// The request is copied: what is done to it afterwards changes nothing. One whose identifier
  /// is permitted and has no handler in this process is an exception.
  /// - Throws: `Error`, which has the code that Apple's has and, in `refusal`, why.
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
        of: app.id)
    } catch {
      throw Error(Error.Code(error.error), refusal: error)
    }
  }

  /// `cancel(taskRequestWithIdentifier:)`. An identifier of which nothing is pending is none
  /// to worry about.
  public func cancel(taskRequestWithIdentifier identifier: String) {
    app.cancelTaskRequest(identifier)
  }

  /// `cancelAllTaskRequests()`: what `pendingTaskRequests()` would answer.
  /// - Complexity: O(the app's pending requests), squared.
  public func cancelAllTaskRequests() {
    for request in app.core.pendingTaskRequests(of: app.id) {
      app.cancelTaskRequest(request.identifier)
    }
  }

  /// `pendingTaskRequests()`: copies of the requests that have not been started, in the order
  /// of their submission; a replaced one has its replacement's place.
  /// - Complexity: O(the app's pending requests).
  public func pendingTaskRequests() async -> sending [BGTaskRequest] {
    app.core.pendingTaskRequests(of: app.id)
  }

  /// `getPendingTaskRequests(completionHandler:)`: the same for a handler: called before this
  /// returns on a virtual clock, soon and on the device's executor in real time.
  public func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void) {
    nonisolated(unsafe) let handler = completionHandler
    let (core, id, process) = (app.core, app.id, AppProcess.current)
    let work: @Sendable () -> Void = { handler(core.pendingTaskRequests(of: id)) }
    guard core.clock != nil else { return work() }
    core.executor.execute { AppProcess.$current.withValue(process, operation: work) }
  }
}

extension App {
  /// `BGTaskScheduler.shared`, as this app sees it: the same object until the device is closed.
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
