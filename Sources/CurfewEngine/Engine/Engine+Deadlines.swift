extension Engine {
  /// When the engine next wants `advance`; nil when it waits for events alone. Not after `now` while a step still has work to do.
  /// - Complexity: O(1).
  public var nextDeadline: Instant? {
    if agendaDone < agenda.count || firstDueSuspension != nil || isMemoryDue { return now }
    let next = nextTimedDeadline
    return next == .distantFuture ? nil : next
  }

  @inline(__always)
  private var nextTimedDeadline: Instant {
    var next = timers.nextDeadline ?? .distantFuture
    if let limit = pendingLimit { next = min(next, limit.deadline) }
    if let warning = nextAgeWarning { next = min(next, warning) }
    return next
  }

  /// Whether all that is due now is a look at memory, which comes after what apps do of themselves at this instant and before the next
  /// outside event (rule M1).
  public var isOnlyMemoryDue: Bool {
    isMemoryDue && agendaDone == agenda.count && firstDueSuspension == nil && nextTimedDeadline > now
  }

  /// Whether nothing is to come of itself but opportunities for fetches and keep-alives, which alone do not keep a run going (rule W3).
  public var hasOnlyOpportunities: Bool {
    agendaDone == agenda.count && firstDueSuspension == nil && !isMemoryDue && pendingLimit == nil && nextAgeWarning == nil
      && timers.count == opportunities
  }

  /// Takes one step that is due: the rest of a device-wide event, or else the earliest deadline not after `now`.
  ///
  /// - Returns: false if nothing was due. After true, act on the actions and call again.
  /// - Complexity: O(1) amortised, and O(open tasks) of the one app whose grant warns or ends.
  public mutating func advance(to now: Instant, into actions: inout ActionBuffer) -> Bool {
    setNow(now)
    if agendaDone < agenda.count {
      takeFromAgenda(&actions)
      return true
    }
    queuePendingLimit()
    if let suspension = firstDueSuspension, !timers.firstPrecedes(suspension.deadline, ticket: suspension.ticket) {
      takeDueSuspension(&actions)
      return true
    }
    let warning = nextAgeWarning
    if let deadline = timers.nextDeadline, deadline <= now, warning.map({ deadline <= $0 }) ?? true,
      let expired = timers.popFirst(notAfter: now)
    {
      fire(Deadline(payload: expired.payload), due: expired.deadline, &actions)
      return true
    }
    if let warning, warning <= now {
      warnOfAge(&actions)
      return true
    }
    if isMemoryDue {
      lookAtMemory(&actions)
      return true
    }
    return false
  }

  private mutating func fire(_ deadline: Deadline, due: Instant, _ actions: inout ActionBuffer) {
    switch deadline {
    case .clock(let app): clockFired(app, due: due, &actions)
    case .limit(let app): limitFired(app, due: due, &actions)
    case .suspension(let app): suspend(app, &actions)
    case .assertion(let slot): assertionFired(slot, &actions)
    case .fetch(let app): fetchFired(app, &actions)
    case .keepAlive(let app): keepAliveFired(app, due: due, &actions)
    case .request(let place): requestFired(place, &actions)
    case .notification(let place): notificationFired(place, &actions)
    case .processor(let app): processorFired(app, &actions)
    }
  }

  // MARK: Steps that concern many apps

  private mutating func takeFromAgenda(_ actions: inout ActionBuffer) {
    let item = agenda[agendaDone]
    agendaDone += 1
    if agendaDone == agenda.count {
      agenda.removeAll(keepingCapacity: true)
      agendaDone = 0
    }
    switch item.work {
    case .gesture: perform(item.gesture, on: item.app, &actions)
    case .expireTasks: if apps[item.app].state == .background { expireTasks(of: item.app, item.reason, &actions) }
    case .memoryWarning: warnOfMemory(item.app, &actions)
    case .reconsider: reconsider(item.app, &actions)
    }
  }
}
