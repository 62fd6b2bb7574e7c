internal import CurfewEngine

/// `UIBackgroundTaskIdentifier`: what `beginBackgroundTask` answers and `endBackgroundTask` takes.
///
/// It is its number, and may be kept as one: `BackgroundTaskIdentifier(rawValue: task.rawValue)`
/// is equal to `task` and ends the same. No two tasks of a device have the same, whatever their
/// apps and processes, so one that outlived its process ends nothing in the next (rule F9).
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number: the app's place on its device times 2⁴⁰ (2²⁰ where an `Int` has 32 bits), and the
  /// tasks that it has begun, counted from 1 through all its processes; 0 for `invalid`. The first
  /// app's first task is 1.
  public let rawValue: Int
  /// What the engine calls it; a task that is not open where it was made of a number.
  let task: BackgroundTask

  private static let bitsOfCount = Int.bitWidth * 5 / 8

  /// The identifier with this number. One that no task has ends nothing, which is a diagnostic.
  public init(rawValue: Int) { (self.rawValue, task) = (rawValue, .invalid(label: 0)) }

  /// That of a task, the so-manyth that its app has begun.
  init(_ task: BackgroundTask, _ app: AppID, count: Int) {
    (rawValue, self.task) = (
      Int(app.rawValue) << BackgroundTaskIdentifier.bitsOfCount | count, task
    )
  }

  /// `UIBackgroundTaskInvalid`: no task was begun. Ending it does nothing.
  public static let invalid = BackgroundTaskIdentifier(rawValue: 0)

  var app: AppID {
    AppID(rawValue: UInt32(truncatingIfNeeded: rawValue >> BackgroundTaskIdentifier.bitsOfCount))
  }

  /// How many tasks its app had begun with it.
  var count: Int { rawValue & (1 << BackgroundTaskIdentifier.bitsOfCount - 1) }

  /// Whether it was made of a number, and the engine's task has to be looked up.
  var isBareNumber: Bool { task.id == .invalid }

  /// The number that traces have for it, counted from 1 in each process (rule F1); 0 where it was
  /// made of a number.
  package var number: Int { Int(task.id.rawValue) }

  /// Whether both stand for the same task of a device, or for none.
  public static func == (a: BackgroundTaskIdentifier, b: BackgroundTaskIdentifier) -> Bool {
    a.rawValue == b.rawValue
  }

  /// Feeds the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// Which task an identifier stands for.
extension DeviceState {
  /// The identifier of a task that its app has just begun.
  /// - Complexity: O(1).
  mutating func identifyBegun(_ task: BackgroundTask, of app: AppID) -> BackgroundTaskIdentifier {
    BackgroundTaskIdentifier(task, app, count: apps[app].countTask(ofProcess: task.process))
  }

  /// The task of an app's present process that is meant, open or not; nil for one of a
  /// former process.
  /// - Complexity: O(1); O(the app's open tasks) for an identifier that was made of a number.
  func task(_ identifier: BackgroundTaskIdentifier, of app: AppID) -> BackgroundTask? {
    guard let process = apps[app].processNumber else { return nil }
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
