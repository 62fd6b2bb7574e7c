internal import CurfewEngine

/// `UIBackgroundTaskIdentifier`: what `beginBackgroundTask` answers and `endBackgroundTask` takes.
///
/// It also knows the process that it belongs to, so one that outlived its process ends nothing in the next (rule F9).
public struct BackgroundTaskIdentifier: Hashable, Sendable {
  let task: BackgroundTask

  init(_ task: BackgroundTask) { self.task = task }

  /// `UIBackgroundTaskInvalid`: no task was begun. Ending it does nothing.
  public static let invalid = BackgroundTaskIdentifier(.invalid(label: 0))

  /// The number, counted from 1 in each process; 0 for `invalid`.
  public var rawValue: Int { Int(task.id.rawValue) }

  /// Whether it stands for the same task, or for none.
  public static func == (a: BackgroundTaskIdentifier, b: BackgroundTaskIdentifier) -> Bool {
    a.rawValue == b.rawValue && (a.rawValue == 0 || (a.task.slot == b.task.slot && a.task.process == b.task.process))
  }

  /// Feeds the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
