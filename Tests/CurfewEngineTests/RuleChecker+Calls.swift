import CurfewEngine

/// The host's calls, one by one: the actions that each may and must cause.
extension RuleChecker {
  /// Checks an event and all its actions.
  mutating func note(_ event: Event, _ actions: [Action]) {
    self.event = event
    hasHadEvents = true
    let isIllegal = isIllegal(event)
    let wasThere = (isLocked, isUserPresent)
    let wasIllegal = actions.contains { if case .illegalEvent = $0 { true } else { false } }
    demand(
      isIllegal == wasIllegal,
      "\(event) \(isIllegal ? "is illegal and was accepted" : "is legal and was rejected")")
    if wasIllegal {
      demand(actions.count == 1, "an illegal event did something: \(actions.map(\.text))")
    } else {
      if let expected = foreseen(event) {
        demand(actions == expected, "\(expected.map(\.text)) expected, got \(actions.map(\.text))")
      }
      apply(event)
      settleLevels()
      reconsider(event, actions)
      if watchesPresence, wasThere != (isLocked, isUserPresent) {
        reconsidering = Array(apps.indices)
      }
    }
    note(actions)
    if case .deliver(let app, _, _) = event, !wasIllegal, !front.contains(Int(app.rawValue)) {
      demand(decisions == 1, "\(decisions) decisions about \(event)")
    }
    if case .reboot = event { noteReboot(actions) }
  }

  /// Checks a deadline and all its actions; `isLook` if only the memory check was due.
  mutating func noteAdvance(_ actions: [Action], isLook: Bool) {
    event = nil
    if isLook { beginLook() }
    if !departing.isEmpty { depart(departing.removeFirst()) }
    goOnReconsidering(actions)
    settleLevels()
    note(actions)
    endLook()
    withdrawing = nil
  }

  /// Checks all actions of one call, in order.
  private mutating func note(_ actions: [Action]) {
    decisions = 0
    started = nil
    for action in actions {
      if mustTerminate == nil, mustLeak.tasks.isEmpty, !mustShow.isEmpty {
        swap(&mustFollow, &mustShow)
      }
      if let expected = mustFollow.first {
        demand(action == expected, "\(expected.text) has to come before \(action.text)")
        mustFollow.removeFirst()
        continue
      }
      if let app = mustTerminate, case .terminated(app, _) = action {
      } else {
        demand(mustTerminate == nil, "no record of an end before \(action.text)")
      }
      if case .leakedTask = action {
      } else {
        demand(mustLeak.tasks.isEmpty, "a leak is missing before \(action.text)")
      }
      note(action)
      settleLevels()
    }
    demand(mustShow.isEmpty, "\(mustShow.map(\.text)) did not come")
    demand(mustDrop.isEmpty, "\(mustDrop.map(\.text)) did not come")
    demand(mustFollow.isEmpty, "\(mustFollow.map(\.text)) did not come")
    demand(mustTerminate == nil, "a process ended without a record")
    demand(mustEndTwice == nil, "an app outlives the second completion of its wake")
    demand(mustLeak.tasks.isEmpty, "a leak is missing")
    for app in apps.indices {
      demand(
        apps[app].killed == nil,
        "app \(app) outlives its \(apps[app].killed.map { "\($0.kind)" } ?? "")")
      demand(
        apps[app].tasks.count + apps[app].lateEnds <= policy.tasks.limit,
        "app \(app) holds too many tasks")
      warn(app)
      lookAtPassedWarning(app)
      settleStillOpen(app)
      warnRuns(app)
      watchBusy(app)
    }
  }

  /// All deadlines of this instant have come: those without an action are past.
  mutating func settle() {
    demand(
      reconsidering.allSatisfy { withdrawals($0).isEmpty },
      "an assertion that is no longer allowed continues")
    reconsidering = []
    for app in apps.indices {
      passOverOpportunities(app)
      passOverNotifications(app)
    }
  }

  /// The actions of events whose immediate effects are known beforehand.
  private func foreseen(_ event: Event) -> [Action]? {
    switch event {
    case .setFootprint, .lockFile, .unlockFile, .useCPU, .scheduleNotification, .cancelNotification:
      return []
    case .setInterval(let id, let kind, let interval) where start(of: kind) == .opportunity:
      let denied = standingDenials(kind, Int(id.rawValue))
      return interval == nil || denied.isEmpty
        ? [] : [.decision(id, kind, denied: denied, next: nil)]
    case .setInterval(let id, let kind, let interval):
      guard let interval else { return [] }
      let (denied, next) = keepAliveDenials(interval, of: kind, Int(id.rawValue))
      return denied.isEmpty ? [] : [.decision(id, kind, denied: denied, next: next)]
    case .submitTask(let id, let request):
      return [
        .request(
          id, identifier: request.identifier, request.kind, answer(to: request, Int(id.rawValue)))
      ]
    case .cancelTask(let id, let identifier):
      let known = standing[Int(id.rawValue)].requests.first { $0.identifier == identifier }
      return known.map { [.request(id, identifier: identifier, $0.kind, .cancelled)] } ?? []
    default: return nil
    }
  }

  private func noteReboot(_ actions: [Action]) {
    let ended: [AppID] = actions.compactMap {
      if case .terminated(let app, _) = $0 { app } else { nil }
    }
    demand(ended == ended.sorted(), "a reboot ended \(ended.map(\.text))")
    demand(apps.allSatisfy { $0.state == .notRunning }, "an app survived a reboot")
  }
}
