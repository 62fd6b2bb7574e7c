extension Engine {
  // MARK: What the user and the device do

  mutating func launch(_ app: UInt32, _ actions: inout ActionBuffer) {
    guard !isLocked, apps[app].presence.plan(for: .bringToFront, .toBackground) != nil else { return illegal(app, &actions) }
    apps[app].flags.remove(.forceQuit)
    // The slot changes hands now; the outgoing app is served first (rule C2).
    let outgoing = outgoingApp
    if let outgoing { releaseFront(outgoing) }
    takeFront(app)
    guard let outgoing else { return perform(.bringToFront, on: app, &actions) }
    agenda.append(AgendaItem(app: app, work: .gesture, gesture: .bringToFront))
    perform(.sendAway, on: outgoing, &actions)
  }

  /// Home and interruptions: what concerns the app in front.
  mutating func gestureInFront(_ gesture: Gesture, _ named: AppID?, _ actions: inout ActionBuffer) {
    let target: UInt32? = if let named { index(named) } else { front.count == 1 ? front[0] : nil }
    guard let app = target, apps[app].flags.contains(.inFront),
      let plan = apps[app].presence.plan(for: gesture, departure(of: app))
    else { return illegal(named?.rawValue, &actions) }
    if !plan.presence.isInFront {
      releaseFront(app)
      if frontCount == 0 { userLeaves() }
    }
    perform(gesture, on: app, &actions)
  }

  mutating func lock(_ actions: inout ActionBuffer) {
    guard !isLocked else { return illegal(nil, &actions) }
    isLocked = true
    lockedAway.removeAll(keepingCapacity: true)
    if policy.foregroundLimit == nil {
      for app in 0..<UInt32(apps.used) where apps[app].flags.contains(.inFront) { lockAway(app) }
    } else {
      while let app = front.min() { lockAway(app) }
    }
    userLeaves()
  }

  private mutating func lockAway(_ app: UInt32) {
    lockedAway.append((app, apps[app].process))
    releaseFront(app)
    agenda.append(AgendaItem(app: app, work: .gesture, gesture: .sendAway))
  }

  mutating func unlock(_ actions: inout ActionBuffer) {
    guard isLocked else { return illegal(nil, &actions) }
    isLocked = false
    userArrives()
    if !hasBeenUnlocked {
      hasBeenUnlocked = true
      lookAgainAtAllRequests()
    }
    for (app, process) in lockedAway where apps[app].process == process && apps[app].presence == .background {
      takeFront(app)
      agenda.append(AgendaItem(app: app, work: .gesture, gesture: .bringToFront))
    }
    lockedAway.removeAll(keepingCapacity: true)
  }

  mutating func forceQuit(_ app: UInt32, _ actions: inout ActionBuffer) {
    let isLeaving = apps[app].presence == .terminating
    let isNews = !apps[app].flags.contains(.forceQuit)
    apps[app].flags.insert(.forceQuit)
    lookAgainAtRequests(of: app)
    // Whoever is on the way out, purged perhaps, is not told again; but nothing may launch it any more.
    guard !isLeaving else { return isNews ? () : illegal(app, &actions) }
    if apps[app].state == .suspended { return terminate(app, Termination(reason: .userForceQuit), &actions) }
    releaseFront(app)
    apps[app].reasons.quit = .userForceQuit
    perform(.forceQuit, on: app, &actions)
  }

  mutating func reboot(_ actions: inout ActionBuffer) {
    for app in 0..<UInt32(apps.used) {
      if apps[app].state != .notRunning { terminate(app, Termination(reason: .reboot), &actions) }
      apps[app].flags.remove(.forceQuit)
    }
    lockedAway.removeAll(keepingCapacity: true)
    isLocked = true
    hasBeenUnlocked = false
    isUserPresent = false
    lookAgainAtAllRequests()
  }

  mutating func crash(_ app: UInt32, _ reason: CrashReason, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    terminate(app, Termination(reason: reason.termination), &actions)
  }

  /// Queues what a gesture leads to and lets the app's run loop come to it, at once if it is free.
  mutating func perform(_ gesture: Gesture, on app: UInt32, _ actions: inout ActionBuffer) {
    guard let plan = apps[app].presence.plan(for: gesture, departure(of: app)) else { return }
    if plan.presence == .terminating, gesture != .forceQuit, gesture != .purge { apps[app].reasons.quit = .normalAppExit }
    countMove(app, from: apps[app].presence, to: plan.presence)
    apps[app].presence = plan.presence
    noteRank(app)
    if plan.presence == .terminating { lookAgainAtRequests(of: app) }
    let isFree = apps[app].delivery == .none && apps[app].lastItem == .max
    if isFree { take(plan.first, app, &actions) } else { enqueue(plan.first, app) }
    enqueue(plan.second, app)
    enqueue(plan.third, app)
    runLoop(app, &actions)
  }

  func departure(of app: UInt32) -> Departure {
    policy.multitasking && !apps[app].flags.contains(.exitsOnSuspend) ? .toBackground : .toExit
  }

  // MARK: The foreground

  /// The app that has to make room for another: the one that has been in front the longest.
  private var outgoingApp: UInt32? {
    guard let limit = policy.foregroundLimit, front.count >= limit else { return nil }
    return front.first
  }

  private mutating func takeFront(_ app: UInt32) {
    apps[app].flags.insert(.inFront)
    frontCount += 1
    userArrives()
    if policy.foregroundLimit != nil { front.append(app) }
  }

  /// - Complexity: O(the policy's foreground limit); O(1) without one.
  mutating func releaseFront(_ app: UInt32) {
    guard apps[app].flags.contains(.inFront) else { return }
    apps[app].flags.remove(.inFront)
    frontCount -= 1
    if lastFrontStamp == .max { renumberFrontStamps() }
    lastFrontStamp += 1
    apps[app].frontStamp = lastFrontStamp
    lookAgainAtRequests(of: app)
    if policy.foregroundLimit != nil, let place = front.firstIndex(of: app) { front.remove(at: place) }
  }

  /// Gives the departures that are remembered small numbers again, after four thousand million of them.
  @inline(never)
  private mutating func renumberFrontStamps() {
    let stamped = (0..<UInt32(apps.used)).filter { apps[$0].frontStamp > 0 }.sorted { apps[$0].frontStamp < apps[$1].frontStamp }
    lastFrontStamp = 0
    for app in stamped {
      lastFrontStamp += 1
      apps[app].frontStamp = lastFrontStamp
    }
    memory.forgetRanks()
  }

  // MARK: States

  /// Every change of state goes through here and through the transition table.
  mutating func setState(_ next: AppState, of app: UInt32, grant: Interval, _ actions: inout ActionBuffer) {
    let state = apps[app].state
    precondition(state.transition(to: next) != nil, "App \(app) cannot go from \(state) to \(next)")
    if next != .background {
      stopClock(app)
      apps[app].lateTasks = 0
      if apps[app].flags.contains(.usesCPU) { stopProcessor(app) }
    }
    countMove(app, from: state, to: next)
    apps[app].state = next
    noteRank(app)
    // What may not launch an app may come once something else has.
    if state == .notRunning { lookAgainAtRequests(of: app) }
    actions.append(.state(AppID(rawValue: app), from: state, to: next))
    if next == .background {
      beginVisit(app, grant: grant)
      updateClock(app)
      if apps[app].flags.contains(.usesCPU) { startProcessor(app) }
    }
  }

  @inline(__always)
  mutating func setState(_ next: AppState, of app: UInt32, _ actions: inout ActionBuffer) {
    setState(next, of: app, grant: policy.tasks.grant, &actions)
  }
}
