internal import CurfewEngine

/// `UIBackgroundTaskIdentifier`: the result of `beginBackgroundTask` and the argument
/// of `endBackgroundTask`.
///
/// An identifier may be stored as its number: `BackgroundTaskIdentifier(rawValue: task.rawValue)`
/// is equal to `task` and ends the same task. Identifiers are unique on a device across all apps
/// and processes, so an identifier from an ended process does not end a task of the next process
/// (rule F9).
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number: the app's index on its device times 2⁴⁰ (2²⁰ if an `Int` has 32 bits), plus
  /// the count of the tasks that the app has begun in all its processes, including this task. 0 for
  /// `invalid`. The first task of the first app is 1.
  public let rawValue: Int
  /// The engine's task; an invalid task if the identifier was made from a number.
  let task: BackgroundTask

  private static let bitsOfCount = Int.bitWidth * 5 / 8

  /// The identifier with this number. If no task has this identifier, ending it only causes
  /// a diagnostic.
  public init(rawValue: Int) { (self.rawValue, task) = (rawValue, .invalid(label: 0)) }

  /// The identifier of `task`, which is the `count`th task that its app has begun.
  init(_ task: BackgroundTask, _ app: AppID, count: Int) {
    (rawValue, self.task) = (
      Int(app.rawValue) << BackgroundTaskIdentifier.bitsOfCount | count, task
    )
  }

  /// `UIBackgroundTaskInvalid`: no task was begun. Ending it has no effect.
  public static var invalid: BackgroundTaskIdentifier { BackgroundTaskIdentifier(rawValue: 0) }

  var app: AppID {
    AppID(rawValue: UInt32(truncatingIfNeeded: rawValue >> BackgroundTaskIdentifier.bitsOfCount))
  }

  /// The count of the tasks that the app had begun, including this task.
  var count: Int { rawValue & (1 << BackgroundTaskIdentifier.bitsOfCount - 1) }

  /// Whether the identifier was made from a number; the engine's task must then be looked up.
  var isBareNumber: Bool { task.id == .invalid }

  /// The number that traces use, counted from 1 in each process (rule F1); 0 if the identifier was
  /// made from a number.
  package var number: Int { Int(task.id.rawValue) }

  /// Whether both identify the same task of a device, or both are `invalid`.
  public static func == (a: BackgroundTaskIdentifier, b: BackgroundTaskIdentifier) -> Bool {
    a.rawValue == b.rawValue
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// Conversion between identifiers and the engine's tasks.
extension DeviceState {
  /// The cause of an end that names no task of the app's current process: the task belongs
  /// to another app or to a former process.
  func causeOfStrange(_ identifier: BackgroundTaskIdentifier, to app: AppID)
    -> DeviceDiagnostic.Cause
  {
    let other = identifier.app
    guard other != app, apps.contains(other) else { return .deadProcess }
    let before = apps[other].begunBefore
    let number =
      identifier.isBareNumber
      ? identifier.count - (identifier.count > before ? before : 0) : identifier.number
    return .taskOfAnotherApp(number, app: apps[other].name)
  }

  /// The task of the app's current process that has this identifier, open or not; nil if the task
  /// belongs to a former process or to another app.
  /// - Complexity: O(1); O(the app's open tasks) for an identifier that was made from a number.
  func task(_ identifier: BackgroundTaskIdentifier, of app: AppID) -> BackgroundTask? {
    guard let process = apps[app].processNumber else { return nil }
    if identifier.app != app, apps.contains(identifier.app) { return nil }
    guard identifier.isBareNumber else {
      return identifier.task.process == process ? identifier.task : nil
    }
    guard identifier.app == app else {
      return .ended(TaskID(rawValue: UInt32(truncatingIfNeeded: identifier.count)))
    }
    guard identifier.count > apps[app].begunBefore else { return nil }
    let number = TaskID(
      rawValue: UInt32(truncatingIfNeeded: identifier.count - apps[app].begunBefore))
    return tasks.task(number, endingWith: apps[app].lastTask) ?? .ended(number)
  }
}
