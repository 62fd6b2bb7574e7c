extension Engine {
  /// Ends a process: its assertions, its deadlines, what waits for its run loop, and its place in the foreground.
  /// - Complexity: O(what it held).
  mutating func terminate(_ app: UInt32, _ termination: Termination, _ actions: inout ActionBuffer) {
    let id = AppID(rawValue: app)
    setState(.notRunning, of: app, &actions)
    actions.append(.terminated(id, termination))

    var slot = apps[app].firstAssertion
    while slot != .max {
      let next = assertions[slot].next
      if termination.leaks > 0, assertions[slot].kind == .finiteTask {
        actions.append(.leakedTask(id, task(at: slot), age: now - Instant(nanoseconds: assertions[slot].began)))
      }
      release(slot)
      slot = next
    }
    var item = apps[app].firstItem
    while item != .max {
      let next = items[item].next
      items.free(item)
      item = next
    }
    takeLimitAway(app)
    timers.disarm(&apps[app].suspendTimer)
    releaseFront(app)

    // What outlives a process: its place, its manifest, the force-quit flag, and the counts that tell processes and visits apart.
    let (process, visit) = (apps[app].process, apps[app].visit)
    let (modes, facts, flags) = (apps[app].modes, apps[app].facts, apps[app].flags.intersection([.exitsOnSuspend, .forceQuit]))
    apps[app] = App(modes: modes, flags: flags, facts: facts)
    apps[app].process = process &+ 1
    apps[app].visit = visit
  }
}
