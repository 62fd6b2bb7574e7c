public import CurfewEngine

/// A wake that was delivered to an app: it runs in the background until it is completed, or for as
/// long as the policy lets it (rule W2).
public struct Wake: Sendable {
  /// The app.
  public let app: App
  /// What it was woken for.
  public let kind: KindName
  /// Its number: an app's wakes count from 1, in the order in which they are admitted (rule W6).
  public let id: WakeID
  /// The identifier of the request that it came from, `BGTask.identifier`; nil where the world
  /// or the system asked for it.
  public let identifier: String?
  let process: AppProcess

  /// `BGTask.expirationHandler`: called once, shortly before the end of the wake's time as
  /// the policy's `warning` says, on the app's run loop, unless the wake has been completed by then
  /// (rule W6). Its return ends nothing. Set when that has passed, it is called at once; nil calls
  /// nobody. Kept until the wake is over.
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

  /// The completion handler: the app is done with this wake, and with no other of its kind (rule
  /// W1). May be called later, from any thread; a second call, or one after the wake ran out or its
  /// process ended, does nothing.
  ///
  /// `result` moves the app's next fetch (rule W3), and means nothing for other kinds.
  /// - Returns: Whether it was still to be completed.
  /// - Complexity: O(the app's wakes, sessions and tasks).
  @discardableResult
  public func complete(_ result: WakeResult = .newData) -> Bool {
    var isCompleted = false
    app.core.tell(by: app.id) { _ in
      isCompleted = process.isAlive && process.wakes[id] != nil
      return isCompleted
        ? .completeWake(
          app.id, WakeChoice(id: id, kind: app.core.policy.policy.names.kind(kind)), result) : nil
    }
    return isCompleted
  }
}

extension App {
  /// The world asks for a wake: a push comes, a region is entered. An app in the foreground gets
  /// the event at once, another is woken if it may be.
  /// - Returns: What was decided; nil where the app is in the foreground, where nothing needs
  ///   to be.
  @discardableResult
  public func deliver(_ kind: KindName, fileID: StaticString = #fileID, line: UInt = #line)
    -> Decision?
  {
    let event = Event.deliver(id, core.number(of: kind, .wake))
    return core.tell(from: CallSite(fileID, line)) { _ in
      event
    } answered: { state, answer in
      state.notedDecision(answer, id, call: #function)
    } ?? nil
  }
}
