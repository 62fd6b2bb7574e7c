public import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// An app on a device, running or not. It has the calls of `UIApplication` and the actions of the
/// user and the system.
///
/// An `App` is a handle: copies are the same app. It does not keep its device alive; once the
/// device is closed, calls have no effect. All calls may come from any thread. Calls that stand for
/// the app itself (tasks, sessions, requests, its footprint, a crash) have no effect if they come
/// from a handler whose process has ended meanwhile, or from a task that such a handler started.
/// Calls that stand for the user or the system always take effect.
public struct App: Sendable, Hashable {
  let core: DeviceCore
  let id: AppID

  /// Whether both are the same app.
  public static func == (a: App, b: App) -> Bool { a.core === b.core && a.id == b.id }

  /// Hashes the app's number.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  // The following properties take O(1); a property that returns a list takes O(its length).

  /// The name under which the app was registered.
  public var name: String { core.withState { $0.apps[id].name } }

  /// `applicationState`, with two more values, `suspended` and `notRunning`, which an app cannot
  /// observe about itself. On a closed device no app runs.
  public var applicationState: AppState {
    core.query { $0.isClosed ? .notRunning : $0.driver.engine.state(of: id) }
  }

  /// `backgroundTimeRemaining`, in seconds: the time until the grant of this visit ends. It is the
  /// largest finite number while the grant's clock does not run, as in the foreground.
  public var backgroundTimeRemaining: Double {
    let left = core.query { $0.isClosed ? nil : $0.driver.engine.backgroundTimeRemaining(of: id) }
    return left.map { Double($0.nanoseconds) / 1e9 } ?? .greatestFiniteMagnitude
  }

  /// `backgroundRefreshStatus` (rule B1).
  public var backgroundRefreshStatus: BackgroundRefreshStatus {
    core.withState { $0.driver.engine.backgroundRefreshStatus(of: id) }
  }

  /// The latest decision about the app.
  public var lastDecision: Decision? { core.query { $0.apps[id].lastDecision } }

  /// The tasks whose expiration handlers became due, oldest first. A task that ended before its
  /// handler was called is included. At least the last 1,000 are kept.
  public var expirations: [Expiration] { core.query { $0.apps[id].expirations.elements } }

  /// The ends of the app's processes, oldest first. At least the last 1,000 are kept.
  public var processEnds: [ProcessEnd] { core.query { $0.apps[id].ends.elements } }

  /// The app's open tasks, in the order in which they were begun.
  public var openTasks: [OpenTask] {
    core.query { state in
      state.openTasks(of: id)
    }
  }

  /// Whether the app is in a callback or handler that has not returned.
  package var owesReturn: Bool { core.query { $0.driver.engine.owesReturn(id) } }

  // MARK: The user

  /// The user opens the app: it is launched, or comes back.
  public func launch() { core.tell(.launch(id)) }

  /// The user leaves the app, which must be in the foreground.
  public func home() { core.tell(.home(id)) }

  /// A call or an alert arrives: the app, which is in the foreground, becomes inactive.
  public func interrupt() { core.tell(.interrupt(id)) }

  /// The user accepts the interruption: the app leaves the foreground.
  public func acceptInterruption() { core.tell(.acceptInterruption(id)) }

  /// The user ignores the interruption: the app stays in the foreground.
  public func ignoreInterruption() { core.tell(.ignoreInterruption(id)) }

  /// The user force quits the app in the app switcher (rule A7).
  public func forceQuit() { core.tell(.forceQuit(id)) }

  /// The user turns Background App Refresh on or off for the app.
  public func setBackgroundRefresh(_ status: BackgroundRefreshStatus) {
    core.tell(.setRefresh(id, status))
  }

  // MARK: The system

  /// Revokes the app's grant now: expiration handlers are called, and the tasks end after the time
  /// that the policy sets between warning and end (rule F11). The app must be in the background.
  public func expireTasks(_ reason: ExpirationReason = .policyRevoked) {
    core.tell(.expireTasks(id, reason))
  }

  /// Posts an event, and the app is notified. While the app is suspended, only the net change
  /// is kept (rule A11).
  public func post(_ name: String, value: String? = nil) { core.post(name, value, to: id) }

  /// The app's process has ended by itself, or from outside: it crashed or exited, a signal or the
  /// kernel killed it, it could not be started, or its host failed. `CrashReason(waitStatus:)` maps
  /// a status of `waitpid`. A suspended app ends only from outside (rule D2).
  /// - Precondition: A signal's number is from 1 to 126.
  public func crash(_ reason: CrashReason = .abnormalExit) { core.tell(.crash(id, reason), by: id) }
}

extension DeviceCore {
  func post(_ name: String, _ value: String?, to app: AppID?) {
    tell { state in
      .post(
        app,
        NotificationPost(
          name: state.texts.number(of: name), value: value.map { state.texts.number(of: $0) },
          manner: NotificationPost.Manner(ofPostNamed: name)))
    }
  }
}
