public import CurfewEngine
public import CurfewPolicy

/// Calls that an app makes itself, except for background tasks.
extension App {
  // MARK: Sessions

  /// The app begins an activity that keeps it running in the background, such as music, location
  /// updates or a call (rules L1–L3). A session that is already on is not begun again.
  ///
  ///     app.startSession(.audio)
  ///     app.startSession("navigation")
  ///
  /// - Parameters:
  ///   - kind: The kind of session: a standard one, or one that the policy declares.
  ///   - fileID: The place that calls; left to the compiler.
  ///   - line: The place that calls; left to the compiler.
  ///   - expirationHandler: Called on the app's run loop shortly before the session's time in the
  ///     background is over, if the policy gives its kind a `length` or a budget, and a `warning`
  ///     (rule L4): once in each visit to the background and each term. Its return ends nothing.
  /// - Returns: The decision; nil if the app does not run or the session is already on.
  /// - Precondition: The policy knows a session of this kind. Every policy knows the standard ones.
  @discardableResult
  public func startSession(
    _ kind: KindName, fileID: StaticString = #fileID, line: UInt = #line,
    expirationHandler: (@Sendable () -> Void)? = nil
  ) -> Decision? {
    let number = core.number(of: kind, .session)
    return core.tell(by: id) { _ in
      .startSession(id, number, handler: expirationHandler == nil ? .absent : .present)
    } answered: { state, answer in
      let decision = state.notedDecision(answer, id, call: #function)
      guard decision?.isAllowed == true, let process = state.apps[id].process else {
        return decision
      }
      if core.clock == nil { process.sessionOrigins[number] = CallSite(fileID, line) }
      if let old = process.begin(number, expirationHandler) { state.outgoing.handlers.append(old) }
      return decision
    } ?? nil
  }

  /// The app ends the session. Does nothing if it is not on.
  /// - Precondition: The policy knows a session of this kind.
  public func stopSession(_ kind: KindName) {
    core.tell(.stopSession(id, core.number(of: kind, .session)), by: id)
  }

  // MARK: Schedules and requests

  /// `setMinimumBackgroundFetchInterval(_:)`: the minimum time between two fetches that the system
  /// starts; nil, the initial value, for never.
  /// - Returns: The decision; nil if nothing denies the setting.
  @discardableResult
  public func setMinimumBackgroundFetchInterval(_ interval: Duration?) -> Decision? {
    setInterval(interval, for: .fetch)
  }

  /// `setKeepAliveTimeout(_:handler:)`, whose handler is the wake `voipKeepAlive`; nil for never.
  /// - Returns: The decision; nil if nothing denies the setting.
  @discardableResult
  public func setKeepAliveTimeout(_ timeout: Duration?) -> Decision? {
    setInterval(timeout, for: .voipKeepAlive)
  }

  /// Sets how often the system wakes the app by itself, for a kind that the policy lets the system
  /// start. Whether that is a minimum or an exact interval depends on the kind's row (rule W3).
  /// nil, the initial value, means never.
  /// - Returns: The decision; nil if nothing denies the setting.
  /// - Precondition: The policy knows a wake of this kind; the interval is not negative.
  @discardableResult
  public func setInterval(_ interval: Duration?, for kind: KindName) -> Decision? {
    precondition(interval ?? .zero >= .zero, "An interval of \(interval ?? .zero) for \(kind)")
    return core.decide(
      .setInterval(id, core.number(of: kind, .wake), interval.map { Interval($0) }), about: id,
      by: id)
  }

  /// `BGTaskScheduler.submit(_:)`: asks to run in the background later, as the wake `appRefresh`
  /// or `processing`, or as a requested kind of the policy's own (rule W5).
  ///
  /// - Parameters:
  ///   - identifier: One that the manifest permits. It replaces a pending request with the
  ///     same identifier.
  ///   - kind: `.appRefresh`, `.processing`, or another kind whose row says `start: request`.
  ///   - earliestBegin: From now on; a lower bound.
  ///   - requiresNetworkConnectivity: Whether the request waits for a network; processing only.
  ///   - requiresExternalPower: Whether the request waits for a charger; processing only.
  /// - Throws: The refusal, if the scheduler does not accept the request.
  public func submitTaskRequest(
    _ identifier: String, kind: KindName, earliestBegin: Duration = .zero,
    requiresNetworkConnectivity: Bool = false,
    requiresExternalPower: Bool = false
  ) throws(TaskRequestDeniedError) {
    precondition(earliestBegin >= .zero, "A request of \(earliestBegin) ago")
    try core.submit(
      TaskSubmission(
        identifier: identifier, kind: kind, earliest: .after(Interval(earliestBegin)),
        requiresNetwork: requiresNetworkConnectivity,
        requiresPower: requiresExternalPower),
      of: id)
  }

  /// `BGTaskScheduler.cancel(taskRequestWithIdentifier:)`. Does nothing if no request with this
  /// identifier is pending.
  public func cancelTaskRequest(_ identifier: String) {
    core.tell(by: id) {
      .cancelTask(id, identifier: $0.texts.number(of: identifier))
    }
  }

  // MARK: Notifications

  /// Schedules a local notification; it replaces one with the same `id`. The device keeps only
  /// the soonest (rule N1).
  public func scheduleLocalNotification(_ id: String, after interval: Duration) {
    precondition(interval >= .zero, "A notification of \(interval) ago")
    let app = self.id
    core.tell(by: app) {
      .scheduleNotification(app, id: $0.texts.number(of: id), after: Interval(interval))
    }
  }

  /// Cancels a local notification.
  public func cancelLocalNotification(_ id: String) {
    let app = self.id
    core.tell(by: app) {
      .cancelNotification(app, id: $0.texts.number(of: id))
    }
  }

  // MARK: Facts

  /// Sets whether a fact of the app that the policy declares holds from now on. The change takes
  /// effect at once, on everything that is pending (rule B3).
  /// - Precondition: The policy declares such a fact of apps.
  public func setFact(_ fact: String, to holds: Bool) {
    core.tell(.setFact(id, core.number(ofFact: fact, ofApp: true), holds: holds))
  }

  // MARK: Resources

  /// The app's footprint is so many bytes from now on (rule M1).
  public func setFootprint(_ bytes: Int64) {
    precondition(bytes >= 0, "A footprint of \(bytes) bytes")
    core.tell(.setFootprint(id, bytes), by: id)
  }

  /// The app locks a file in a shared container. An app that still holds a lock when it is
  /// suspended is terminated (rule D3). Locks count.
  public func lockFile() { core.tell(.lockFile(id), by: id) }

  /// The app unlocks one of its files.
  public func unlockFile() { core.tell(.unlockFile(id), by: id) }

  /// The app uses `percent` of a processor core for that length, or until the next call of this
  /// (rule D4).
  public func useCPU(percent: UInt32, for length: Duration) {
    precondition(length >= .zero, "A length of \(length)")
    core.tell(.useCPU(id, share: percent, for: Interval(length)), by: id)
  }
}

/// The refusal of a request: `BGTaskScheduler.Error`.
public struct TaskRequestDeniedError: Error, Hashable, CustomStringConvertible {
  /// The request's identifier.
  public let identifier: String
  /// The kind that was requested.
  public let kind: KindName
  /// The reason, the place where it is written, and a change that would make the scheduler
  /// accept it.
  public let explanation: Explanation

  /// The reason, as the scheduler's error.
  public var error: TaskRequestError {
    if case .refusal(let error) = explanation.reason { error } else { .unavailable }
  }

  /// A change that would make the scheduler accept the request.
  public var remedy: String { explanation.remedy ?? "" }

  /// `processing 'clean' was refused: notPermitted because its manifest does not permit the identifier (…); Permit …`.
  public var description: String { "\(kind) '\(identifier)' was refused: \(explanation)" }
}
