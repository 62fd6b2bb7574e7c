public import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// An app on a device, whether it runs or not: `UIApplication`, seen from inside and from outside.
///
/// A handle: copies are the same app. It does not keep its device alive; once that is closed,
/// nothing begins and nothing happens any more. All calls may come from any thread. What an app
/// does itself (tasks, sessions, requests, its footprint, a crash) does nothing when it comes from
/// a handler whose process has ended meanwhile, or from a task that this started: dead processes do
/// nothing. What the user and the system do to it is done.
public struct App: Sendable, Hashable {
  let core: DeviceCore
  let id: AppID

  /// Whether it is the same app.
  public static func == (a: App, b: App) -> Bool { a.core === b.core && a.id == b.id }

  /// Feeds its place.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  // What follows is O(1), but for lists, which are O(their length).

  /// The name that it was registered under.
  public var name: String { core.withState { $0.apps[id].name } }

  /// `applicationState`, and `suspended` and `notRunning`, which no app can read of itself. On
  /// a closed device nothing runs.
  public var applicationState: AppState {
    core.query { $0.isClosed ? .notRunning : $0.driver.engine.state(of: id) }
  }

  /// `backgroundTimeRemaining` in seconds: how long until the grant of this visit ends; the largest
  /// finite number while its clock does not run, as in the foreground.
  public var backgroundTimeRemaining: Double {
    let left = core.query { $0.isClosed ? nil : $0.driver.engine.backgroundTimeRemaining(of: id) }
    return left.map { Double($0.nanoseconds) / 1e9 } ?? .greatestFiniteMagnitude
  }

  /// `backgroundRefreshStatus` (rule B1).
  public var backgroundRefreshStatus: BackgroundRefreshStatus {
    core.withState { $0.driver.engine.backgroundRefreshStatus(of: id) }
  }

  /// What was decided last about it.
  public var lastDecision: Decision? { core.query { $0.apps[id].lastDecision } }

  /// Its tasks whose handlers were to be called, the first first, with those that were ended before
  /// their turn; of very many the last thousand and some.
  public var expirations: [Expiration] { core.query { $0.apps[id].expirations.elements } }

  /// How its processes have ended, the first first; of very many the last thousand and some.
  public var processEnds: [ProcessEnd] { core.query { $0.apps[id].ends.elements } }

  /// The tasks that it holds open, in the order in which they were begun.
  public var openTasks: [OpenTask] {
    core.query { state in
      let record = state.apps[id]
      return state.tasks.tasks(endingWith: record.lastTask).map {
        OpenTask($0, app: record.name, state.now)
      }
    }
  }

  // MARK: The user

  /// The user opens the app: it is launched, or comes back.
  public func launch() { core.tell(.launch(id)) }

  /// The user leaves it. It has to be in front.
  public func home() { core.tell(.home(id)) }

  /// A call, an alert: the app in front becomes inactive.
  public func interrupt() { core.tell(.interrupt(id)) }

  /// The user follows the interruption: the app leaves.
  public func acceptInterruption() { core.tell(.acceptInterruption(id)) }

  /// The user stays.
  public func ignoreInterruption() { core.tell(.ignoreInterruption(id)) }

  /// The user kills it in the app switcher (rule A7).
  public func forceQuit() { core.tell(.forceQuit(id)) }

  /// The user turns its Background App Refresh on or off.
  public func setBackgroundRefresh(_ status: BackgroundRefreshStatus) {
    core.tell(.setRefresh(id, status))
  }

  // MARK: The system

  /// Its grant is taken back now: handlers are called, and the tasks end with what the warning
  /// leaves (rule F11). It has to be in the background.
  public func expireTasks(_ reason: ExpirationReason = .policyRevoked) {
    core.tell(.expireTasks(id, reason))
  }

  /// Something happens that it is notified of; while it is suspended the net change is kept
  /// (rule A11).
  public func post(_ name: String, value: String? = nil) { core.post(name, value, to: id) }

  /// Its process ends by its own doing.
  public func crash(_ reason: CrashReason = .abnormalExit) { core.tell(.crash(id, reason), by: id) }
}

extension DeviceCore {
  func post(_ name: String, _ value: String?, to app: AppID?) {
    tell { state in
      .post(
        app,
        Post(
          name: state.texts.number(of: name), value: value.map { state.texts.number(of: $0) },
          manner: Post.Manner(ofPostNamed: name)))
    }
  }
}
