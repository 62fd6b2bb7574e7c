internal import CurfewEngine

/// One life of an app, from launch to end, and what waits to be delivered to it. Everything but the constants is under the device's lock.
final class AppProcess: @unchecked Sendable {
  /// The process whose handler is running; work that a handler starts with `Task { }` inherits it. A dead process's calls change nothing.
  @TaskLocal static var current: AppProcess?

  let core: DeviceCore
  let app: AppID
  let delegate: (any AppDelegate)?
  /// False from its end on.
  var isAlive = true
  /// Whether it is with the executor, which takes one delivery after the other.
  var isScheduled = false
  private var inbox: [Delivery] = []
  private var first = 0

  init(core: DeviceCore, app: AppID, delegate: (any AppDelegate)?) {
    (self.core, self.app, self.delegate) = (core, app, delegate)
  }

  func post(_ delivery: Delivery) { inbox.append(delivery) }

  func next() -> Delivery? {
    guard isAlive, first < inbox.count else {
      if isAlive { inbox.removeAll(keepingCapacity: true) }
      first = 0
      return nil
    }
    defer { first += 1 }
    return inbox[first]
  }

  /// What is not delivered any more, to be let go of outside the lock.
  func empty() -> [Delivery] {
    defer { inbox = [] }
    return inbox
  }

  /// Calls what the app has for this, on the calling thread.
  func perform(_ delivery: Delivery) throws {
    let app = App(core: core, id: app)
    try AppProcess.$current.withValue(self) {
      switch delivery {
      case .callback(let callback): try perform(callback, app)
      case .expiration(let handler, let expiration): try handler(expiration)
      case .wake(let kind):
        let wake = Wake(app: app, kind: kind)
        if let delegate { try delegate.application(app, didReceive: wake) } else { wake.complete(.noData) }
      case .event(let kind): try delegate?.application(app, didReceiveInForeground: kind)
      case .notification(let name, let value): try delegate?.application(app, didReceive: name, value: value)
      case .localNotification(let id): try delegate?.application(app, didReceiveLocalNotification: id)
      }
    }
  }

  private func perform(_ callback: Callback, _ app: App) throws {
    switch callback {
    case .willFinishLaunching: try delegate?.applicationWillFinishLaunching(app)
    case .didFinishLaunching: try delegate?.applicationDidFinishLaunching(app)
    case .didBecomeActive: try delegate?.applicationDidBecomeActive(app)
    case .willResignActive: try delegate?.applicationWillResignActive(app)
    case .didEnterBackground: try delegate?.applicationDidEnterBackground(app)
    case .willEnterForeground: try delegate?.applicationWillEnterForeground(app)
    case .willTerminate: try delegate?.applicationWillTerminate(app)
    case .didReceiveMemoryWarning: try delegate?.applicationDidReceiveMemoryWarning(app)
    }
  }
}

/// Something to call an app with.
enum Delivery {
  case callback(Callback)
  case expiration(ExpirationClosure, Expiration)
  case wake(AssertionKind)
  case event(AssertionKind)
  case notification(String, String?)
  case localNotification(String)

  /// Whether the engine waits for its return.
  var owesReturn: Bool {
    switch self {
    case .callback, .expiration, .wake, .event: true
    case .notification, .localNotification: false
    }
  }
}

/// What a task's handler does.
typealias ExpirationClosure = @Sendable (Expiration) throws -> Void
