internal import CurfewEngine

/// The open tasks of apps, indexed by the engine's place for each task, with their names and
/// handlers, which the engine does not know.
///
/// An app's tasks form a list in the order in which they were begun, so that they can be found when
/// the process ends.
///
/// Invariants: a task is stored at the engine's place for it. `previous` and `next` of neighbours
/// in a list match, and `count` counts all tasks. A running handler is listed once.
struct OpenTasks {
  struct Record {
    let identifier: BackgroundTaskIdentifier
    let name: String
    let began: Instant
    /// The place that began the task (rule F6).
    let origin: CallSite
    var handler: ExpirationClosure?
    /// Whether the handler is due or was due.
    fileprivate(set) var isHandlerDue = false
    /// The number of the task's expiration among the app's expirations; set from the delivery
    /// of the handler until the handler is called.
    fileprivate(set) var expiration: Int?
    /// Called when the task ends with its process, or with the device.
    let whenLost: (@Sendable () -> Void)?
    fileprivate var previous: UInt32
    fileprivate var next: UInt32 = .max

    var app: AppID { identifier.app }
    var task: BackgroundTask { identifier.task }
  }

  /// The remaining objects of a task that is over. To be released outside the lock, because
  /// the handler may hold the last reference to an object that it captured.
  struct Remains {
    let app: AppID
    let handler: ExpirationClosure?
    let whenLost: (@Sendable () -> Void)?
    let expiration: Int?
    let isHandlerDue: Bool
  }

  private var records: ContiguousArray<Record?> = []
  private(set) var count = 0
  /// Expiration handlers that are running or about to start, including handlers of dead processes.
  /// At most one per handler thread.
  private var running: ContiguousArray<BackgroundTaskIdentifier> = []

  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ identifier: BackgroundTaskIdentifier, _ request: TaskBegin, at now: Instant,
    _ last: inout UInt32
  ) {
    let task = identifier.task
    while records.count <= Int(task.slot) { records.append(nil) }
    records[Int(task.slot)] = Record(
      identifier: identifier, name: request.name, began: now, origin: request.origin,
      handler: request.handler,
      whenLost: request.whenLost, previous: last)
    if last != .max { records[Int(last)]?.next = task.slot }
    last = task.slot
    count += 1
  }

  /// The name and identifier of an app's open task.
  func names(of task: BackgroundTask, _ app: AppID) -> (
    name: String, identifier: BackgroundTaskIdentifier
  ) {
    place(of: task, app).flatMap { records[$0] }.map { ($0.name, $0.identifier) } ?? ("", .invalid)
  }

  /// Whether an app's task is open.
  func isOpen(_ task: BackgroundTask, _ app: AppID) -> Bool { place(of: task, app) != nil }

  /// Marks a task's handler as due.
  /// - Returns: Whether the task has a handler.
  mutating func makeHandlerDue(_ task: BackgroundTask, _ app: AppID) -> Bool {
    guard hasHandler(task, app) else { return false }
    records[Int(task.slot)]?.isHandlerDue = true
    return true
  }

  /// Takes a task's handler, which is called only once. `expiration` is the number of the task's
  /// expiration among the app's expirations.
  mutating func takeHandler(_ task: BackgroundTask, _ app: AppID, for expiration: Int)
    -> ExpirationClosure?
  {
    guard let place = place(of: task, app), let handler = records[place]?.handler else {
      return nil
    }
    records[place]?.handler = nil
    records[place]?.expiration = expiration
    return handler
  }

  /// Notes that a task's handler is about to be called.
  /// - Returns: The number of the task's expiration; nil if the task is not open, so that its
  ///   handler is no longer called (rule F5).
  mutating func callHandler(_ identifier: BackgroundTaskIdentifier) -> Int? {
    guard let place = place(of: identifier.task, identifier.app),
      let number = records[place]?.expiration
    else { return nil }
    records[place]?.expiration = nil
    running.append(identifier)
    return number
  }

  /// Notes that a handler has returned.
  mutating func finishHandler(_ identifier: BackgroundTaskIdentifier) {
    guard let place = running.firstIndex(of: identifier) else {
      preconditionFailure("Task \(identifier)'s handler has not been called")
    }
    running.swapAt(place, running.count - 1)
    running.removeLast()
  }

  /// Whether this task's handler has been called and has not returned.
  func isRunning(_ identifier: BackgroundTaskIdentifier) -> Bool { running.contains(identifier) }

  /// Whether a task's handler has yet to be called.
  func hasHandler(_ task: BackgroundTask, _ app: AppID) -> Bool {
    place(of: task, app).map { records[$0]?.handler != nil || records[$0]?.expiration != nil }
      ?? false
  }

  /// - Returns: The remains of the task.
  mutating func remove(_ task: BackgroundTask, _ app: AppID, _ last: inout UInt32) -> Remains? {
    guard let place = place(of: task, app),
      let (previous, next) = records[place].map({ ($0.previous, $0.next) })
    else { return nil }
    if previous != .max { records[Int(previous)]?.next = next }
    if next != .max { records[Int(next)]?.previous = previous } else { last = previous }
    count -= 1
    return takeRemains(place)
  }

  private mutating func takeRemains(_ place: Int) -> Remains? {
    defer { records[place] = nil }
    return records[place].map {
      Remains(
        app: $0.app, handler: $0.handler, whenLost: $0.whenLost, expiration: $0.expiration,
        isHandlerDue: $0.isHandlerDue)
    }
  }

  /// The place of a task. Both place and number are compared, because places are reused,
  /// and numbers are unique only within one process of an app.
  private func place(of task: BackgroundTask, _ app: AppID) -> Int? {
    let place = Int(task.slot)
    guard place < records.count, let kept = records[place]?.identifier, kept.app == app,
      kept.task.process == task.process,
      kept.task.id == task.id
    else { return nil }
    return place
  }

  /// An app's open task with this number.
  /// - Complexity: O(the app's tasks).
  func task(_ number: TaskID, endingWith last: UInt32) -> BackgroundTask? {
    var slot = last
    while slot != .max, let record = records[Int(slot)] {
      if record.task.id == number { return record.task }
      slot = record.previous
    }
    return nil
  }

  /// An app's tasks, oldest first.
  /// - Complexity: O(the app's tasks).
  func tasks(endingWith last: UInt32) -> [Record] {
    var found: [Record] = []
    var slot = last
    while slot != .max, let record = records[Int(slot)] {
      found.append(record)
      slot = record.previous
    }
    return found.reversed()
  }

  /// Checks the list of an app's tasks.
  /// - Returns: The number of tasks.
  /// - Complexity: O(the app's tasks + running handlers).
  func checkInvariants(endingWith last: UInt32, of app: AppID) -> Int {
    precondition(Set(running).count == running.count, "a handler runs twice")
    var (slot, next, found) = (last, UInt32.max, 0)
    while slot != .max {
      guard let record = records[Int(slot)], record.app == app else {
        preconditionFailure("app \(app.rawValue) has lost a task")
      }
      precondition(
        record.task.slot == slot && record.next == next,
        "app \(app.rawValue)'s list of tasks is broken")
      (slot, next, found) = (record.previous, slot, found + 1)
    }
    return found
  }

  /// - Returns: The remains of all tasks, by place.
  mutating func removeAll() -> [Remains] {
    defer { (records, count) = ([], 0) }
    return records.indices.compactMap { takeRemains($0) }
  }
}

/// The arguments that a program passes when it begins a task.
struct TaskBegin {
  let name: String
  let origin: CallSite
  var handler: ExpirationClosure?
  var whenLost: (@Sendable () -> Void)?
}

extension OpenTask {
  init(_ record: OpenTasks.Record, app: String, _ now: Instant) {
    self.init(
      app: app, name: record.name, identifier: record.identifier, age: Duration(now - record.began),
      origin: record.origin)
  }
}
