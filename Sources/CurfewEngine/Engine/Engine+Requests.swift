/// A request that an app has submitted (rule W5).
struct PendingRequest: BitwiseCopyable {
  let app: UInt32
  let identifier: UInt32
  var next = UInt32.max
  var timer = TimerQueue.ID.none
  /// What it was denied for last, so that nobody is told twice.
  var told: DenialReasons = []
  let kind: AssertionKind
  let requiresNetwork: Bool
  let requiresPower: Bool
  /// Its earliest instant has come, and it waits for something else.
  var isWaiting = false
}

/// Requests for app refresh and processing, as `BGTaskScheduler` takes them.
extension Engine {
  mutating func submit(_ request: TaskRequest, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning, request.kind == .appRefresh || request.kind == .processing else { return illegal(app, &actions) }
    precondition(request.earliest >= .zero, "A request of \(request.earliest.nanoseconds) ns ago")
    let id = AppID(rawValue: app)
    if let error = refusal(of: request, app) {
      return actions.append(.request(id, identifier: request.identifier, request.kind, .refused(error)))
    }
    let slot = makeExtras(app)
    let existing = pendingRequest(request.identifier, slot)
    let change: RequestChange = existing == nil ? .submitted : .replaced
    if let existing { remove(existing, slot) }
    let new = requests.insert(
      PendingRequest(
        app: app, identifier: request.identifier, kind: request.kind, requiresNetwork: request.requiresNetwork,
        requiresPower: request.requiresPower))
    append(new, slot)
    // Due at once at the earliest, but after this step: the app may be in the middle of a callback.
    timers.arm(&requests[new].timer, at: now + request.earliest, .request(new))
    actions.append(.request(id, identifier: request.identifier, request.kind, change))
  }

  mutating func cancelRequest(_ identifier: UInt32, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard let slot = extra(app), let existing = pendingRequest(identifier, slot) else { return }
    actions.append(.request(AppID(rawValue: app), identifier: identifier, requests[existing].kind, .cancelled))
    remove(existing, slot)
  }

  /// Why a request is not accepted: the scheduler's own errors, in the order in which they are looked at.
  private func refusal(of request: TaskRequest, _ app: UInt32) -> TaskRequestError? {
    let standing = standingDenials(request.kind, app)
    let row = rows[Int(request.kind.rawValue)]
    guard let limit = row.pendingLimit, standing.isDisjoint(with: [.noMultitasking, .kindNotInPolicy]) else { return .unavailable }
    if !standing.isEmpty || !permittedIdentifiers.contains(Engine.key(app, request.identifier)) { return .notPermitted }
    if !facts(of: app).isDisjoint(with: row.deniedBy.intersection(.backgroundRefresh)) { return .unavailable }
    var (count, place) = (UInt32(0), extra(app).map { extras[$0].firstRequest } ?? .max)
    while place != .max {
      if requests[place].kind == request.kind, requests[place].identifier != request.identifier { count += 1 }
      place = requests[place].next
    }
    return count >= limit ? .tooManyPendingTaskRequests : nil
  }

  // MARK: Starting

  /// A request is due, or what it waits for may have come.
  mutating func requestFired(_ place: UInt32, _ actions: inout ActionBuffer) {
    requests[place].timer = .none
    let (app, kind) = (requests[place].app, requests[place].kind)
    wait(place)
    guard !waits(requests[place]), canHoldMore(app) else { return }
    let (denied, next) = denialsAndBudget(kind, app)
    guard denied.isEmpty else {
      if denied != requests[place].told {
        requests[place].told = denied
        decide(kind, app, denied, next: next, &actions)
      }
      // Nothing else tells when a window has room again.
      if let next { timers.arm(&requests[place].timer, at: next, .request(place)) }
      return
    }
    actions.append(.request(AppID(rawValue: app), identifier: requests[place].identifier, kind, .started))
    remove(place, makeExtras(app))
    decide(kind, app, [], next: nil, &actions)
    admit(kind, app, &actions)
  }

  /// What is not denied but has to be waited for.
  private func waits(_ request: PendingRequest) -> Bool {
    apps[request.app].presence.isInFront
      || (request.requiresNetwork && !deviceFacts.hasNetwork)
      || (request.requiresPower && !deviceFacts.isCharging)
      || (request.kind == .processing && isUserPresent)
  }

  private mutating func wait(_ place: UInt32) {
    guard !requests[place].isWaiting else { return }
    requests[place].isWaiting = true
    waitingRequests += 1
    apps[requests[place].app].flags.insert(.requestsWait)
  }

  /// Looks at an app's waiting requests again, once the step is over.
  mutating func lookAgainAtRequests(of app: UInt32) {
    guard apps[app].flags.contains(.requestsWait), let slot = extra(app) else { return }
    var place = extras[slot].firstRequest
    while place != .max {
      if requests[place].isWaiting { timers.arm(&requests[place].timer, at: now, .request(place)) }
      place = requests[place].next
    }
  }

  /// Looks at every waiting request again: apps in file order, each app's in the order of their submission.
  /// - Complexity: O(apps), but O(1) where none waits.
  mutating func lookAgainAtAllRequests() {
    guard waitingRequests > 0 else { return }
    for app in 0..<UInt32(apps.used) { lookAgainAtRequests(of: app) }
  }

  // MARK: An app's list

  private func pendingRequest(_ identifier: UInt32, _ slot: UInt32) -> UInt32? {
    var place = extras[slot].firstRequest
    while place != .max {
      if requests[place].identifier == identifier { return place }
      place = requests[place].next
    }
    return nil
  }

  private mutating func append(_ new: UInt32, _ slot: UInt32) {
    guard extras[slot].firstRequest != .max else { return extras[slot].firstRequest = new }
    var last = extras[slot].firstRequest
    while requests[last].next != .max { last = requests[last].next }
    requests[last].next = new
  }

  private mutating func remove(_ place: UInt32, _ slot: UInt32) {
    timers.disarm(&requests[place].timer)
    if requests[place].isWaiting { waitingRequests -= 1 }
    if extras[slot].firstRequest == place {
      extras[slot].firstRequest = requests[place].next
    } else {
      var previous = extras[slot].firstRequest
      while requests[previous].next != place { previous = requests[previous].next }
      requests[previous].next = requests[place].next
    }
    requests.free(place)
    if extras[slot].firstRequest == .max { apps[extras[slot].app].flags.remove(.requestsWait) }
  }
}
