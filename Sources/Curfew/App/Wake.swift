public import CurfewEngine

/// A wake that was delivered to an app: it runs in the background until it is completed, or for as long as the policy lets it (rule W2).
public struct Wake: Sendable {
  /// The app.
  public let app: App
  /// What it was woken for.
  public let kind: AssertionKind

  /// The completion handler: the app is done. May be called later, from any thread; a second call, or one after the wake ran out, does nothing.
  ///
  /// `result` moves the app's next fetch (rule W3), and means nothing for other kinds.
  public func complete(_ result: WakeResult = .newData) { app.completeWake(kind, result) }
}

extension App {
  func completeWake(_ kind: AssertionKind, _ result: WakeResult) {
    core.tell(.completeWake(id, kind, result), by: id)
  }

  /// The world asks for a wake: a push comes, a region is entered. An app in the foreground gets the event at once, another is woken if it may be.
  /// - Returns: What was decided; nil where the app is in the foreground, where nothing needs to be.
  @discardableResult
  public func deliver(_ kind: AssertionKind) -> Decision? {
    precondition(kind.class == .wake, "\(kind) is no kind of wake")
    return core.tell(.deliver(id, kind)) { $0.decision() } ?? nil
  }
}
