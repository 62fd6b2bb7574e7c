import CurfewEngine

/// What the user does.
extension DeviceRun {
  private var model: UserModel { plan.workload.user }

  mutating func beginUser() {
    if user.recorded != nil { planChange() } else { planUnlock() }
  }

  mutating func userIsDue() {
    switch user.next {
    case .unlock: unlock()
    case .interruption: interrupt()
    case .endOfInterruption: endInterruption()
    case .endOfVisit: endVisit()
    case .change: change()
    case .leaving: leaveRecorded()
    }
  }

  private mutating func plan(_ next: FleetUser.Next, at instant: Instant) {
    user.next = next
    if instant < .distantFuture { plan(Due.user.number(0), at: instant) }
  }

  // MARK: A user who is drawn

  private mutating func planUnlock() { plan(.unlock, at: plan.rhythm.next(after: driver.now, perDay: model.unlocks, &user.stream)) }

  private mutating func unlock() {
    if user.isLocked {
      user.isLocked = false
      say(.unlock)
    }
    user.visitsLeft = FleetUser.geometric(mean: model.visits, &user.stream) - 1
    visit(besides: nil)
  }

  private mutating func visit(besides front: Int?) {
    guard let app = user.choose(model, besides: front) else { return planUnlock() }
    user.use(app)
    say(.launch(AppID(rawValue: UInt32(app))))
    let length = model.visit.interval(&user.visits)
    let isInterrupted = user.visits.chance(model.interruptions)
    let part = user.visits.unit()
    guard isInterrupted else { return plan(.endOfVisit, at: driver.now + length) }
    let before = Interval(nanoseconds: Int64(Double(length.nanoseconds) * part))
    user.restOfVisit = Interval(nanoseconds: length.nanoseconds - before.nanoseconds)
    plan(.interruption, at: driver.now + before)
  }

  private mutating func interrupt() {
    say(.interrupt(nil))
    plan(.endOfInterruption, at: driver.now + model.interruption.interval(&user.visits))
  }

  private mutating func endInterruption() {
    let isAccepted = user.visits.chance(model.accepted)
    say(isAccepted ? .acceptInterruption(nil) : .ignoreInterruption(nil))
    if isAccepted { return planUnlock() }
    plan(.endOfVisit, at: driver.now + user.restOfVisit)
  }

  private mutating func endVisit() {
    if user.visitsLeft > 0 {
      user.visitsLeft -= 1
      return visit(besides: user.recent.first)
    }
    let (locks, quits, which) = (user.stream.chance(model.locks), user.stream.chance(model.forceQuits), user.stream.unit())
    if quits || !locks { say(.home(nil)) }
    if quits, !user.recent.isEmpty {
      say(.forceQuit(AppID(rawValue: UInt32(user.recent[min(user.recent.count - 1, Int(which * Double(user.recent.count)))]))))
    }
    if locks {
      user.isLocked = true
      say(.lock)
    }
    planUnlock()
  }

  // MARK: A user who was recorded

  private mutating func planChange() {
    guard let changes = user.recorded.map({ plan.workload.recording?.log.users[$0.user].changes ?? [] }), user.nextChange < changes.count
    else { return }
    plan(.change, at: max(driver.now, changes[user.nextChange].at))
  }

  private mutating func change() {
    guard let recorded = user.recorded, let changes = plan.workload.recording?.log.users[recorded.user].changes else { return }
    let change = changes[user.nextChange]
    user.nextChange += 1
    if let app = recorded.appOf[change.app] { say(.launch(AppID(rawValue: UInt32(app)))) }
    // One app takes the front from another at one instant; who goes home first is a visit with an end of its own.
    let next = user.nextChange < changes.count ? changes[user.nextChange].at : .distantFuture
    if let end = change.left, end < next { plan(.leaving, at: max(driver.now, end)) } else { planChange() }
  }

  private mutating func leaveRecorded() {
    say(.home(nil))
    planChange()
  }
}
