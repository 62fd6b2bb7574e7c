/// A suspension without delay. It is due at once, but keeps its place among the deadlines
/// of this instant.
struct DueSuspension: BitwiseCopyable {
  let app: AppID
  let deadline: Instant
  let ticket: UInt64
}

/// Suspension (rule A6). It is a deadline even if the policy's delay is zero, so that a step runs
/// to its end first (rule C2).
extension Engine {
  /// Sets or cancels the suspension of an app after a change to anything that it depends on.
  @inline(__always)
  mutating func updateSuspension(_ app: AppID) {
    let isIdle =
      apps[app].state == .background && apps[app].presence == .background
      && apps[app].delivery == .none
      && apps[app].items.isEmpty && apps[app].openTasks == 0 && apps[app].otherAssertions == 0
    guard isIdle == apps[app].flags.isDisjoint(with: .suspensionIsSet) else { return }
    if isIdle { setSuspension(app) } else { takeSuspensionAway(app) }
  }

  private mutating func setSuspension(_ app: AppID) {
    let deadline =
      Instant(nanoseconds: apps[app].quietSince)
      + (isFrozenByRefresh(app) ? .zero : policy.suspendDelay)
    if deadline > now {
      apps[app].flags.insert(.suspensionWaits)
      apps[app].timer = timers.insert(deadline, payload: Deadline.suspension(app).payload)
    } else {
      // The suspension is due at once, the usual case: a plain queue costs less than the
      // timer queue.
      let ticket = timers.takeTicket()
      apps[app].flags.insert(.suspensionDue)
      apps[app].timer = TimerQueue.ID(index: UInt32(truncatingIfNeeded: ticket))
      dueSuspensions.append(DueSuspension(app: app, deadline: now, ticket: ticket))
    }
  }

  /// Cancels a suspension. A suspension that is set again counts as created at that time.
  mutating func takeSuspensionAway(_ app: AppID) {
    if apps[app].flags.contains(.suspensionWaits) { timers.disarm(&apps[app].timer) }
    guard apps[app].flags.contains(.suspensionDue) else {
      return apps[app].flags.subtract(.suspensionIsSet)
    }
    apps[app].timer = .none
    apps[app].flags.subtract(.suspensionIsSet)
    dropSuspensionsTakenAway()
  }

  mutating func takeDueSuspension(_ actions: inout ActionBuffer) {
    guard let due = dueSuspensions.popFirst() else { return }
    suspend(due.app, &actions)
    dropSuspensionsTakenAway()
  }

  /// Drops cancelled suspensions at the front, so that the first one is always still to come.
  private mutating func dropSuspensionsTakenAway() {
    while let first = dueSuspensions.first, !isDue(first) { _ = dueSuspensions.popFirst() }
  }

  private func isDue(_ suspension: DueSuspension) -> Bool {
    apps[suspension.app].flags.contains(.suspensionDue)
      && apps[suspension.app].timer.index == UInt32(truncatingIfNeeded: suspension.ticket)
  }

  mutating func suspend(_ app: AppID, _ actions: inout ActionBuffer) {
    apps[app].timer = .none
    apps[app].flags.subtract(.suspensionIsSet)
    if policy.lockedFiles.terminates, apps[app].flags.contains(.holdsLock) {
      return terminate(
        app, EngineProcessEnd(reason: .suspendedWithLockedFile, code: policy.lockedFiles.code),
        &actions)
    }
    setState(.suspended, of: app, &actions)
  }

  // MARK: Locked files (rule D3)

  mutating func lockFile(_ app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    apps[extras: app].locks &+= 1
    apps[app].flags.insert(.holdsLock)
  }

  mutating func unlockFile(_ app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, apps[app].flags.contains(.holdsLock) else {
      return illegal(app, idleness(of: app) ?? .noLockedFile, &actions)
    }
    apps[extras: app].locks -= 1
    if apps[extras: app].locks == 0 { apps[app].flags.remove(.holdsLock) }
  }
}
