import CurfewEngine

/// Requests for app refresh and processing (rule W5).
extension RuleChecker {
  struct Request {
    let identifier: UInt32
    let kind: AssertionKind
    let earliest: Instant
    let requiresNetwork: Bool
    let requiresPower: Bool
    /// What it was denied for last.
    var told: DenialReasons = []
  }

  /// What the scheduler answers, in the order in which it looks.
  func answer(to request: TaskRequest, _ app: Int) -> RequestChange {
    let manifest = standing[app].manifest
    guard policy.multitasking, let row = policy.wakes[request.kind], let limit = row.pendingLimit else { return .refused(.unavailable) }
    let isDeclared = row.modes.isEmpty || !row.modes.isDisjoint(with: manifest.backgroundModes)
    guard manifest.permittedIdentifiers.contains(request.identifier), isDeclared, !manifest.exitsOnSuspend else {
      return .refused(.notPermitted)
    }
    if !facts(app).isDisjoint(with: row.deniedBy.intersection(.refresh)) { return .refused(.unavailable) }
    let others = standing[app].requests.filter { $0.identifier != request.identifier }
    if others.filter({ $0.kind == request.kind }).count >= limit { return .refused(.tooManyPendingTaskRequests) }
    return others.count < standing[app].requests.count ? .replaced : .submitted
  }

  mutating func applySubmission(_ request: TaskRequest, _ app: Int) {
    if case .refused = answer(to: request, app) { return }
    standing[app].requests.removeAll { $0.identifier == request.identifier }
    standing[app].requests.append(
      Request(
        identifier: request.identifier, kind: request.kind, earliest: now + request.earliest, requiresNetwork: request.requiresNetwork,
        requiresPower: request.requiresPower))
  }

  /// What is waited for and not denied.
  private func waits(_ request: Request, _ app: Int) -> Bool {
    request.earliest > now || front.contains(app) || (request.requiresNetwork && !device.hasNetwork)
      || (request.requiresPower && !device.isCharging) || (request.kind == .processing && isUserPresent)
  }

  mutating func noteStart(_ identifier: UInt32, _ kind: AssertionKind, _ app: Int) {
    demand(event == nil, "request \(identifier) was started within a step")
    guard let place = standing[app].requests.firstIndex(where: { $0.identifier == identifier }) else {
      return demand(false, "\(identifier) is not pending")
    }
    let request = standing[app].requests.remove(at: place)
    demand(request.kind == kind && !waits(request, app), "\(identifier) was started too early")
    started = identifier
    let denied = wakeDenials(kind, app)
    demand(denied.isEmpty, "\(identifier) was started in spite of \(denied.text)")
  }

  /// A denial is told once for the same reasons.
  mutating func noteDenial(_ kind: AssertionKind, _ denied: DenialReasons, _ app: Int) {
    let place = standing[app].requests.firstIndex { $0.kind == kind && !waits($0, app) && $0.told != denied }
    guard let place else { return demand(false, "\(kind) was denied again, or to nobody") }
    standing[app].requests[place].told = denied
  }

  /// Between steps nothing is pending but what waits or has been told why it is denied.
  func checkRequests(_ app: Int) {
    for request in standing[app].requests where !waits(request, app) {
      let denied = wakeDenials(request.kind, app)
      demand(!denied.isEmpty, "request \(request.identifier) of app \(app) should have started")
      // A budget fills and empties with time alone, which nobody is told of while something else denies the request as well.
      let isTold = request.told == denied || (denied != .budget && request.told.union(.budget) == denied.union(.budget))
      demand(isTold, "request \(request.identifier) of app \(app) is denied for \(denied.text), and was told \(request.told.text)")
    }
  }
}
