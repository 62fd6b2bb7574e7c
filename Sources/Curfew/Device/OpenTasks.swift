internal import CurfewEngine

/// The tasks that apps hold, by the engine's place for each: their handlers, which the engine does not know, and their names.
///
/// An app's tasks hang together in the order in which they were begun, so that the end of a process finds them.
struct OpenTasks {
  struct Record {
    let app: AppID
    let task: BackgroundTask
    let name: String
    let began: Instant
    var handler: ExpirationClosure?
    fileprivate var previous: UInt32
    fileprivate var next: UInt32 = .max
  }

  private var records: ContiguousArray<Record?> = []
  private(set) var count = 0

  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ task: BackgroundTask, of app: AppID, named name: String, at now: Instant, _ handler: ExpirationClosure?, _ last: inout UInt32
  ) {
    while records.count <= Int(task.slot) { records.append(nil) }
    records[Int(task.slot)] = Record(app: app, task: task, name: name, began: now, handler: handler, previous: last)
    if last != .max { records[Int(last)]?.next = task.slot }
    last = task.slot
    count += 1
  }

  func name(of task: BackgroundTask) -> String {
    Int(task.slot) < records.count ? records[Int(task.slot)]?.name ?? "" : ""
  }

  /// Hands over a task's handler, which is called once.
  mutating func takeHandler(_ task: BackgroundTask) -> ExpirationClosure? {
    guard Int(task.slot) < records.count else { return nil }
    defer { records[Int(task.slot)]?.handler = nil }
    return records[Int(task.slot)]?.handler
  }

  /// - Returns: The handler, to be let go of outside the lock: it may hold the last of what it captured.
  mutating func remove(_ task: BackgroundTask, _ last: inout UInt32) -> ExpirationClosure? {
    guard Int(task.slot) < records.count, let record = records[Int(task.slot)], record.task.process == task.process,
      record.task.id == task.id
    else { return nil }
    if record.previous != .max { records[Int(record.previous)]?.next = record.next }
    if record.next != .max { records[Int(record.next)]?.previous = record.previous } else { last = record.previous }
    records[Int(task.slot)] = nil
    count -= 1
    return record.handler
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

  /// All of them, by place.
  var all: [Record] { records.compactMap(\.self) }
}
