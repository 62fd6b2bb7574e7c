/// A request that an app has submitted (rule W5).
struct PendingRequest: Linked {
  var next = Place<PendingRequest>.nowhere
  var timer = TimerQueue.ID.none
  let app: AppID
  let identifier: UInt32
  /// What it was denied for last, so that nobody is told twice.
  var told: DenialReasons = []
  let kind: AssertionKind
  let requiresNetwork: Bool
  let requiresPower: Bool
  /// Its earliest instant has come, and it waits for something else.
  fileprivate(set) var isWaiting = false

  init(_ request: TaskRequest, of app: AppID) {
    (self.app, identifier, kind) = (app, request.identifier, request.kind)
    (requiresNetwork, requiresPower) = (request.requiresNetwork, request.requiresPower)
  }
}

/// The requests of all apps, and the identifiers that their manifests permit.
///
/// Invariants: a pending request lies in its own app's chain, in the order of submission, and no two of a chain have the same identifier;
/// each has a deadline or is waiting;
/// `waiting` counts those that are.
struct Requests: ~Copyable {
  private(set) var records = Slab<PendingRequest>()
  private var permitted: Set<AppKey> = []
  private(set) var waiting = 0

  init() {}

  private init(copying other: borrowing Requests) {
    records = other.records.copy()
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

  func permits(_ identifier: UInt32, to app: AppID) -> Bool { permitted.contains(AppKey(app: app, number: identifier)) }

  func walk(_ chain: Chain<PendingRequest>) -> Walk<PendingRequest> { records.walk(chain) }

  func pending(_ identifier: UInt32, in chain: Chain<PendingRequest>) -> Place<PendingRequest>? {
    records.first(in: chain) { $0.identifier == identifier }
  }

  /// How many requests of this one's kind are pending beside it.
  func count(beside request: TaskRequest, in chain: Chain<PendingRequest>) -> Int {
    var count = 0
    records.forEach(in: chain) { if $0.kind == request.kind, $0.identifier != request.identifier { count += 1 } }
    return count
  }

  mutating func add(_ request: PendingRequest, to chain: inout Chain<PendingRequest>) -> Place<PendingRequest> {
    records.append(request, to: &chain)
  }

  /// - Precondition: Its timer has been disarmed.
  mutating func remove(_ place: Place<PendingRequest>, from chain: inout Chain<PendingRequest>) {
    precondition(records[place].timer == .none, "Request \(records[place].identifier) leaves a deadline behind")
    if records[place].isWaiting { waiting -= 1 }
    records.remove(place, from: &chain)
  }

  mutating func wait(_ place: Place<PendingRequest>) {
    guard !records[place].isWaiting else { return }
    records[place].isWaiting = true
    waiting += 1
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var (count, waiting) = (0, 0)
    for app in apps.ids {
      var identifiers = Set<UInt32>()
      records.forEach(in: apps[extras: app].requests) { request in
        precondition(request.app == app && identifiers.insert(request.identifier).inserted, "app \(app.rawValue)'s requests are broken")
        precondition(request.isWaiting || request.timer != .none, "nothing will start app \(app.rawValue)'s request \(request.identifier)")
        count += 1
        if request.isWaiting { waiting += 1 }
      }
    }
    precondition(count == records.count && waiting == self.waiting, "requests are miscounted")
  }
}
