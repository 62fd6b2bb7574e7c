/// Objects and handlers of the program that must be released, or called once more, outside
/// the lock, because their deinitializers may call the device.
struct Outgoing {
  /// The handler of a task that has ended; usually the only content.
  private var firstHandler: ExpirationClosure?
  /// Whether one of the properties below has been changed. Each end of a task checks this, and
  /// nearly always none has.
  private var isUsed = false
  private var tasks: [OpenTasks.Remains] = [] { didSet { isUsed = true } }
  var deliveries: [Delivery] = [] { didSet { isUsed = true } }
  /// Delegates, observers, processes and other objects.
  var objects: [AnyObject] = [] { didSet { isUsed = true } }
  /// Handlers of sessions and wakes that are over.
  var handlers: [@Sendable () -> Void] = [] { didSet { isUsed = true } }
  /// Entries of dead processes in the pool of handler threads.
  var occupants: [HandlerThreads.Occupant] = [] { didSet { isUsed = true } }
  /// In real time: processes whose hosts are called with their ends although a callback runs.
  var ends: [AppProcess] = [] { didSet { isUsed = true } }
  /// Calls to be made at once, such as those that end a sleep, or notify a process's tasks
  /// of its end.
  var notices: [@Sendable () -> Void] = [] { didSet { isUsed = true } }
  /// The journal whose readers are to be notified. If another thread is doing so, a device on
  /// a virtual clock that is recorded waits for it.
  var journal: (journal: ActionJournal, mustTell: Bool, isRecording: Bool)? {
    didSet { isUsed = true }
  }

  @inline(__always)
  var isEmpty: Bool { firstHandler == nil && hasNoMore }

  @inline(__always)
  private var hasNoMore: Bool { !isUsed || isUnfilled }

  private var isUnfilled: Bool {
    tasks.isEmpty && deliveries.isEmpty && objects.isEmpty && handlers.isEmpty && occupants.isEmpty
      && ends.isEmpty && notices.isEmpty && journal == nil
  }

  /// Adds the remaining objects of a task that is over.
  mutating func add(_ task: consuming OpenTasks.Remains) {
    if firstHandler == nil, task.whenLost == nil {
      swap(&firstHandler, &task.handler)
    } else {
      tasks.append(task)
    }
  }

  /// Takes the handler, if it is the only content.
  mutating func takeOnlyHandler() -> ExpirationClosure? { hasNoMore ? firstHandler.take() : nil }

  mutating func takeAll() -> Outgoing {
    defer { self = Outgoing() }
    return self
  }

  /// Notifies the readers and makes the calls: on the device's lane, or on this thread if there
  /// is no lane.
  mutating func tell(on lane: DeviceLane?) {
    let notices = notices
    if let (journal, mustTell, isRecording) = journal {
      if mustTell {
        journal.tell(on: lane, isRecording: isRecording)
      } else {
        journal.waitUntilTold()
      }
    }
    (journal, self.notices) = (nil, [])
    guard !notices.isEmpty else { return }
    if let lane {
      for notice in notices { lane.cancel(notice) }
    } else {
      for notice in notices { notice() }
    }
  }
}

/// Carries outgoing objects to the thread that releases them.
final class OutgoingParcel: @unchecked Sendable {
  private var outgoing: Outgoing?

  init(_ outgoing: consuming Outgoing) { self.outgoing = outgoing }

  func open() { outgoing = nil }
}
