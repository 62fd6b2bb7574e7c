import CurfewEngine

/// Requests for app refresh and processing (rule W5).
extension RuleChecker {
  struct Request {
    let identifier: UInt32
    let kind: AssertionKind
    let earliest: Instant
    let requiresNetwork: Bool
    let requiresPower: Bool
    let submission: Instant
    /// The reasons of the last reported denial.
    var told: DenialReasons = []
    /// The last opportunity at which nothing stood in its way when the instant began.
    var opportunity: Instant?
    /// The instant since which only these reasons have stood in its way.
    var free: (since: Instant, denied: DenialReasons)?
  }

  /// The scheduler's answer, in the order of its checks.
  func answer(to request: TaskRequest, _ app: Int) -> RequestChange {
    let manifest = standing[app].manifest
    guard policy.multitasking, let row = policy.wakes[request.kind], let limit = row.pendingLimit
    else { return .refused(.unavailable) }
    let isDeclared = row.modes.isEmpty || !row.modes.isDisjoint(with: manifest.backgroundModes)
    guard manifest.permittedIdentifiers.contains(request.identifier), isDeclared,
      !manifest.exitsOnSuspend
    else {
      return .refused(.notPermitted)
    }
    if row.conditions.requires.contains(.backgroundRefresh), !facts(app).isDisjoint(with: .refresh)
    {
      return .refused(.unavailable)
    }
    let others = standing[app].requests.filter { $0.identifier != request.identifier }
    if others.filter({ $0.kind == request.kind }).count >= limit {
      return .refused(.tooManyPendingTaskRequests)
    }
    return others.count < standing[app].requests.count ? .replaced : .submitted
  }

  mutating func applySubmission(_ request: TaskRequest, _ app: Int) {
    if case .refused = answer(to: request, app) { return }
    standing[app].requests.removeAll { $0.identifier == request.identifier }
    standing[app].requests.append(
      Request(
        identifier: request.identifier, kind: request.kind, earliest: now + request.earliest,
        requiresNetwork: request.requiresNetwork,
        requiresPower: request.requiresPower, submission: now))
  }

  /// Whether a request waits for a condition that is not a denial.
  private func waits(_ request: Request, _ app: Int) -> Bool {
    request.earliest > now || front.contains(app) || (request.requiresNetwork && !device.hasNetwork)
      || (request.requiresPower && !device.charging)
      || (policy.wakes[request.kind]?.waitsForIdle == true && isUserPresent)
      || apps[app].wakes.contains { $0.identifier == request.identifier } || isTooSoon(request, app)
  }

  /// Whether the app's last requested run of the kind is closer than the policy's interval.
  private func isTooSoon(_ request: Request, _ app: Int) -> Bool {
    guard let last = standing[app].lastRuns[request.kind], let row = policy.wakes[request.kind]
    else { return false }
    return last + row.schedule.minimumInterval > now
  }

  private func alignment(_ kind: AssertionKind) -> Interval {
    policy.wakes[kind]?.schedule.alignment ?? .zero
  }

  /// Whether a request of this kind may start at this very instant; a late host may start it
  /// at any.
  private func isOpportunity(_ request: Request) -> Bool {
    let step = alignment(request.kind).nanoseconds
    return step == 0 || (request.submission < now && (!isPunctual || now.nanoseconds % step == 0))
  }

  /// At the beginning of an instant: notes the requests that might start at it.
  mutating func noteOpportunities(_ app: Int) {
    for index in standing[app].requests.indices {
      let request = standing[app].requests[index]
      guard alignment(request.kind) > .zero, isOpportunity(request), !waits(request, app) else {
        continue
      }
      standing[app].requests[index].opportunity = now
    }
  }

  mutating func noteStart(_ identifier: UInt32, _ kind: AssertionKind, _ app: Int) {
    demand(event == nil, "request \(identifier) was started within a step")
    guard let place = standing[app].requests.firstIndex(where: { $0.identifier == identifier })
    else {
      return demand(false, "\(identifier) is not pending")
    }
    let request = standing[app].requests.remove(at: place)
    demand(
      request.kind == kind && !waits(request, app) && isOpportunity(request),
      "\(identifier) was started too early")
    standing[app].lastRuns[kind] = now
    started = identifier
    let denied = wakeDenials(kind, app)
    demand(denied.isEmpty, "\(identifier) was started in spite of \(denied.text)")
  }

  /// A denial is reported once for the same reasons.
  mutating func noteDenial(_ kind: AssertionKind, _ denied: DenialReasons, _ app: Int) {
    let place = standing[app].requests.firstIndex {
      $0.kind == kind && !waits($0, app) && isOpportunity($0) && $0.told != denied
    }
    guard let place else { return demand(false, "\(kind) was denied again, or for no request") }
    standing[app].requests[place].told = denied
  }

  /// Between steps, every pending request waits, or its denial has been reported.
  mutating func checkRequests(_ app: Int) {
    for place in standing[app].requests.indices {
      let request = standing[app].requests[place]
      guard !waits(request, app) else {
        standing[app].requests[place].free = nil
        continue
      }
      if alignment(request.kind) > .zero {
        // Requests are decided on opportunities only. Later changes at the same instant do
        // not count.
        guard isPunctual, !hasHadEvents, request.opportunity == now else { continue }
        demand(
          !request.told.isEmpty,
          "request \(request.identifier) of app \(app) should have started on its opportunity")
        continue
      }
      let denied = wakeDenials(request.kind, app)
      if request.free?.denied != denied { standing[app].requests[place].free = (now, denied) }
      // Within its leeway it may not have been decided yet.
      let leeway = policy.wakes[request.kind]?.leeway ?? .zero
      if leeway > .zero, now <= (standing[app].requests[place].free?.since ?? now) + leeway {
        continue
      }
      demand(!denied.isEmpty, "request \(request.identifier) of app \(app) should have started")
      // A budget fills and empties with time alone. While another reason denies the request as
      // well, such a change is not reported.
      let isTold =
        request.told == denied
        || (denied != .budget && request.told.union(.budget) == denied.union(.budget))
      // Requests of one kind are decided at different instants within their leeway, and the denial
      // does not say which of them it was for.
      let isAlone = leeway == .zero || standing[app].requests.count { $0.kind == request.kind } == 1
      demand(
        isTold || !isAlone,
        "request \(request.identifier) of app \(app) is denied for \(denied.text), but \(request.told.text) was reported"
      )
    }
  }
}
