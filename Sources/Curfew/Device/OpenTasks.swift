internal import CurfewEngine

/// The open tasks of apps, indexed by the engine's place for each task, with their names and
/// handlers, which the engine does not know.
///
/// An app's tasks form a list in the order in which they were begun, so that they can be found when
/// the process ends.
///
/// Invariants: a task is stored at the engine's place for it. `previous` and `next` of neighbours
/// in a list match, and `count` counts all tasks. A free place has no handler and no `whenLost`.
/// A running handler is listed once.
struct OpenTasks {
  /// The numbers of a task. They are apart from its objects because nearly every access needs only
  /// these, and copying them retains nothing.
  private struct Entry {
    /// Invalid at a free place.
    var identifier: BackgroundTaskIdentifier
    var began: Instant
    /// The number of the task's expiration among the app's expirations; set from the delivery
    /// of the handler until the handler is called.
    var expiration: Int?
    var previous: UInt32
    var next: UInt32
    /// Whether the handler is due or was due.
    var isHandlerDue: Bool

    static let free = Entry(
      identifier: .invalid, began: .zero, expiration: nil, previous: .max, next: .max,
      isHandlerDue: false)

    func isOpen(_ task: BackgroundTask, _ app: AppID) -> Bool {
      identifier.rawValue != 0 && identifier.app == app
        && identifier.task.process == task.process && identifier.task.id == task.id
    }
  }

  /// A task for a report.
  struct Record {
    let identifier: BackgroundTaskIdentifier
    let name: String
    let began: Instant
    let origin: CallSite

    var app: AppID { identifier.app }
    var task: BackgroundTask { identifier.task }
  }

  /// The remaining objects of a task that is over. To be released outside the lock, because
  /// the handler may hold the last reference to an object that it captured.
  struct Remains {
    let app: AppID
    var handler: ExpirationClosure?
    let whenLost: (@Sendable () -> Void)?
    let expiration: Int?
    let isHandlerDue: Bool
  }

  private var entries: ContiguousArray<Entry> = []
  /// The objects of the tasks. When a task ends, only the handlers are taken out; the rest is
  /// replaced by the next task at the place.
  private var belongings: ContiguousArray<TaskBegin> = []
  private(set) var count = 0
  /// Expiration handlers that are running or about to start, including handlers of dead processes.
  /// At most one per handler thread.
  private var running: ContiguousArray<BackgroundTaskIdentifier> = []

  /// Adds a task that its app has just begun, and takes its objects out of `request`.
  /// - Returns: The task's identifier.
  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ task: BackgroundTask, of app: AppID, _ request: inout TaskBegin, at now: Instant,
    _ record: inout AppRecord
  ) -> BackgroundTaskIdentifier {
    let identifier = BackgroundTaskIdentifier(
      task, app, count: record.countTask(ofProcess: task.process))
    let (place, last) = (Int(task.slot), record.lastTask)
    while entries.count <= place {
      entries.append(.free)
      belongings.append(TaskBegin(name: "", origin: .unknown))
    }
    entries[place] = Entry(
      identifier: identifier, began: now, expiration: nil, previous: last, next: .max,
      isHandlerDue: false)
    // Moved, not copied: a copy of a handler costs as much as the engine's part of a begin.
    swap(&belongings[place], &request)
    if last != .max { entries[Int(last)].next = task.slot }
    record.lastTask = task.slot
    count += 1
    return identifier
  }

  /// The name and identifier of an app's open task.
  func names(of task: BackgroundTask, _ app: AppID) -> (
    name: String, identifier: BackgroundTaskIdentifier
  ) {
    place(of: task, app).map { (belongings[$0].name, entries[$0].identifier) } ?? ("", .invalid)
  }

  /// Whether an app's task is open.
  func isOpen(_ task: BackgroundTask, _ app: AppID) -> Bool { place(of: task, app) != nil }

  /// Marks a task's handler as due.
  /// - Returns: Whether the task has a handler.
  mutating func makeHandlerDue(_ task: BackgroundTask, _ app: AppID) -> Bool {
    guard hasHandler(task, app) else { return false }
    entries[Int(task.slot)].isHandlerDue = true
    return true
  }

  /// Takes a task's handler, which is called only once. `expiration` is the number of the task's
  /// expiration among the app's expirations.
  mutating func takeHandler(_ task: BackgroundTask, _ app: AppID, for expiration: Int)
    -> ExpirationClosure?
  {
    guard let place = place(of: task, app), let handler = belongings[place].handler.take() else {
      return nil
    }
    entries[place].expiration = expiration
    return handler
  }

  /// Notes that a task's handler is about to be called.
  /// - Returns: The number of the task's expiration; nil if the task is not open, so that its
  ///   handler is no longer called (rule F5).
  mutating func callHandler(_ identifier: BackgroundTaskIdentifier) -> Int? {
    guard let place = place(of: identifier.task, identifier.app),
      let number = entries[place].expiration.take()
    else { return nil }
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
    place(of: task, app).map { belongings[$0].handler != nil || entries[$0].expiration != nil }
      ?? false
  }

  /// - Returns: The remains of the task.
  mutating func remove(_ task: BackgroundTask, _ app: AppID, _ last: inout UInt32) -> Remains? {
    guard let place = place(of: task, app) else { return nil }
    let (previous, next) = (entries[place].previous, entries[place].next)
    if previous != .max { entries[Int(previous)].next = next }
    if next != .max { entries[Int(next)].previous = previous } else { last = previous }
    count -= 1
    return takeRemains(place)
  }

  private mutating func takeRemains(_ place: Int) -> Remains {
    let entry = entries[place]
    entries[place].identifier = .invalid
    return Remains(
      app: entry.identifier.app, handler: belongings[place].handler.take(),
      whenLost: belongings[place].whenLost.take(), expiration: entry.expiration,
      isHandlerDue: entry.isHandlerDue)
  }

  /// The place of a task. Both place and number are compared, because places are reused,
  /// and numbers are unique only within one process of an app.
  private func place(of task: BackgroundTask, _ app: AppID) -> Int? {
    let place = Int(task.slot)
    return place < entries.count && entries[place].isOpen(task, app) ? place : nil
  }

  /// An app's open task with this number.
  /// - Complexity: O(the app's tasks).
  func task(_ number: TaskID, endingWith last: UInt32) -> BackgroundTask? {
    var slot = last
    while slot != .max {
      let entry = entries[Int(slot)]
      if entry.identifier.task.id == number { return entry.identifier.task }
      slot = entry.previous
    }
    return nil
  }

  /// An app's tasks, oldest first.
  /// - Complexity: O(the app's tasks).
  func tasks(endingWith last: UInt32) -> [Record] {
    var found: [Record] = []
    var slot = last
    while slot != .max {
      let (entry, own) = (entries[Int(slot)], belongings[Int(slot)])
      found.append(
        Record(
          identifier: entry.identifier, name: own.name, began: entry.began, origin: own.origin))
      slot = entry.previous
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
      let entry = entries[Int(slot)]
      precondition(
        entry.identifier.rawValue != 0 && entry.identifier.app == app,
        "app \(app.rawValue) has lost a task")
      precondition(
        entry.identifier.task.slot == slot && entry.next == next,
        "app \(app.rawValue)'s list of tasks is broken")
      (slot, next, found) = (entry.previous, slot, found + 1)
    }
    return found
  }

  /// Looks for a contradiction among all places, for tests: the places that were ever used may be
  /// many more than the open tasks.
  /// - Returns: The first contradiction; nil if there is none.
  /// - Complexity: O(places that were ever used).
  func contradiction() -> String? {
    var open: Set<BackgroundTaskIdentifier> = []
    for (place, (entry, own)) in zip(entries, belongings).enumerated() {
      if entry.identifier == .invalid {
        guard own.handler == nil, own.whenLost == nil else {
          return "free place \(place) holds a closure"
        }
      } else if entry.identifier.task.slot != place {
        return "place \(place) has a task of place \(entry.identifier.task.slot)"
      } else if !open.insert(entry.identifier).inserted {
        return "the task of place \(place) has another place too"
      }
    }
    return open.count == count ? nil : "\(open.count) places have a task, \(count) tasks are open"
  }

  /// - Returns: The remains of all tasks, by place.
  mutating func removeAll() -> [Remains] {
    defer { (entries, belongings, count) = ([], [], 0) }
    return entries.indices.filter { entries[$0].identifier.rawValue != 0 }.map { takeRemains($0) }
  }
}

/// The arguments that a program passes when it begins a task.
struct TaskBegin {
  let name: String
  /// The place that began the task (rule F6).
  let origin: CallSite
  var handler: ExpirationClosure?
  /// Called when the task ends with its process, or with the device.
  var whenLost: (@Sendable () -> Void)?
}

extension OpenTask {
  init(_ record: OpenTasks.Record, app: String, _ now: Instant) {
    self.init(
      app: app, name: record.name, identifier: record.identifier, age: Duration(now - record.began),
      origin: record.origin)
  }
}
