internal import CurfewEngine

/// The tasks that apps hold, by the engine's place for each: their handlers, which the engine does not know, and their names.
///
/// An app's tasks hang together in the order in which they were begun, so that the end of a process finds them.
struct OpenTasks {
  struct Record {
    let identifier: BackgroundTaskIdentifier
    let name: String
    let began: Instant
    /// Who began it (rule F6).
    let origin: CallSite
    var handler: ExpirationClosure?
    /// Whether the handler is due, or has been.
    fileprivate(set) var isHandlerDue = false
    /// The number of its expiration among its app's, from when the handler is on its way until it is called.
    fileprivate(set) var expiration: Int?
    /// Told when the task goes with its process, or with the device.
    let whenLost: (@Sendable () -> Void)?
    fileprivate var previous: UInt32
    fileprivate var next: UInt32 = .max

    var app: AppID { identifier.app }
    var task: BackgroundTask { identifier.task }
  }

  private var records: ContiguousArray<Record?> = []
  private(set) var count = 0

  /// - Complexity: O(1) amortised.
  mutating func insert(_ identifier: BackgroundTaskIdentifier, _ request: TaskBegin, at now: Instant, _ last: inout UInt32) {
    let task = identifier.task
    while records.count <= Int(task.slot) { records.append(nil) }
    records[Int(task.slot)] = Record(
      identifier: identifier, name: request.name, began: now, origin: request.origin, handler: request.handler,
      whenLost: request.whenLost, previous: last)
    if last != .max { records[Int(last)]?.next = task.slot }
    last = task.slot
    count += 1
  }

  /// What an app's open task is called, and its identifier.
  func names(of task: BackgroundTask, _ app: AppID) -> (name: String, identifier: BackgroundTaskIdentifier) {
    record(of: task, app).map { ($0.name, $0.identifier) } ?? ("", .invalid)
  }

  /// Whether an app's task is open.
  func isOpen(_ task: BackgroundTask, _ app: AppID) -> Bool { record(of: task, app) != nil }

  /// A task's handler is due.
  /// - Returns: Whether it has one.
  mutating func makeHandlerDue(_ task: BackgroundTask, _ app: AppID) -> Bool {
    guard hasHandler(task, app) else { return false }
    records[Int(task.slot)]?.isHandlerDue = true
    return true
  }

  /// Hands over a task's handler, which is called once; its expiration is the app's with this number.
  mutating func takeHandler(_ task: BackgroundTask, _ app: AppID, for expiration: Int) -> ExpirationClosure? {
    guard let handler = record(of: task, app)?.handler else { return nil }
    records[Int(task.slot)]?.handler = nil
    records[Int(task.slot)]?.expiration = expiration
    return handler
  }

  /// A task's handler is about to be called.
  /// - Returns: The number of its expiration; nil where the task is not open: then it is not called any more (rule F5).
  mutating func callHandler(_ task: BackgroundTask, _ app: AppID) -> Int? {
    defer { if isOpen(task, app) { records[Int(task.slot)]?.expiration = nil } }
    return record(of: task, app)?.expiration
  }

  /// Whether a task's handler is still to be called.
  func hasHandler(_ task: BackgroundTask, _ app: AppID) -> Bool {
    record(of: task, app).map { $0.handler != nil || $0.expiration != nil } ?? false
  }

  /// - Returns: What it was, to be let go of outside the lock: its handler may hold the last of what it captured.
  mutating func remove(_ task: BackgroundTask, _ app: AppID, _ last: inout UInt32) -> Record? {
    guard let record = record(of: task, app) else { return nil }
    if record.previous != .max { records[Int(record.previous)]?.next = record.next }
    if record.next != .max { records[Int(record.next)]?.previous = record.previous } else { last = record.previous }
    records[Int(task.slot)] = nil
    count -= 1
    return record
  }

  /// Places are used again, and numbers count in each app's own process.
  private func record(of task: BackgroundTask, _ app: AppID) -> Record? {
    guard task.slot < records.count, let record = records[Int(task.slot)], record.app == app, record.task.process == task.process,
      record.task.id == task.id
    else { return nil }
    return record
  }

  /// An app's open task of this number.
  /// - Complexity: O(the app's tasks).
  func task(_ number: TaskID, endingWith last: UInt32) -> BackgroundTask? {
    var slot = last
    while slot != .max, let record = records[Int(slot)] {
      if record.task.id == number { return record.task }
      slot = record.previous
    }
    return nil
  }

  /// An app's tasks, the oldest first.
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

  /// Hands over all of them, by place.
  mutating func removeAll() -> [Record] {
    defer { (records, count) = ([], 0) }
    return records.compactMap(\.self)
  }
}

/// What a program asks for when it begins a task.
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
