/// Objects and handlers of the program's that are to be released, or called once more, outside
/// the lock: their deinitializers may call the device.
struct Outgoing {
  /// The handler of a task that has ended; usually the only content.
  private var firstHandler: ExpirationClosure?
  private var tasks: [OpenTasks.Remains] = []
  var deliveries: [Delivery] = []
  /// Delegates, observers, processes and the like.
  var objects: [AnyObject] = []
  /// Handlers of sessions and wakes that are over.
  var handlers: [@Sendable () -> Void] = []
  /// The holds of dead processes on the threads for handlers.
  var occupants: [HandlerThreads.Occupant] = []
  /// Calls to be made at once, such as the end of a process for its tasks, or the end of a sleep.
  var notices: [@Sendable () -> Void] = []
  /// The journal whose readers are to be notified, if no other thread is doing so.
  var journal: ActionJournal?

  var isEmpty: Bool { firstHandler == nil && hasNoMore }

  private var hasNoMore: Bool {
    tasks.isEmpty && deliveries.isEmpty && objects.isEmpty && handlers.isEmpty && occupants.isEmpty
      && notices.isEmpty && journal == nil
  }

  /// Adds the remains of a task that is over.
  mutating func add(_ task: consuming OpenTasks.Remains) {
    if firstHandler == nil, task.whenLost == nil {
      firstHandler = task.handler
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

  /// Notifies the readers and makes the calls: on the device's lane, or without one on this thread.
  mutating func tell(on lane: DeviceLane?) {
    let notices = notices
    journal?.tell(on: lane)
    (journal, self.notices) = (nil, [])
    guard !notices.isEmpty else { return }
    if let lane {
      for notice in notices { lane.cancel(notice) }
    } else {
      for notice in notices { notice() }
    }
  }
}

/// Outgoing objects on their way to the thread that releases them.
final class OutgoingParcel: @unchecked Sendable {
  private var outgoing: Outgoing?

  init(_ outgoing: consuming Outgoing) { self.outgoing = outgoing }

  func open() { outgoing = nil }
}
