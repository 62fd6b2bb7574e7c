public import CurfewEngine
public import CurfewPolicy

/// What an app does of itself, but for background tasks.
extension App {
  // MARK: Sessions

  /// The app begins what keeps it running in the background: music plays, location updates run,
  /// a call is on (rules L1–L3). One that is on already is not begun again.
  ///
  ///     app.startSession(.audio)
  ///     app.startSession("navigation")
  ///
  /// - Parameter expirationHandler: Called on the app's run loop shortly before the session's time
  ///   in the background is over, where the policy gives it a `length` or a budget, and a `warning`
  ///   (rule L4): once in each visit to the background and each term. Its return ends nothing.
  /// - Returns: What was decided; nil where the app does not run, or the session is on.
  /// - Precondition: The policy knows a session of this kind; the standard ones every policy knows.
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

  /// The app ends it. One that is not on is none to end.
  /// - Precondition: The policy knows a session of this kind.
  public func stopSession(_ kind: KindName) {
    core.tell(.stopSession(id, core.number(of: kind, .session)), by: id)
  }

  // MARK: Schedules and requests

  /// `setMinimumBackgroundFetchInterval(_:)`: how long the system waits between its own fetches at
  /// least; nil for never, which is what an app starts with.
  /// - Returns: What was decided; nil where nothing stands against it.
  @discardableResult
  public func setMinimumBackgroundFetchInterval(_ interval: Duration?) -> Decision? {
    setInterval(interval, of: .fetch)
  }

  /// `setKeepAliveTimeout(_:handler:)`, whose handler is the wake `voipKeepAlive`; nil for never.
  /// - Returns: What was decided; nil where nothing stands against it.
  @discardableResult
  public func setKeepAliveTimeout(_ timeout: Duration?) -> Decision? {
    setInterval(timeout, of: .voipKeepAlive)
  }

  /// How often the system is to wake the app by itself, for a kind that the policy has it start:
  /// at most, or exactly, as the kind's row says (rule W3); nil for never, which is what an app
  /// starts with.
  /// - Returns: What was decided; nil where nothing stands against it.
  /// - Precondition: The policy knows a wake of this kind; the interval is not negative.
  @discardableResult
  public func setInterval(_ interval: Duration?, of kind: KindName) -> Decision? {
    precondition(interval ?? .zero >= .zero, "An interval of \(interval ?? .zero) for \(kind)")
    return core.decide(
      .setInterval(id, core.number(of: kind, .wake), interval.map { Interval($0) }), about: id,
      by: id)
  }

  /// `BGTaskScheduler.submit(_:)`: asks to be run in the background later, as the wake `appRefresh`
  /// or `processing`, or of a kind of the policy's own that is requested (rule W5).
  ///
  /// - Parameters:
  ///   - identifier: One that the manifest permits; a pending request with the same is replaced.
  ///   - kind: `.appRefresh`, `.processing`, or another whose row says `start: request`.
  ///   - earliestBegin: From now on; a lower bound.
  ///   - requiresNetworkConnectivity: Whether it waits for a network; processing alone.
  ///   - requiresExternalPower: Whether it waits for a charger; processing alone.
  /// - Throws: Why the scheduler does not take it.
  public func submitTaskRequest(
    _ identifier: String, kind: KindName, earliestBegin: Duration = .zero,
    requiresNetworkConnectivity: Bool = false,
    requiresExternalPower: Bool = false
  ) throws(TaskRequestRefusal) {
    precondition(earliestBegin >= .zero, "A request of \(earliestBegin) ago")
    try core.submit(
      TaskSubmission(
        identifier: identifier, kind: kind, earliest: .after(Interval(earliestBegin)),
        requiresNetwork: requiresNetworkConnectivity,
        requiresPower: requiresExternalPower),
      of: id)
  }

  /// `BGTaskScheduler.cancel(taskRequestWithIdentifier:)`. An identifier of which nothing
  /// is pending is none to worry about.
  public func cancelTaskRequest(_ identifier: String) {
    core.tell(by: id) {
      .cancelTask(id, identifier: $0.texts.number(of: identifier))
    }
  }

  // MARK: Notifications

  /// Schedules a local notification; the same `id` replaces. Only the soonest are kept (rule N1).
  public func scheduleLocalNotification(_ id: String, after interval: Duration) {
    precondition(interval >= .zero, "A notification of \(interval) ago")
    let app = self.id
    core.tell(by: app) {
      .scheduleNotification(app, id: $0.texts.number(of: id), after: Interval(interval))
    }
  }

  /// Takes a local notification back.
  public func cancelLocalNotification(_ id: String) {
    let app = self.id
    core.tell(by: app) {
      .cancelNotification(app, id: $0.texts.number(of: id))
    }
  }

  // MARK: Facts

  /// A fact of the app that the policy declares holds from now on, or does not (rule B3: at once,
  /// for everything that is pending).
  /// - Precondition: The policy declares such a fact of apps.
  public func setFact(_ fact: String, _ holds: Bool) {
    core.tell(.setFact(id, core.number(ofFact: fact, ofApp: true), holds: holds))
  }

  // MARK: What it takes up

  /// The app takes up so many bytes from now on (rule M1).
  public func setFootprint(_ bytes: Int64) {
    precondition(bytes >= 0, "A footprint of \(bytes) bytes")
    core.tell(.setFootprint(id, bytes), by: id)
  }

  /// The app locks a file in a shared container; to hold one while it is suspended ends it (rule
  /// D3). Locks count.
  public func lockFile() { core.tell(.lockFile(id), by: id) }

  /// It unlocks one.
  public func unlockFile() { core.tell(.unlockFile(id), by: id) }

  /// The app uses `percent` of a processor core for so long, or until it says otherwise (rule D4).
  public func useCPU(percent: UInt32, for length: Duration) {
    precondition(length >= .zero, "A length of \(length)")
    core.tell(.useCPU(id, share: percent, for: Interval(length)), by: id)
  }
}

/// Why a request was not taken: `BGTaskScheduler.Error`.
public struct TaskRequestRefusal: Error, Hashable, CustomStringConvertible {
  /// The request's identifier.
  public let identifier: String
  /// What was asked for.
  public let kind: KindName
  /// Why not: what says so, where that is written, and what would have it taken.
  public let explanation: Explanation

  /// Why not, in the scheduler's word.
  public var error: TaskRequestError {
    if case .refusal(let error) = explanation.reason { error } else { .unavailable }
  }

  /// What would have it taken.
  public var remedy: String { explanation.remedy ?? "" }

  /// `processing 'clean' was refused: notPermitted because its manifest does not permit the identifier (…); Permit …`.
  public var description: String { "\(kind) '\(identifier)' was refused: \(explanation)" }
}
