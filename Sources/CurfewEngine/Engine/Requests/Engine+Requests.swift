/// Requests for app refresh and processing, as `BGTaskScheduler` takes them (rule W5).
extension Engine {
  @discardableResult
  mutating func submit(_ request: TaskRequest, of app: AppID, _ actions: inout ActionBuffer)
    -> Answer
  {
    guard apps[app].isRunning, rows.known(request.kind).start == .request else {
      return answerIllegal(app, idleness(of: app) ?? .otherKind, &actions)
    }
    precondition(request.earliest >= .zero, "A request of \(request.earliest.nanoseconds) ns ago")
    if let error = refusal(of: request, app) {
      return tell(.refused(error), of: request, app, &actions)
    }
    let existing = requests.pending(request.identifier, in: apps[extras: app].requests)
    if let existing { remove(existing, of: app) }
    let new = requests.add(
      PendingRequest(request, of: app, at: now), to: &apps[extras: app].requests)
    // Due at once at the earliest, but after this step: the app may be in the middle of a callback.
    arm(new, notBefore: earliestStart(requests[new]))
    return tell(existing == nil ? .submitted : .replaced, of: request, app, &actions)
  }

  private func tell(
    _ change: RequestChange, of request: TaskRequest, _ app: AppID, _ actions: inout ActionBuffer
  ) -> Answer {
    actions.append(.request(app, identifier: request.identifier, request.kind, change))
    return .request(request.kind, change)
  }

  mutating func cancelRequest(_ identifier: UInt32, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard let existing = requests.pending(identifier, in: apps[extras: app].requests) else {
      return
    }
    actions.append(.request(app, identifier: identifier, requests[existing].kind, .cancelled))
    remove(existing, of: app)
  }

  /// An app's pending requests, in the order of their submission; what is `earliest` counts from
  /// now on.
  /// - Complexity: O(its pending requests).
  package func pendingRequests(of app: AppID) -> [TaskRequest] {
    var pending: [TaskRequest] = []
    requests.records.forEach(in: apps[extras: app].requests) { request in
      pending.append(
        TaskRequest(
          identifier: request.identifier, kind: request.kind,
          earliest: max(.zero, request.earliest - now),
          requiresNetwork: request.requiresNetwork, requiresPower: request.requiresPower))
    }
    return pending
  }

  /// Why a request is not accepted: the scheduler's own errors, in the order in which they are
  /// looked at.
  private func refusal(of request: TaskRequest, _ app: AppID) -> TaskRequestError? {
    let standing = standingDenials(request.kind, app)
    let row = rows[request.kind]
    guard let limit = row.pendingLimit,
      standing.isDisjoint(with: [.noMultitasking, .kindNotInPolicy])
    else { return .unavailable }
    if !standing.isEmpty || !requests.permits(request.identifier, to: app) { return .notPermitted }
    if !circumstances(of: app).failing.isDisjoint(
      with: row.deniedBy.intersection(.backgroundRefresh))
    {
      return .unavailable
    }
    return requests.count(beside: request, in: apps[extras: app].requests) >= limit
      ? .tooManyPendingTaskRequests : nil
  }

  // MARK: Starting

  /// Has a request looked at on the first opportunity that is not before `earliest`. At the end
  /// of time there is none, and it stays pending.
  private mutating func arm(_ place: Place<PendingRequest>, notBefore earliest: Instant) {
    let row = rows[requests[place].kind]
    if let next = row.schedule.opportunityForRequest(notBefore: earliest, from: now) {
      let start = Leeway.roundest(from: next, within: row.leewayOfStarts)
      schedules.arm(&requests[place].timer, at: start, .request(place), &timers)
    } else {
      wait(place)
    }
  }

  private mutating func wait(_ place: Place<PendingRequest>) {
    requests.wait(place)
    apps[requests[place].app].flags.insert(.requestsWait)
  }

  /// From when on a request may start: its own bound, and the policy's interval after the app's
  /// last requested run of its kind.
  private func earliestStart(_ request: PendingRequest) -> Instant {
    guard let last = requests.lastRun(request.kind, in: apps[extras: request.app].requestedRuns)
    else { return request.earliest }
    return max(request.earliest, last + rows[request.kind].schedule.minimumInterval)
  }

  /// An opportunity for a request, or what it waits for may have come.
  mutating func requestFired(_ place: Place<PendingRequest>, _ actions: inout ActionBuffer) {
    schedules.fired(&requests[place].timer)
    let (app, kind) = (requests[place].app, requests[place].kind)
    let earliest = earliestStart(requests[place])
    guard earliest <= now else {
      // Nothing but time moves it.
      requests.stopWaiting(place)
      return arm(place, notBefore: earliest)
    }
    // Where the row names opportunities, the next is when it is looked at again; else whenever
    // anything has changed.
    if rows[kind].schedule.alignment > .zero { arm(place, notBefore: now) } else { wait(place) }
    guard !waits(requests[place]), canHoldMore(app) else { return }
    let (denied, next) = denialsAndBudget(kind, app)
    guard denied.isEmpty else {
      if denied != requests[place].told {
        requests[place].told = denied
        deny(kind, app, denied, next: next, &actions)
      }
      // Nothing else tells when a window has room again.
      if let next, rows[kind].schedule.alignment == .zero { arm(place, notBefore: next) }
      return
    }
    let identifier = requests[place].identifier
    actions.append(.request(app, identifier: identifier, kind, .started))
    remove(place, of: app)
    requests.noteRun(kind, at: now, in: &apps[extras: app].requestedRuns)
    admit(kind, from: identifier, app, &actions)
  }

  /// What is not denied but has to be waited for.
  private func waits(_ request: PendingRequest) -> Bool {
    apps[request.app].presence.isInFront
      || (request.requiresNetwork && !deviceFacts.hasNetwork)
      || (request.requiresPower && !deviceFacts.isCharging)
      || (lock.isUserPresent && rows[request.kind].waitsForIdle)
      || oldest(of: request.app) { $0.identifier == request.identifier && $0.phase != .lingering }
        != nil
  }

  private mutating func remove(_ place: Place<PendingRequest>, of app: AppID) {
    schedules.disarm(&requests[place].timer, &timers)
    requests.remove(place, from: &apps[extras: app].requests)
    if apps[extras: app].requests.isEmpty { apps[app].flags.remove(.requestsWait) }
  }

  /// Takes all of an app's requests back, without a word.
  mutating func removeRequests(of app: AppID) {
    var walk = requests.walk(apps[extras: app].requests)
    while let place = walk.next(in: requests.records) { remove(place, of: app) }
    requests.forgetRuns(&apps[extras: app].requestedRuns)
  }

  /// Looks at an app's waiting requests again, once the step is over.
  mutating func lookAgainAtRequests(of app: AppID) {
    guard apps[app].flags.contains(.requestsWait) else { return }
    var walk = requests.walk(apps[extras: app].requests)
    while let place = walk.next(in: requests.records) {
      let leeway = rows[requests[place].kind].leewayOfStarts
      let isComing =
        requests[place].timer != .none && timers.deadline(of: requests[place].timer) <= now + leeway
      // A leeway that has begun does not begin anew.
      if requests[place].isWaiting, leeway == .zero || !isComing { arm(place, notBefore: now) }
    }
  }

  /// Looks at every waiting request again: apps in file order, each app's in the order of
  /// their submission.
  /// - Complexity: O(apps), but O(1) where none waits.
  mutating func lookAgainAtAllRequests() {
    guard requests.waiting > 0 else { return }
    for app in apps.ids { lookAgainAtRequests(of: app) }
  }
}
