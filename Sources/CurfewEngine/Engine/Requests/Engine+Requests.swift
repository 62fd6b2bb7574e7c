/// Requests for app refresh and processing, as `BGTaskScheduler` accepts them (rule W5).
extension Engine {
  @discardableResult
  mutating func submit(_ request: TaskRequest, of app: AppID, _ actions: inout ActionBuffer)
    -> EventAnswer
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
    // The request is due now at the earliest, but after this step: the app may be in the middle
    // of a callback.
    arm(new, notBefore: earliestStart(requests[new]))
    return tell(existing == nil ? .submitted : .replaced, of: request, app, &actions)
  }

  private func tell(
    _ change: RequestChange, of request: TaskRequest, _ app: AppID, _ actions: inout ActionBuffer
  ) -> EventAnswer {
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

  /// An app's pending requests, in order of submission. Their `earliest` counts from now.
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

  /// The reason why a request is refused, or nil: the scheduler's own errors, in the order
  /// of the checks.
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

  /// Arms a request for the first opportunity not before `earliest`. At the end of time there
  /// is none, and the request stays pending.
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

  /// The instant from which a request may start: not before its own bound, nor before the policy's
  /// interval after the app's last requested run of the kind.
  private func earliestStart(_ request: PendingRequest) -> Instant {
    guard let last = requests.lastRun(request.kind, in: apps[extras: request.app].requestedRuns)
    else { return request.earliest }
    return max(request.earliest, last + rows[request.kind].schedule.minimumInterval)
  }

  /// Examines a request: at an opportunity, or after a change to something that it may wait for.
  mutating func requestFired(_ place: Place<PendingRequest>, _ actions: inout ActionBuffer) {
    schedules.fired(&requests[place].timer)
    let (app, kind) = (requests[place].app, requests[place].kind)
    let earliest = earliestStart(requests[place])
    guard earliest <= now else {
      // Only the passing of time changes this.
      requests.stopWaiting(place)
      return arm(place, notBefore: earliest)
    }
    // If the row has an alignment, the request is examined at the next opportunity; otherwise after
    // every change.
    if rows[kind].schedule.alignment > .zero { arm(place, notBefore: now) } else { wait(place) }
    guard !waits(requests[place]), canHoldMore(app) else { return }
    let (denied, next) = denialsAndBudget(kind, app)
    guard denied.isEmpty else {
      if denied != requests[place].told {
        requests[place].told = denied
        deny(kind, app, denied, next: next, &actions)
      }
      // No event reports that a window has room again.
      if let next, rows[kind].schedule.alignment == .zero { arm(place, notBefore: next) }
      return
    }
    let identifier = requests[place].identifier
    actions.append(.request(app, identifier: identifier, kind, .started))
    remove(place, of: app)
    requests.noteRun(kind, at: now, in: &apps[extras: app].requestedRuns)
    admit(kind, from: identifier, app, &actions)
  }

  /// Whether a request has to wait for a condition that is not a denial.
  private func waits(_ request: PendingRequest) -> Bool {
    apps[request.app].presence.isInFront
      || (request.requiresNetwork && !deviceFacts.hasNetwork)
      || (request.requiresPower && !deviceFacts.charging)
      || (lock.isUserPresent && rows[request.kind].waitsForIdle)
      || oldest(of: request.app) { $0.identifier == request.identifier && $0.phase != .lingering }
        != nil
  }

  private mutating func remove(_ place: Place<PendingRequest>, of app: AppID) {
    schedules.disarm(&requests[place].timer, &timers)
    requests.remove(place, from: &apps[extras: app].requests)
    if apps[extras: app].requests.isEmpty { apps[app].flags.remove(.requestsWait) }
  }

  /// Removes all requests of an app without an action.
  mutating func removeRequests(of app: AppID) {
    var walk = requests.walk(apps[extras: app].requests)
    while let place = walk.next(in: requests.records) { remove(place, of: app) }
    requests.forgetRuns(&apps[extras: app].requestedRuns)
  }

  /// Arms an app's waiting requests to be examined after the step.
  mutating func lookAgainAtRequests(of app: AppID) {
    guard apps[app].flags.contains(.requestsWait) else { return }
    var walk = requests.walk(apps[extras: app].requests)
    while let place = walk.next(in: requests.records) {
      let leeway = rows[requests[place].kind].leewayOfStarts
      let isComing =
        requests[place].timer != .none && timers.deadline(of: requests[place].timer) <= now + leeway
      // Keeps a deadline within the leeway: a leeway that has begun does not begin again.
      if requests[place].isWaiting, leeway == .zero || !isComing { arm(place, notBefore: now) }
    }
  }

  /// Arms every waiting request to be examined after the step: apps in file order, the requests
  /// of each in order of submission.
  /// - Complexity: O(apps), or O(1) if no request waits.
  mutating func lookAgainAtAllRequests() {
    guard requests.waiting > 0 else { return }
    for app in apps.ids { lookAgainAtRequests(of: app) }
  }
}
