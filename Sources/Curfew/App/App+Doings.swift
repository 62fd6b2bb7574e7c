public import CurfewEngine
public import CurfewPolicy

/// Calls that an app itself makes, except calls for background tasks.
extension App {
  // MARK: Sessions

  /// The app begins an activity that keeps it running in the background, such as music, location
  /// updates or a call (rules L1–L3). If the session is already on, the call does nothing.
  ///
  ///     app.startSession(.audio)
  ///     app.startSession("navigation")
  ///
  /// - Parameters:
  ///   - kind: The kind of session: a standard kind, or a kind that the policy declares.
  ///   - fileID: The caller's file; left to the compiler.
  ///   - line: The caller's line; left to the compiler.
  ///   - expirationHandler: Called on the app's run loop shortly before the session's time
  ///     in the background is over, if the policy gives its kind a `warning` and either a `length`
  ///     or a budget (rule L4). It is called once in each visit to the background and each term.
  ///     Its return does not end the session.
  /// - Returns: The decision; nil if the app is not running or the session is already on.
  /// - Precondition: The policy knows a session of this kind. Every policy knows the
  ///   standard kinds.
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

  /// The app ends the session. Does nothing if the session is not on.
  /// - Precondition: The policy knows a session of this kind.
  public func stopSession(_ kind: KindName) {
    core.tell(.stopSession(id, core.number(of: kind, .session)), by: id)
  }

  // MARK: Schedules and requests

  /// `setMinimumBackgroundFetchInterval(_:)`: the minimum time between two fetches that the system
  /// starts; with nil, the initial value, it starts none.
  /// - Returns: The decision; nil if nothing denies the setting.
  @discardableResult
  public func setMinimumBackgroundFetchInterval(_ interval: Duration?) -> Decision? {
    setInterval(interval, for: .fetch)
  }

  /// `setKeepAliveTimeout(_:handler:)`: the interval of the wake `voipKeepAlive`, which stands for
  /// the handler; nil means no such wakes.
  /// - Returns: The decision; nil if nothing denies the setting.
  @discardableResult
  public func setKeepAliveTimeout(_ timeout: Duration?) -> Decision? {
    setInterval(timeout, for: .voipKeepAlive)
  }

  /// Sets the interval at which the system wakes the app, for a kind that the policy lets the
  /// system start. Whether the interval is a minimum or exact depends on the kind's row (rule W3).
  /// nil, the initial value, means never.
  /// - Returns: The decision; nil if nothing denies the setting.
  /// - Precondition: The policy knows a wake of this kind; the interval is not negative.
  @discardableResult
  public func setInterval(_ interval: Duration?, for kind: KindName) -> Decision? {
    precondition(
      interval ?? .zero >= .zero, "The interval for \(kind) is negative: \(interval ?? .zero)")
    return core.decide(
      .setInterval(id, core.number(of: kind, .wake), interval.map { Interval($0) }), about: id,
      by: id)
  }

  /// `BGTaskScheduler.submit(_:)`: asks to run in the background later, as the wake `appRefresh`
  /// or `processing`, or as another kind that the policy declares with `start: request` (rule W5).
  ///
  /// - Parameters:
  ///   - identifier: An identifier that the manifest permits. The request replaces a pending
  ///     request with the same identifier.
  ///   - kind: `.appRefresh`, `.processing`, or another kind whose row says `start: request`.
  ///   - earliestBegin: The time from now until the earliest start; a lower bound.
  ///   - requiresNetworkConnectivity: Whether the request waits for a network; processing only.
  ///   - requiresExternalPower: Whether the request waits for a charger; processing only.
  /// - Throws: The refusal, if the scheduler does not accept the request.
  public func submitTaskRequest(
    _ identifier: String, kind: KindName, earliestBegin: Duration = .zero,
    requiresNetworkConnectivity: Bool = false,
    requiresExternalPower: Bool = false
  ) throws(TaskRequestDeniedError) {
    precondition(earliestBegin >= .zero, "The earliest begin is negative: \(earliestBegin)")
    try core.submit(
      TaskSubmission(
        identifier: identifier, kind: kind, earliest: .after(Interval(earliestBegin)),
        requiresNetwork: requiresNetworkConnectivity,
        requiresPower: requiresExternalPower),
      of: id, call: #function)
  }

  /// `BGTaskScheduler.cancel(taskRequestWithIdentifier:)`. Does nothing if no request with this
  /// identifier is pending.
  public func cancelTaskRequest(_ identifier: String) {
    core.tell(by: id) {
      .cancelTask(id, identifier: $0.texts.number(of: identifier))
    }
  }

  // MARK: Notifications

  /// Schedules a local notification, which replaces a pending one with the same `id`. The device
  /// keeps only the soonest notifications (rule N1).
  public func scheduleLocalNotification(_ id: String, after interval: Duration) {
    precondition(interval >= .zero, "The interval of a notification is negative: \(interval)")
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

  /// Sets whether a fact of the app holds from now on. The policy declares the fact. The change
  /// affects everything that is pending, at once (rule B3).
  /// - Precondition: The policy declares such a fact of apps.
  public func setFact(_ fact: String, to holds: Bool) {
    core.tell(.setFact(id, core.number(ofFact: fact, ofApp: true), holds: holds))
  }

  // MARK: Resources

  /// Sets the app's footprint, in bytes, from now on (rule M1).
  public func setFootprint(_ bytes: Int64) {
    precondition(bytes >= 0, "The footprint is negative: \(bytes) bytes")
    core.tell(.setFootprint(id, bytes), by: id)
  }

  /// The app locks a file in a shared container. An app that still holds a lock when it
  /// is suspended is terminated (rule D3). Locks are counted: each `lockFile()` needs
  /// one `unlockFile()`.
  public func lockFile() { core.tell(.lockFile(id), by: id) }

  /// The app unlocks one of its files.
  public func unlockFile() { core.tell(.unlockFile(id), by: id) }

  /// The app uses `percent` of a processor core for `length`, or until the next call of this
  /// function (rule D4).
  public func useCPU(percent: UInt32, for length: Duration) {
    precondition(length >= .zero, "The length is negative: \(length)")
    core.tell(.useCPU(id, share: percent, for: Interval(length)), by: id)
  }
}

/// The refusal of a request: `BGTaskScheduler.Error`.
public struct TaskRequestDeniedError: Error, Hashable, CustomStringConvertible {
  /// The request's identifier.
  public let identifier: String
  /// The kind that was requested.
  public let kind: KindName
  /// The reason, the place where it is written, and a change that would make the scheduler accept
  /// the request.
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
