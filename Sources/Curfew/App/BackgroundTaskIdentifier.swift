internal import CurfewEngine

/// `UIBackgroundTaskIdentifier`: what `beginBackgroundTask` answers and `endBackgroundTask` takes.
///
/// It also knows the app and the process that it belongs to, so one that outlived its process ends nothing in the next (rule F9).
public struct BackgroundTaskIdentifier: Hashable, Sendable {
  let task: BackgroundTask
  let app: AppID

  init(_ task: BackgroundTask, _ app: AppID) { (self.task, self.app) = (task, app) }

  /// `UIBackgroundTaskInvalid`: no task was begun. Ending it does nothing.
  public static let invalid = BackgroundTaskIdentifier(.invalid(label: 0), AppID(rawValue: 0))

  /// The number, counted from 1 in each process; 0 for `invalid`.
  public var rawValue: Int { Int(task.id.rawValue) }

  /// Whether both stand for the same task of a device, or for none.
  public static func == (a: BackgroundTaskIdentifier, b: BackgroundTaskIdentifier) -> Bool {
    a.rawValue == b.rawValue && (a.rawValue == 0 || (a.app == b.app && a.task.process == b.task.process))
  }

  /// Feeds the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
