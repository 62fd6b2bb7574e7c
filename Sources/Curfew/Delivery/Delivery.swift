internal import CurfewEngine

/// A callback, handler or notification for an app.
enum Delivery {
  case callback(Callback)
  case expiration(ExpirationClosure, Expiration)
  case wake(AdmittedWake, identifier: String?)
  case wakeExpiration(@Sendable () -> Void, (app: AppID, wake: WakeID), due: Instant)
  case sessionExpiration(
    @Sendable () -> Void, (app: AppID, session: AssertionKind, start: Int), due: Instant)
  case event(AssertionKind)
  case notification(String, String?)
  case localNotification(String)
  /// Code from outside the app's callbacks, in real time.
  case turn(Turn)
  /// A call of the process's host. The engine does not know it.
  case host(HostCalls, HostCalls.Call)

  /// The task whose expiration handler this is.
  var handler: BackgroundTaskIdentifier? {
    if case .expiration(_, let expiration) = self { expiration.identifier } else { nil }
  }

  var hostCall: HostCalls.Call? { if case .host(_, let call) = self { call } else { nil } }

  /// Whether this is the end of a process, which is dead.
  var isEnd: Bool { if case .end? = hostCall { true } else { false } }

  /// The name for people.
  var name: String {
    switch self {
    case .callback(let callback): "\(callback)"
    case .expiration(_, let expiration): "the expiration handler of '\(expiration.task)'"
    case .wake: "the delivery of a wake"
    case .wakeExpiration: "the expiration handler of a wake"
    case .sessionExpiration: "the expiration handler of a session"
    case .event: "an event in the foreground"
    case .notification(let name, _): "the notification \(name)"
    case .localNotification: "a local notification"
    case .turn: "App.run"
    case .host: "a call of the process's host"
    }
  }

  /// Whether the engine waits until this delivery has returned.
  var owesReturn: Bool {
    switch self {
    case .callback, .expiration, .wake, .wakeExpiration, .sessionExpiration, .event: true
    case .notification, .localNotification, .turn, .host: false
    }
  }

  /// Whether this delivery only cancels a Swift task and calls no handler of the program.
  var onlyCancels: Bool {
    if case .expiration(let handler, _) = self { handler.onlyCancels } else { false }
  }
}

/// The expiration handler of a task.
enum ExpirationClosure: Sendable {
  /// A handler of the program, on the actor that it was written for; `told` receives
  /// the expiration.
  case plain(@Sendable @isolated(any) () throws -> Void)
  case told(@Sendable @isolated(any) (Expiration) throws -> Void)
  /// Cancels a Swift task and does nothing else, so it may run on the lane, where handlers
  /// never run.
  case cancelling(@Sendable () -> Void)

  var onlyCancels: Bool { if case .cancelling = self { true } else { false } }

  /// The actor that the handler is isolated to.
  var actor: (any Actor)? {
    switch self {
    case .plain(let body): body.isolation
    case .told(let body): body.isolation
    case .cancelling: nil
    }
  }

  /// Calls the handler. The caller is on the handler's actor.
  func callAsFunction(_ expiration: Expiration) throws {
    switch self {
    case .plain(let body): try IsolatedHandler(body).plain()
    case .told(let body): try IsolatedToldHandler(body).plain(expiration)
    case .cancelling(let cancel): cancel()
    }
  }
}
