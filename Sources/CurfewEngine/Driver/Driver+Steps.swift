/// How a driver takes events and steps.
extension Driver {
  @usableFromInline
  mutating func sayAny(_ event: Event) {
    heed(event)
    engine.handle(event, into: &actions)
  }

  @usableFromInline
  mutating func sayReturned(_ app: AppID) {
    heed(.returned(app))
    engine.returned(engine.known(app), &actions)
  }

  @usableFromInline
  mutating func askAny(_ event: Event) -> EventAnswer {
    heed(event)
    return engine.answer(event, into: &actions)
  }

  @usableFromInline
  mutating func askToBegin(
    _ app: AppID, _ label: UInt32, _ handler: ExpirationHandler, _ denial: inout EventAnswer
  ) -> BackgroundTask? {
    heed(.beginTask(app, label: label, handler: handler))
    return engine.beginTask(engine.known(app), label, handler, &denial, &actions)
  }

  @usableFromInline
  mutating func sayEnd(of task: BackgroundTask, _ app: AppID) {
    heed(.endTask(app, task))
    engine.endTask(task, of: engine.known(app), &actions)
  }

  /// Takes note of an event before the engine handles it. The event ends the current turn;
  /// the event `returned` also ends the app's rest.
  @inline(__always)
  mutating func heed(_ event: Event) {
    if heedsEvents { heedClosely(event) }
    turns.isGiven = false
  }

  @inline(never)
  private mutating func heedClosely(_ event: Event) {
    count.watch?.note(event, by: turns.given)
    if resting > 0, case .returned(let app) = event { endRest(app) }
  }

  @inline(__always)
  mutating func insert(_ number: UInt32, at instant: Instant) -> Plan {
    let ticket = plans.takeTicket()
    return Plan(
      id: plans.insert(instant, payload: number, ticket: ticket),
      ticket: UInt32(truncatingIfNeeded: ticket))
  }

  @inline(__always)
  mutating func takeStep(until limit: Instant) -> Bool {
    let (deadline, plan) = (engine.nextLook, plans.first)
    let next = min(deadline, plan)
    guard next <= limit, next < .distantFuture else {
      if next > now { finishInstant() }
      return false
    }
    let instant = max(pace == .late ? limit : next, now)
    if instant > now {
      finishInstant()
    } else if count.taken >= count.limit, standsStill() {
      return false
    }
    count.taken += 1
    count.atStep = count.taken
    // The engine's deadlines come before plans, and plans before the look at memory (rule C2).
    let isPlanDue = plan <= instant && plan < .distantFuture
    hasAdvanced = !isPlanDue || deadline <= instant && !engine.isOnlyMemoryDue(at: instant)
    if hasAdvanced { return engine.advance(to: instant, into: &actions) }
    takePlan(at: instant)
    return true
  }

  private mutating func takePlan(at instant: Instant) {
    engine.setNow(instant)
    guard let expired = plans.popFirst(notAfter: instant) else { return }
    guard expired.payload >= Driver.restBit else {
      count.watch?.noteDue(expired.payload)
      return due = expired.payload
    }
    noteEndOfRest()
    turns.add(AppID(rawValue: expired.payload & ~Driver.restBit))
  }

  @usableFromInline
  mutating func nextStep(until limit: Instant) -> Item? {
    precondition(
      pace == .punctual || limit < .distantFuture,
      "In real time next(until:) needs a limit: the current instant")
    if standstill != nil { return nil }
    repeat {
      if pulled < actions.count { return .action(pullAction()) }
      if engine.calls == 0, turns.isEmpty, resting == 0, due == nil {
        forgetActions()  // The usual case.
      } else if let item = pullAfterActions() {
        return item
      } else if standstill != nil {
        return nil
      }
    } while takeStep(until: limit) && due == nil
    if let number = due {
      due = nil
      return .due(number)
    }
    if standstill == nil, limit > now, limit < .distantFuture { engine.setNow(limit) }
    return nil
  }

  @inlinable
  mutating func pullAction() -> Action {
    let action = actions[pulled]
    pulled += 1
    return action
  }

  @usableFromInline
  mutating func pullAfterActions() -> Item? {
    if engine.calls > 0 || resting > 0 { noteCalls() } else { turns.removeAll() }
    forgetActions()
    if let number = due {
      due = nil
      return .due(number)
    }
    if count.taken > count.limit, !turns.isEmpty, standsStill(inStep: true) { return nil }
    return turns.give(engine).map { .turn($0) }
  }

  @inline(__always)
  private mutating func forgetActions() {
    actions.removeAll()
    pulled = 0
  }

  /// Gives a turn to each app that the pulled actions have called. Nearly always, all these apps
  /// have returned by now. Ends the rest of each app that was called or has ended.
  @inline(never)
  private mutating func noteCalls() {
    for index in 0..<actions.count {
      if let app = actions[index].called {
        count.taken += 1
        if count.watch != nil {
          count.watch?.noteCall(of: app, actions[index].moment(in: engine.policy.names))
        }
        turns.add(app)
        if resting > 0 { endRest(app) }
      } else if resting > 0, case .terminated(let app, _) = actions[index] {
        endRest(app)
      }
    }
  }

  var isTurnToCome: Bool {
    engine.calls > 0
      && (0..<actions.count).contains { index in
        actions[index].called.map { engine.owesReturn($0) } ?? false
      }
  }

  private mutating func endRest(_ app: AppID) {
    guard Int(app.rawValue) < rests.count else { return }
    let rest = rests[Int(app.rawValue)]
    guard plans.holds(rest.id, ticket: rest.ticket) else { return }
    plans.cancel(rest.id)
    noteEndOfRest()
  }

  @inline(__always)
  private mutating func noteEndOfRest() {
    resting -= 1
    if resting == 0, count.watch == nil { heedsEvents = false }
  }
}
