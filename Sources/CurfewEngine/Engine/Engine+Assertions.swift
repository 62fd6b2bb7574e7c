/// What tasks, sessions and wakes have in common: a record in the slab and in the app's list, and two counts.
extension Engine {
  mutating func insert(_ assertion: Assertion) -> UInt32 {
    let app = assertion.app
    let slot = assertions.insert(assertion)
    let last = apps[app].lastAssertion == .max ? slot : apps[app].lastAssertion
    let first = last == slot ? slot : assertions[last].next
    (assertions[slot].previous, assertions[slot].next) = (last, first)
    assertions[last].next = slot
    assertions[first].previous = slot
    apps[app].lastAssertion = slot
    return slot
  }

  /// The oldest of an app's assertions; `.max` if it has none.
  @inline(__always)
  func firstAssertion(of app: UInt32) -> UInt32 {
    let last = apps[app].lastAssertion
    return last == .max ? .max : assertions[last].next
  }

  /// The one that came after `slot`; `.max` at the end.
  @inline(__always)
  func assertion(after slot: UInt32, of app: UInt32) -> UInt32 {
    slot == apps[app].lastAssertion ? .max : assertions[slot].next
  }

  /// Takes up a session or wake that was admitted.
  mutating func hold(_ kind: AssertionKind, for app: UInt32) -> UInt32 {
    let slot = insert(Assertion(began: now.nanoseconds, app: app, process: apps[app].process, kind: kind))
    apps[app].otherAssertions += 1
    if rows[Int(kind.rawValue)].definesStart { apps[app].startDefining += 1 }
    if kind == .processing { processingWakes += 1 }
    noteRank(app)
    updateClock(app)
    return slot
  }

  /// Ends an assertion of whatever kind, and starts or stops the task clock as that demands. The caller lets the run loop go on.
  mutating func end(_ slot: UInt32) {
    let app = assertions[slot].app
    if assertions[slot].kind == .finiteTask {
      apps[app].openTasks -= 1
      if assertions[slot].lateVisit == apps[app].visit, apps[app].state == .background { apps[app].lateTasks += 1 }
    } else {
      apps[app].otherAssertions -= 1
      if rows[Int(assertions[slot].kind.rawValue)].definesStart { apps[app].startDefining -= 1 }
    }
    unlink(slot)
    release(slot)
    noteRank(app)
    if apps[app].openTasks == 0, apps[app].otherAssertions == 0 { apps[app].quietSince = now.nanoseconds }
    updateClock(app)
  }

  private mutating func unlink(_ slot: UInt32) {
    let app = assertions[slot].app
    let (next, previous) = (assertions[slot].next, assertions[slot].previous)
    assertions[previous].next = next
    assertions[next].previous = previous
    if apps[app].lastAssertion == slot { apps[app].lastAssertion = previous == slot ? .max : previous }
  }

  /// Gives the record back; what still names it finds a number of 0.
  mutating func release(_ slot: UInt32) {
    timers.disarm(&assertions[slot].timer)
    leaveAgeLine(slot)
    if assertions[slot].kind != .finiteTask { noteEnd(of: slot) }
    assertions[slot].id = 0
    assertions.free(slot)
  }

  private mutating func noteEnd(of slot: UInt32) {
    if assertions[slot].kind == .processing { processingWakes -= 1 }
    if assertions[slot].kind.class == .wake, assertions[slot].phase == .second { noteRun(of: slot) }
  }

  /// A linger or a wake's length is over.
  mutating func assertionFired(_ slot: UInt32, _ actions: inout ActionBuffer) {
    assertions[slot].timer = .none
    let app = assertions[slot].app
    switch assertions[slot].kind.class {
    case .task: preconditionFailure("a task has no deadline of its own")
    case .session: end(slot)
    case .wake: if overrun(slot, &actions) == .kill { return }
    }
    runLoop(app, &actions)
  }

  /// The oldest assertion of an app that a session or wake of this kind holds, in this phase, or the one so many after it; nil stands for any kind of wake.
  func oldest(_ kind: AssertionKind?, _ phase: Assertion.Phase?, of app: UInt32, after older: UInt32 = 0) -> UInt32? {
    var slot = firstAssertion(of: app)
    var older = older
    while slot != .max {
      let record = assertions[slot]
      if kind.map({ $0 == record.kind }) ?? (record.kind.class == .wake), phase.map({ $0 == record.phase }) ?? true {
        if older == 0 { return slot }
        older -= 1
      }
      slot = assertion(after: slot, of: app)
    }
    return nil
  }
}
