@testable import CurfewEngine

/// Events before any action: which are illegal, and what they change by themselves.
extension RuleChecker {
  func isIllegal(_ event: Event) -> Bool {
    if let app = event.app, standing[Int(app.rawValue)].isRemoved { return true }
    return switch event {
    case .removeApp(let app): apps[Int(app.rawValue)].state != .notRunning
    case .launch(let app):
      isLocked || front.contains(Int(app.rawValue)) || apps[Int(app.rawValue)].quit != nil
    case .home(let named): inFront(named) == nil
    case .lock: isLocked
    case .unlock: !isLocked
    case .interrupt(let named): inFront(named).map { apps[$0].isInterrupted } ?? true
    case .acceptInterruption(let named), .ignoreInterruption(let named):
      inFront(named).map { !apps[$0].isInterrupted } ?? true
    case .forceQuit(let app):
      apps[Int(app.rawValue)].quit != nil && standing[Int(app.rawValue)].isForceQuit
    case .expireTasks(let app?, _): apps[Int(app.rawValue)].state != .background
    case .expireTasks(nil, _): !apps.contains { $0.state == .background }
    case .deliver(_, let kind, _): policy.names.class(of: kind) != .wake
    case .reboot, .setRefresh, .setDevice, .setFootprint, .post, .began, .returned, .probe: false
    case .beginTask(let app, _, _), .endTask(let app, _), .cancelTask(let app, _),
      .lockFile(let app), .useCPU(let app, _, _),
      .scheduleNotification(let app, _, _),
      .cancelNotification(let app, _):
      !apps[Int(app.rawValue)].state.isAwake
    case .crash(let app, .oomKill), .crash(let app, .signal), .crash(let app, .spawnFailed),
      .crash(let app, .hostFailure):
      apps[Int(app.rawValue)].state == .notRunning
    case .crash(let app, _): !apps[Int(app.rawValue)].state.isAwake
    case .setInterval(let app, let kind, _):
      !apps[Int(app.rawValue)].state.isAwake
        || (start(of: kind) != .opportunity && start(of: kind) != .interval)
    case .setFact(nil, let facts, _): !policy.facts.ofDevice.isSuperset(of: facts)
    case .setFact(_, let facts, _): !policy.facts.ofApps.isSuperset(of: facts)
    case .unlockFile(let app):
      !apps[Int(app.rawValue)].state.isAwake || apps[Int(app.rawValue)].locks == 0
    case .submitTask(let app, let request):
      !apps[Int(app.rawValue)].state.isAwake || start(of: request.kind) != .request
    case .startSession(let app, let kind, _):
      !apps[Int(app.rawValue)].state.isAwake || policy.names.class(of: kind) != .session
        || isOn(kind, Int(app.rawValue))
    case .stopSession(let app, let kind):
      !apps[Int(app.rawValue)].state.isAwake || policy.names.class(of: kind) != .session
        || !isOn(kind, Int(app.rawValue))
    case .setWakeHandler(let app, let wake, _):
      !apps[Int(app.rawValue)].state.isAwake
        || !apps[Int(app.rawValue)].wakes.contains { $0.id == wake.rawValue }
    case .completeWake(let app, let choice, _):
      !apps[Int(app.rawValue)].state.isAwake
        || oldestWake(choice, Int(app.rawValue)) == nil
          && completedWake(choice, Int(app.rawValue)) == nil
    }
  }

  /// How wakes of a kind start; nil if it is not a wake.
  func start(of kind: AssertionKind) -> WakeStart? {
    policy.names.class(of: kind) == .wake
      ? policy.wakes[kind]?.start ?? kind.asStandard?.start ?? .event : nil
  }

  private func isOn(_ kind: AssertionKind, _ app: Int) -> Bool {
    apps[app].sessions.contains { $0.kind == kind && $0.isOn }
  }

  /// The oldest delivered wake that matches the whole choice. Inside a wake's own delivery, that
  /// wake, if the choice names no other.
  func oldestWake(_ choice: WakeChoice, _ app: Int) -> Int? {
    if let own = apps[app].owed?.ownWake, choice.id == nil, choice.identifier == nil,
      [nil, own.kind].contains(choice.kind)
    {
      return apps[app].wakes.firstIndex { $0.isWritten(as: own) }
    }
    return apps[app].wakes.firstIndex { wake in
      wake.delivered != nil && [nil, wake.kind].contains(choice.kind)
        && [nil, WakeID(rawValue: wake.id)].contains(choice.id)
        && (choice.identifier == nil || choice.identifier == wake.identifier)
    }
  }

  /// The wake that a choice with a number means, or the wake in whose own delivery the choice has
  /// none, if it is among the newest sixteen that the process has completed.
  func completedWake(_ choice: WakeChoice, _ app: Int) -> (wake: AdmittedWake, at: Instant)? {
    var number = choice.id
    if number == nil, choice.identifier == nil, let own = apps[app].owed?.ownWake,
      [nil, own.kind].contains(choice.kind)
    {
      number = own.id
    }
    return apps[app].completed.suffix(16).first {
      $0.wake.id == number && [nil, $0.wake.kind].contains(choice.kind)
        && (choice.identifier == nil || choice.identifier == $0.wake.identifier)
    }
  }

  private func inFront(_ named: AppID?) -> Int? {
    guard let named else {
      return policy.foregroundLimit != nil && front.count == 1 ? front[0] : nil
    }
    return front.contains(Int(named.rawValue)) ? Int(named.rawValue) : nil
  }

  // MARK: Changes

  /// - Precondition: The event is legal.
  mutating func apply(_ event: Event) {
    switch event {
    case .launch(let app):
      standing[Int(app.rawValue)].isForceQuit = false
      if let limit = policy.foregroundLimit, front.count >= limit { sendAway(front[0]) }
      enterFront(Int(app.rawValue))
    case .home(let named), .acceptInterruption(let named):
      inFront(named).map { sendAway($0) }
      if front.isEmpty { isUserPresent = false }
    case .lock:
      isLocked = true
      departing = front.sorted()
      lockedAway = departing.map { ($0, apps[$0].process) }
      for app in departing { leaveFront(app) }
      isUserPresent = false
    case .unlock:
      (isLocked, hasBeenUnlocked) = (false, true)
      welcomeUser()
      for (app, process) in lockedAway
      where apps[app].process == process && apps[app].state != .notRunning && apps[app].quit == nil
      {
        enterFront(app)
      }
      lockedAway = []
    case .interrupt(let named): inFront(named).map { apps[$0].isInterrupted = true }
    case .ignoreInterruption(let named): inFront(named).map { apps[$0].isInterrupted = false }
    case .forceQuit(let app): applyForceQuit(Int(app.rawValue))
    case .reboot:
      for app in apps.indices { standing[app].isForceQuit = false }
      (isLocked, hasBeenUnlocked, isUserPresent) = (true, false, false)
      lockedAway = []
    case .expireTasks(let named, let reason): expireTasks(named, reason)
    case .removeApp(let app):
      let gone = standing[Int(app.rawValue)]
      standing[Int(app.rawValue)] = Standing(
        manifest: Manifest(), refresh: .available, footprint: policy.memory.footprint)
      (standing[Int(app.rawValue)].isRemoved, standing[Int(app.rawValue)].departure) = (
        true, gone.departure
      )
    case .setRefresh(let app?, let status): standing[Int(app.rawValue)].refresh = status
    case .setRefresh(nil, let status): device.backgroundRefresh = status
    case .setFact(let app?, let facts, let holds): standing[Int(app.rawValue)].facts[facts] = holds
    case .setFact(nil, let facts, let holds): device.declared.set(facts, holds: holds)
    case .setDevice(let facts):
      let isHot =
        policy.tasks.thermalExpiry.map { device.thermal < $0 && facts.thermal >= $0 } ?? false
      device = facts
      noteBattery()
      if isHot { expireTasks(nil, .thermal) }
    case .setFootprint(let app, let bytes): standing[Int(app.rawValue)].footprint = bytes
    case .deliver(let app, let kind, _):
      if front.contains(Int(app.rawValue)) { apps[Int(app.rawValue)].waiting.append(.event(kind)) }
    case .returned(let app):
      (apps[Int(app.rawValue)].lastReturn, apps[Int(app.rawValue)].owed) = (
        apps[Int(app.rawValue)].owed, nil
      )
      if case .expiration(_, let task, _, _) = apps[Int(app.rawValue)].lastReturn {
        apps[Int(app.rawValue)].warned.remove(task.id.rawValue)
      }
    default: applyRest(event)
    }
  }

  private mutating func applyRest(_ event: Event) {
    switch event {
    case .setWakeHandler(let app, let wake, let handler):
      applyWakeHandler(wake, handler, Int(app.rawValue))
    case .post(let named, let post): applyPost(named.map { Int($0.rawValue) }, post)
    case .setInterval(let app, let kind, let interval) where start(of: kind) == .opportunity:
      applyFetchInterval(interval, of: kind, Int(app.rawValue))
    case .setInterval(let app, let kind, let interval):
      applyKeepAlive(interval, of: kind, Int(app.rawValue))
    case .submitTask(let app, let request): applySubmission(request, Int(app.rawValue))
    case .cancelTask(let app, let identifier):
      standing[Int(app.rawValue)].requests.removeAll { $0.identifier == identifier }
    case .lockFile(let app): apps[Int(app.rawValue)].locks += 1
    case .unlockFile(let app): apps[Int(app.rawValue)].locks -= 1
    case .useCPU(let app, let share, let length): applyUse(share, length, Int(app.rawValue))
    case .scheduleNotification(let app, let id, let interval):
      applySchedule(id, interval, Int(app.rawValue))
    case .cancelNotification(let app, let id):
      standing[Int(app.rawValue)].notifications.removeAll { $0.id == id }
    default: break
    }
  }

  private mutating func applyForceQuit(_ app: Int) {
    standing[app].isForceQuit = true
    guard apps[app].state.isAwake, apps[app].quit == nil else { return }
    leaveFront(app)
    apps[app].quit = .userForceQuit
  }

  private mutating func expireTasks(_ named: AppID?, _ reason: ExpirationReason) {
    for app in apps.indices
    where apps[app].state == .background && (named.map { Int($0.rawValue) == app } ?? true) {
      apps[app].remaining = min(apps[app].remaining, policy.tasks.warning)
      apps[app].reason = reason
    }
  }

  // MARK: The foreground

  private mutating func enterFront(_ app: Int) {
    front.append(app)
    noteUse(app)
    welcomeUser()
  }

  /// Rule W5: runs that need an idle device end.
  private mutating func welcomeUser() {
    guard !isUserPresent else { return }
    isUserPresent = true
    for app in apps.indices {
      for wake in apps[app].wakes.indices
      where policy.wakes[apps[app].wakes[wake].kind]?.waitsForIdle == true {
        if apps[app].wakes[wake].hasOverrun { continue }
        let warning = times(of: apps[app].wakes[wake]).warning
        let isWarned = apps[app].wakes[wake].handlerDue != nil
        if !isWarned { apps[app].wakes[wake].isUnwanted = true }
        if apps[app].wakes[wake].delivered != nil, !isWarned {
          apps[app].wakes[wake].end = min(apps[app].wakes[wake].end, now + warning)
        }
      }
    }
  }

  mutating func leaveFront(_ app: Int) {
    guard let place = front.firstIndex(of: app) else { return }
    front.remove(at: place)
    departures += 1
    standing[app].departure = departures
    standing[app].leftFront = now
  }

  private mutating func sendAway(_ app: Int) {
    leaveFront(app)
    depart(app)
  }

  /// Rule A9: for some apps, leaving is the end.
  mutating func depart(_ app: Int) {
    apps[app].isInterrupted = false
    if !policy.multitasking || standing[app].manifest.exitsOnSuspend, apps[app].state != .notRunning
    {
      apps[app].quit = .normalAppExit
    }
  }
}
