public import CurfewEngine

/// A wake that was delivered to an app. The app runs in the background until the wake is completed,
/// or until the policy's time for the wake is over (rule W2).
public struct Wake: Sendable {
  /// The app.
  public let app: App
  /// The kind of the wake.
  public let kind: KindName
  /// The wake's number: an app's wakes are numbered from 1, in the order in which they are admitted
  /// (rule W6).
  public let id: WakeID
  /// The identifier of the request that led to the wake, `BGTask.identifier`; nil if the wake came
  /// from outside or was started by the system.
  public let identifier: String?
  let process: AppProcess

  /// `BGTask.expirationHandler`: called once on the app's run loop, when only the policy's
  /// `warning` is left of the wake's time, unless the wake has been completed by then (rule W6).
  /// The return of the handler does not end the wake. A handler that is set after the warning
  /// is called at once. With nil, nothing is called. The handler is kept until the wake is over.
  public var expirationHandler: (@Sendable () -> Void)? {
    get { app.core.withState { _ in process.wakes[id]?.handler } }
    nonmutating set {
      app.core.tell(by: app.id) { state in
        guard process.isAlive, let old = process.wakes[id] else { return nil }
        if let handler = old.handler { state.outgoing.handlers.append(handler) }
        process.wakes[id]?.handler = newValue
        guard (old.handler == nil) != (newValue == nil) else { return nil }
        return .setWakeHandler(app.id, id, newValue == nil ? .absent : .present)
      }
    }
  }

  /// The completion handler: the app is done with this wake. Other wakes of the same kind stay open
  /// (rule W1). May be called later, from any thread. A call after the wake overran or its process
  /// ended has no effect. A second call gives the diagnostic `alreadyCompleted`, and ends the
  /// process if the policy says so (rule W2): fetches and pushes under `ios7` and `ios13`.
  ///
  /// For a fetch, `result` affects when the app's next fetch is due (rule W3). For other kinds it
  /// has no meaning.
  /// - Returns: Whether the wake was still open.
  /// - Complexity: O(the app's wakes, sessions and tasks).
  @discardableResult
  public func complete(_ result: WakeResult = .newData) -> Bool {
    var isCompleted = false
    app.core.tell(by: app.id, call: "complete(_:)") { state in
      isCompleted = process.isAlive && process.wakes[id] != nil
      let isSecond =
        process.isAlive && !process.endedByCurfew.contains(id)
        && state.driver.engine.hasCompleted(id, app.id)
      return isCompleted || isSecond
        ? .completeWake(
          app.id, WakeChoice(id: id, kind: app.core.policy.policy.names.kind(kind)), result) : nil
    }
    return isCompleted
  }

  /// Completes the wake for its app, whose own completion then does not count as a second one.
  func endUnhandled() {
    app.core.withState { _ in _ = process.endedByCurfew.insert(id) }
    complete(.failed)
  }
}

extension App {
  /// An event from outside, such as a push or entry into a region, asks for a wake. An app in the
  /// foreground receives the event at once; any other app is woken if the policy admits the wake.
  /// - Returns: The decision; nil if the app is in the foreground, where no decision is needed.
  @discardableResult
  public func deliver(_ kind: KindName, fileID: StaticString = #fileID, line: UInt = #line)
    -> Decision?
  {
    let event = Event.deliver(id, core.number(of: kind, .wake))
    return core.tell { state in
      state.deliverer = CallSite(fileID, line)
      return event
    } answered: { state, answer in
      state.notedDecision(answer, id, call: #function)
    } ?? nil
  }
}
