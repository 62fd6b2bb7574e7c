extension Engine {
  /// Ends a process: its assertions, its deadlines, what waits for its run loop, and its place in the foreground.
  /// - Complexity: O(what it held).
  mutating func terminate(_ app: UInt32, _ termination: Termination, _ actions: inout ActionBuffer) {
    let id = AppID(rawValue: app)
    setState(.notRunning, of: app, &actions)
    actions.append(.terminated(id, termination))

    var slot = firstAssertion(of: app)
    while slot != .max {
      let next = assertion(after: slot, of: app)
      if termination.leaks > 0, assertions[slot].kind == .finiteTask {
        actions.append(.leakedTask(id, task(at: slot), age: now - Instant(nanoseconds: assertions[slot].began)))
      }
      release(slot)
      slot = next
    }
    while apps[app].lastItem != .max { _ = dequeue(app) }
    takeSuspensionAway(app)
    takeLimitAway(app)
    releaseFront(app)
    dropKeptPosts(app, &actions)
    if apps[app].flags.contains(.holdsLock) { extras[makeExtras(app)].locks = 0 }
    if apps[app].flags.contains(.usesCPU) { extras[makeExtras(app)].processor.until = 0 }

    // What outlives a process: its place, its manifest, the force-quit flag, and the counts that tell processes and visits apart.
    let (process, visit, frontStamp) = (apps[app].process, apps[app].visit, apps[app].frontStamp)
    apps[app] = App(modes: apps[app].modes, flags: apps[app].flags.intersection(.ofTheApp))
    apps[app].process = process &+ 1
    apps[app].visit = visit
    apps[app].frontStamp = frontStamp
    lookAgainAtRequests(of: app)
  }
}
