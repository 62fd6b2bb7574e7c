/// Objects and handlers of the program's that are to be released, or called once more: outside
/// the lock, because their ends may call the device.
struct Outgoing {
  /// The handler of a task that has ended: as a rule there is no other, and nothing else.
  private var firstHandler: ExpirationClosure?
  private var tasks: [OpenTasks.Remains] = []
  var deliveries: [Delivery] = []
  /// Delegates, observers, processes and the like.
  var objects: [AnyObject] = []
  /// Handlers of sessions and wakes that are over.
  var handlers: [@Sendable () -> Void] = []
  /// Dead processes' holds on the threads for handlers.
  var occupants: [HandlerThreads.Occupant] = []
  /// What is to be told at once: that a process took a task along, or that a sleep is over.
  var notices: [@Sendable () -> Void] = []
  /// What readers of actions are to be told, where nobody is at it.
  var journal: ActionJournal?

  var isEmpty: Bool { firstHandler == nil && hasNoMore }

  private var hasNoMore: Bool {
    tasks.isEmpty && deliveries.isEmpty && objects.isEmpty && handlers.isEmpty && occupants.isEmpty
      && notices.isEmpty && journal == nil
  }

  /// A task is over.
  mutating func add(_ task: consuming OpenTasks.Remains) {
    if firstHandler == nil, task.whenLost == nil {
      firstHandler = task.handler
    } else {
      tasks.append(task)
    }
  }

  /// Hands over a handler, where it is all there is.
  mutating func takeOnlyHandler() -> ExpirationClosure? { hasNoMore ? firstHandler.take() : nil }

  mutating func takeAll() -> Outgoing {
    defer { self = Outgoing() }
    return self
  }

  /// Tells whoever is to be told: on the device's lane, or where there is none on this thread.
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

/// What is outgoing on its way to another thread, which lets go of it there.
final class OutgoingParcel: @unchecked Sendable {
  private var outgoing: Outgoing?

  init(_ outgoing: consuming Outgoing) { self.outgoing = outgoing }

  func open() { outgoing = nil }
}
