import CurfewEngine

/// The user's actions.
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

  /// Opens an app, unless it is in the foreground already. If the policy allows several apps in
  /// the foreground, the user leaves the current one first.
  private mutating func open(_ app: Int) {
    guard user.front != app else { return }
    if plan.policy.foregroundLimit != 1, let front = user.front, front != app {
      say(.home(AppID(rawValue: UInt32(front))))
    }
    user.use(app)
    apps[app].opens += 1
    apps[app].deliveries = 0
    say(.launch(AppID(rawValue: UInt32(app))))
  }

  private mutating func goHome() {
    guard let front = user.front else { return }
    user.front = nil
    say(.home(AppID(rawValue: UInt32(front))))
  }

  // MARK: A drawn user

  private mutating func planUnlock() {
    var stream = user.path.device(.unlocks).stream(user.sessions)
    plan(.unlock, at: plan.rhythm.next(after: driver.now, perDay: model.unlocks, &stream))
  }

  /// The random numbers for one purpose in the current session with the phone.
  private func session(_ purpose: UInt64) -> RandomStream {
    RandomStream(user.path.device(.sessions).child(UInt64(user.sessions)).child(purpose))
  }

  private mutating func unlock() {
    user.sessions += 1
    if user.isLocked {
      user.isLocked = false
      say(.unlock)
    }
    var stream = session(1)
    user.visitsLeft = FleetUser.geometric(mean: model.visits, &stream) - 1
    visit()
  }

  private mutating func visit() {
    user.visits += 1
    user.visit = user.path.device(.visits).stream(user.visits)
    guard let app = user.choose(plan, &user.visit) else { return planUnlock() }
    open(app)
    let length = model.visit.interval(&user.visit)
    let isInterrupted = user.visit.chance(model.interruptions)
    let part = user.visit.unit()
    guard isInterrupted else { return plan(.endOfVisit, at: driver.now + length) }
    let before = Interval(nanoseconds: Int64(Double(length.nanoseconds) * part * (1 - 0x1p-52)))
    user.restOfVisit = Interval(nanoseconds: length.nanoseconds - before.nanoseconds)
    plan(.interruption, at: driver.now + before)
  }

  private mutating func interrupt() {
    say(.interrupt(user.front.map { AppID(rawValue: UInt32($0)) }))
    plan(.endOfInterruption, at: driver.now + model.interruption.interval(&user.visit))
  }

  private mutating func endInterruption() {
    let isAccepted = user.visit.chance(model.accepted)
    let front = user.front.map { AppID(rawValue: UInt32($0)) }
    say(isAccepted ? .acceptInterruption(front) : .ignoreInterruption(front))
    guard isAccepted else { return plan(.endOfVisit, at: driver.now + user.restOfVisit) }
    user.front = nil
    endSession()
  }

  private mutating func endVisit() {
    guard user.visitsLeft > 0 else {
      goHome()
      return endSession()
    }
    user.visitsLeft -= 1
    visit()
  }

  /// Ends the session with the phone. The user goes to the home screen before the device is locked.
  /// Otherwise unlocking would reopen an app that the user did not choose.
  private mutating func endSession() {
    var stream = session(2)
    let (locks, quits, which) = (
      stream.chance(model.locks), stream.chance(model.forceQuits), stream.unit()
    )
    if quits, !user.recent.isEmpty {
      let app = user.recent[min(user.recent.count - 1, Int(which * Double(user.recent.count)))]
      say(.forceQuit(AppID(rawValue: UInt32(app))))
    }
    if locks {
      user.isLocked = true
      say(.lock)
    }
    planUnlock()
  }

  // MARK: A recorded user

  private var changes: [UsageLog.FrontChange] {
    user.recorded.flatMap { plan.workload.recording?.log.users[$0.user].changes } ?? []
  }

  private mutating func planChange() {
    guard let shift = user.recorded?.shift, user.nextChange < changes.count else { return }
    plan(.change, at: max(driver.now, changes[user.nextChange].at + shift))
  }

  private mutating func change() {
    guard let recorded = user.recorded else { return }
    let change = changes[user.nextChange]
    user.nextChange += 1
    if let app = recorded.appOf[change.app] { open(app) }
    let next = user.nextChange < changes.count ? changes[user.nextChange].at : .distantFuture
    guard let left = change.left, left < next else { return planChange() }
    plan(.leaving, at: max(driver.now, left + recorded.shift))
  }

  private mutating func leaveRecorded() {
    goHome()
    planChange()
  }
}
