/// A request that an app has submitted (rule W5).
struct PendingRequest: Linked {
  var next = Place<PendingRequest>.nowhere
  var timer = TimerQueue.ID.none
  let app: AppID
  let identifier: UInt32
  /// The reasons of the last denial, so that the same denial is not emitted twice.
  var told: DenialReasons = []
  let kind: AssertionKind
  let requiresNetwork: Bool
  let requiresPower: Bool
  /// The instant before which the request does not start.
  let earliest: Instant
  /// Whether the request could have started and waits for something. Such a request is examined
  /// again after every change. A request whose row has an alignment has a deadline instead.
  fileprivate(set) var isWaiting = false

  init(_ request: TaskRequest, of app: AppID, at now: Instant) {
    (self.app, identifier, kind, earliest) = (
      app, request.identifier, request.kind, now + request.earliest
    )
    (requiresNetwork, requiresPower) = (request.requiresNetwork, request.requiresPower)
  }
}

/// The start of an app's last requested run of a kind (rule W5). Outlives the process.
struct RequestedRun: Linked {
  var next = Place<RequestedRun>.nowhere
  let kind: AssertionKind
  var start: Instant
}

/// The requests of all apps, their last runs, and the identifiers that their manifests permit.
///
/// Invariants: a pending request is in its app's chain, in order of submission; no two of a chain
/// have the same identifier; each has a deadline or is waiting; `waiting` is the number of
/// waiting requests.
struct Requests: ~Copyable {
  private(set) var records = Slab<PendingRequest>()
  private(set) var runs = Slab<RequestedRun>()
  private var permitted: Set<AppKey> = []
  private(set) var waiting = 0

  init() {}

  private init(copying other: borrowing Requests) {
    records = other.records.copy()
    runs = other.runs.copy()
    (permitted, waiting) = (other.permitted, other.waiting)
  }

  func copy() -> Requests { Requests(copying: self) }

  subscript(place: Place<PendingRequest>) -> PendingRequest {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: place)) }
    @inline(__always) unsafeMutableAddress { records.address(of: place) }
  }

  mutating func permit(_ identifiers: [UInt32], to app: AppID) {
    for identifier in identifiers { permitted.insert(AppKey(app: app, number: identifier)) }
  }

  mutating func forgetRuns(_ chain: inout Chain<RequestedRun>) { runs.removeAll(of: &chain) }

  /// - Complexity: O(identifiers of all apps).
  mutating func forbidAll(to app: AppID) { permitted = permitted.filter { $0.app != app } }

  func permits(_ identifier: UInt32, to app: AppID) -> Bool {
    permitted.contains(AppKey(app: app, number: identifier))
  }

  func walk(_ chain: Chain<PendingRequest>) -> Walk<PendingRequest> { records.walk(chain) }

  func pending(_ identifier: UInt32, in chain: Chain<PendingRequest>) -> Place<PendingRequest>? {
    records.first(in: chain) { $0.identifier == identifier }
  }

  /// The start of the last run of a kind; nil if there was none.
  func lastRun(_ kind: AssertionKind, in chain: Chain<RequestedRun>) -> Instant? {
    runs.first(in: chain) { $0.kind == kind }.map { runs[$0].start }
  }

  mutating func noteRun(_ kind: AssertionKind, at now: Instant, in chain: inout Chain<RequestedRun>)
  {
    if let place = runs.first(in: chain, where: { $0.kind == kind }) {
      runs[place].start = now
    } else {
      _ = runs.append(RequestedRun(kind: kind, start: now), to: &chain)
    }
  }

  /// The number of pending requests of the same kind with another identifier.
  func count(beside request: TaskRequest, in chain: Chain<PendingRequest>) -> Int {
    var count = 0
    records.forEach(in: chain) {
      if $0.kind == request.kind, $0.identifier != request.identifier { count += 1 }
    }
    return count
  }

  mutating func add(_ request: PendingRequest, to chain: inout Chain<PendingRequest>) -> Place<
    PendingRequest
  > {
    records.append(request, to: &chain)
  }

  /// - Precondition: The request's timer is disarmed.
  mutating func remove(_ place: Place<PendingRequest>, from chain: inout Chain<PendingRequest>) {
    precondition(
      records[place].timer == .none, "Request \(records[place].identifier) leaves a deadline behind"
    )
    if records[place].isWaiting { waiting -= 1 }
    records.remove(place, from: &chain)
  }

  mutating func wait(_ place: Place<PendingRequest>) {
    guard !records[place].isWaiting else { return }
    records[place].isWaiting = true
    waiting += 1
  }

  mutating func stopWaiting(_ place: Place<PendingRequest>) {
    guard records[place].isWaiting else { return }
    records[place].isWaiting = false
    waiting -= 1
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var (count, waiting, started) = (0, 0, 0)
    for app in apps.ids {
      started += runs.count(apps[extras: app].requestedRuns)
      var identifiers = Set<UInt32>()
      records.forEach(in: apps[extras: app].requests) { request in
        precondition(
          request.app == app && identifiers.insert(request.identifier).inserted,
          "app \(app.rawValue)'s requests are broken")
        precondition(
          request.isWaiting || request.timer != .none,
          "nothing will start app \(app.rawValue)'s request \(request.identifier)")
        count += 1
        if request.isWaiting { waiting += 1 }
      }
    }
    precondition(count == records.count && waiting == self.waiting, "requests are miscounted")
    precondition(started == runs.count, "requested runs belong to no app")
  }
}
