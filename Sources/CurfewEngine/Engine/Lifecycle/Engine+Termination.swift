extension Engine {
  /// Ends a process: its assertions, its deadlines, the items that wait for its run loop, and its
  /// place in the foreground.
  /// - Complexity: O(records of the process).
  mutating func terminate(
    _ app: AppID, _ termination: EngineProcessEnd, _ actions: inout ActionBuffer
  ) {
    setState(.notRunning, of: app, &actions)
    actions.append(.terminated(app, termination))

    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      if termination.leaks > 0, assertions[place].kind == .finiteTask {
        actions.append(
          .leakedTask(
            app, task(at: place), age: now - Instant(nanoseconds: assertions[place].began)))
      }
      release(place, of: app)
    }
    _ = apps[app].items.takeStep()
    if !apps[app].items.isEmpty {
      showUndelivered(app, &actions)
      items.removeAll(of: &apps[app].items.records)
    }
    takeSuspensionAway(app)
    takeLimitAway(app)
    releaseFront(app)
    dropKeptPosts(app)
    if !apps[extras: app].completed.isEmpty {
      completedWakes.removeAll(of: &apps[extras: app].completed)
    }
    if apps[app].flags.contains(.holdsLock) { apps[extras: app].locks = 0 }

    if apps[app].delivery != .none { calls -= 1 }

    // The data that outlives a process: the app's place, its manifest, the force-quit flag,
    // and the counts that tell processes and visits apart.
    let (process, visit, frontStamp) = (apps[app].process, apps[app].visit, apps[app].frontStamp)
    let declaration = apps[app].declaration
    apps[app] = EngineApp(flags: apps[app].flags.intersection(.ofTheApp))
    apps[app].declaration = declaration
    apps[app].process = process &+ 1
    apps[app].visit = visit
    apps[app].frontStamp = frontStamp
    lookAgainAtRequests(of: app)
  }
}
