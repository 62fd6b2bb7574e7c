/// The user's actions on apps and on the device.
extension Engine {
  mutating func launch(_ app: AppID, _ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard !lock.isLocked, let plan = apps[app].presence.plan(for: .bringToFront, .toBackground)
    else {
      return illegal(app, apps[app].presence.objection(toComingUnder: lock.isLocked), &actions)
    }
    apps[app].flags.remove(.forceQuit)
    // The app takes the place now; the outgoing app is sent away first (rule C2).
    let outgoing = foreground.outgoing
    if let outgoing { releaseFront(outgoing) }
    takeFront(app)
    guard let outgoing else { return perform(.bringToFront, plan, on: app, &actions) }
    agenda.append(AgendaItem(app: app, work: .gesture(.bringToFront)))
    perform(.sendAway, on: outgoing, &actions)
  }

  /// Handles Home and interruptions, which concern the app in front.
  mutating func gestureInFront(_ gesture: Gesture, _ named: AppID?, _ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard let app = named.map({ known($0) }) ?? foreground.only, apps[app].flags.contains(.inFront),
      let plan = apps[app].presence.plan(for: gesture, departure(of: app))
    else { return illegal(named, objection(to: gesture, named), &actions) }
    if !plan.presence.isInFront {
      releaseFront(app)
      if foreground.count == 0 { userLeaves() }
    }
    perform(gesture, plan, on: app, &actions)
  }

  /// The reason why a gesture is illegal for the app in front, or for the app that the event names.
  private func objection(to gesture: Gesture, _ named: AppID?) -> IllegalEventReason {
    guard let app = named ?? foreground.only else {
      return lock.isLocked ? .locked : foreground.count == 0 ? .nobodyInFront : .severalInFront
    }
    guard apps[app].flags.contains(.inFront) else { return idleness(of: app) ?? .notInFront }
    return gesture == .interrupt ? .interrupted : .notInterrupted
  }

  mutating func lockDevice(_ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard !lock.isLocked else { return illegal(nil, .locked, &actions) }
    lock.lock()
    if foreground.limit == nil {
      for app in apps.ids where apps[app].flags.contains(.inFront) { sendAway(app) }
    } else {
      while let app = foreground.firstInFileOrder { sendAway(app) }
    }
    if !userLeaves() { presenceHasChanged() }
  }

  private mutating func sendAway(_ app: AppID) {
    lock.sendAway(app, process: apps[app].process)
    releaseFront(app)
    agenda.append(AgendaItem(app: app, work: .gesture(.sendAway)))
  }

  mutating func unlockDevice(_ actions: inout ActionBuffer) {
    finishAgenda(&actions)
    guard lock.isLocked else { return illegal(nil, .notLocked, &actions) }
    let isFirst = lock.unlock()
    userArrives()
    if isFirst { lookAgainAtAllRequests() }
    while let away = lock.popSentAway() {
      guard apps[away.app].process == away.process, apps[away.app].presence == .background else {
        continue
      }
      takeFront(away.app)
      agenda.append(AgendaItem(app: away.app, work: .gesture(.bringToFront)))
    }
  }

  private mutating func takeFront(_ app: AppID) {
    foreground.take(app, &apps)
    noteLastUse(of: app)
    if schedules.watchesUse { noteOpening(of: app) }
    userArrives()
  }

  /// - Complexity: O(the policy's foreground limit); O(1) without one.
  mutating func releaseFront(_ app: AppID) {
    guard apps[app].flags.contains(.inFront) else { return }
    if foreground.isOutOfStamps {
      foreground.renumber(&apps)
      memory.forgetRanks()
    }
    foreground.release(app, &apps)
    noteLastUse(of: app)
    lookAgainAtRequests(of: app)
  }

  // MARK: User presence

  /// Handles the user's arrival, by opening an app or unlocking the device. Wakes that require
  /// the user's absence end after the step (rule W5).
  /// - Complexity: O(1), or O(apps + assertions) while such a wake is held.
  private mutating func userArrives() {
    guard lock.userArrives() else { return }
    presenceHasChanged()
    guard assertions.idleWakes > 0 else { return }
    for app in apps.ids where apps[app].otherAssertions > 0 { endIdleWakes(of: app) }
  }

  private mutating func endIdleWakes(of app: AppID) {
    var walk = assertions.walk(apps[app].assertions)
    while let place = walk.next(in: assertions.records) {
      guard rows[assertions[place].kind].waitsForIdle, assertions[place].phase != .lingering else {
        continue
      }
      cutShort(place)
    }
  }

  /// - Returns: Whether this is a change.
  @discardableResult
  private mutating func userLeaves() -> Bool {
    guard lock.userLeaves() else { return false }
    lookAgainAtAllRequests()
    presenceHasChanged()
    return true
  }
}
