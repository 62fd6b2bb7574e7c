extension Engine {
  /// The instant at which the engine next needs `advance`; nil if it only waits for events. It
  /// is `now` while a step still has work to do.
  /// - Complexity: O(1).
  var nextDeadline: Instant? { nextLook == .distantFuture ? nil : nextLook }

  /// `nextDeadline`, or `distantFuture` if the engine only waits for events.
  @inline(__always)
  var nextLook: Instant {
    if !agenda.isEmpty || !dueSuspensions.isEmpty || memory.isDue { return now }
    return nextTimedDeadline
  }

  @inline(__always)
  private var nextTimedDeadline: Instant {
    var next = min(timers.first, assertions.nextAgeWarning)
    if let limit = limits.pending { next = min(next, limit.deadline) }
    if let watch = busyWatch.pending { next = min(next, watch.deadline) }
    return next
  }

  /// Whether only the examination of memory is due at an instant. The examination comes after
  /// the apps' voluntary acts at the instant and before the next event from outside (rule M1).
  package func isOnlyMemoryDue(at instant: Instant) -> Bool {
    memory.isDue && agenda.isEmpty && dueSuspensions.isEmpty && nextTimedDeadline > instant
  }

  /// Whether every deadline still to come is an opportunity for a fetch, a keep-alive or a request,
  /// or a further term of a session. Such deadlines alone do not keep a run going (rules W3,
  /// W5, L4).
  var hasOnlyOpportunities: Bool {
    hasOnlyTimers && timers.count == schedules.opportunities + assertions.renewals
  }

  /// Whether every deadline still to come is an opportunity. A further term of a session
  /// is not one.
  package var hasOnlyStarts: Bool { hasOnlyTimers && timers.count == schedules.opportunities }

  private var hasOnlyTimers: Bool {
    agenda.isEmpty && dueSuspensions.isEmpty && !memory.isDue && limits.pending == nil
      && busyWatch.pending == nil && !assertions.awaitAgeWarning
  }

  /// Takes one due step: the rest of a device-wide event, or else the earliest deadline not
  /// after `now`.
  ///
  /// - Returns: False if nothing was due. After true, handle the actions and call again.
  /// - Complexity: O(1) amortised, and O(open tasks) of the one app whose grant warns or ends.
  mutating func advance(to now: Instant, into actions: inout ActionBuffer) -> Bool {
    setNow(now)
    if let item = agenda.popFirst() {
      take(item, &actions)
      return true
    }
    queuePendingLimit()
    queuePendingWatch()
    if let suspension = dueSuspensions.first,
      !timers.firstPrecedes(suspension.deadline, ticket: suspension.ticket)
    {
      takeDueSuspension(&actions)
      return true
    }
    let warning = assertions.nextAgeWarning
    if timers.first <= warning, let expired = timers.popFirst(notAfter: now) {
      if let next = timers.firstPayload { prefetch(Deadline(payload: next)) }
      fire(Deadline(payload: expired.payload), due: expired.deadline, &actions)
      return true
    }
    if warning <= now, assertions.awaitAgeWarning {
      warnOfAge(&actions)
      return true
    }
    if memory.isDue {
      lookAtMemory(&actions)
      return true
    }
    return false
  }

  /// Loads the record that a deadline concerns into the processor's cache. With many apps, a step
  /// would otherwise wait for memory.
  @inline(__always)
  private func prefetch(_ deadline: Deadline) {
    switch deadline {
    case .clock(let app), .limit(let app), .suspension(let app), .processor(let app),
      .busyRunLoop(let app):
      apps.prefetch(app)
    case .assertion(let place): assertions.records.prefetch(place)
    case .schedule, .request, .notification: break
    }
  }

  private mutating func fire(_ deadline: Deadline, due: Instant, _ actions: inout ActionBuffer) {
    switch deadline {
    case .clock(let app): clockFired(app, due: due, &actions)
    case .limit(let app): limitFired(app, due: due, &actions)
    case .suspension(let app): suspend(app, &actions)
    case .assertion(let place): assertionFired(place, due: due, &actions)
    case .schedule(let place): scheduleFired(place, &actions)
    case .request(let place): requestFired(place, &actions)
    case .notification(let place): notificationFired(place, &actions)
    case .processor(let app): processorFired(app, &actions)
    case .busyRunLoop(let app): busyWatchFired(app, due: due, &actions)
    }
  }

  // MARK: Steps that concern many apps

  /// Finishes a device-wide step before an act of the user that the host reports in the middle
  /// of the step, because both move the same apps.
  @inline(__always)
  mutating func finishAgenda(_ actions: inout ActionBuffer) {
    while let item = agenda.popFirst() { take(item, &actions) }
  }

  private mutating func take(_ item: AgendaItem, _ actions: inout ActionBuffer) {
    switch item.work {
    case .gesture(let gesture): perform(gesture, on: item.app, &actions)
    case .expireTasks(let reason):
      if apps[item.app].state == .background { expireTasks(of: item.app, reason, &actions) }
    case .memoryWarning: warnOfMemory(item.app, &actions)
    case .reconsider: reconsider(item.app, &actions)
    }
  }
}
