import CurfewEngine

/// A user of a fleet's device: which apps there are, and what the user is in the middle of.
struct FleetUser {
  /// What the next thing that is due is.
  var next = Next.unlock
  /// How many apps are still to be visited, after the one in front.
  var visitsLeft = 0
  /// What is left of a visit that an interruption cuts in two.
  var restOfVisit = Interval.zero
  var isLocked = false
  var stream: RandomStream
  var visits: RandomStream
  /// The apps by popularity, each with the sum up to it.
  let popularity: [Double]
  /// Apps by how lately they were used, the last first; so many are remembered.
  var recent: [Int] = []
  /// Of a recording: whose it is, and the next change.
  let recorded: (user: Int, appOf: [Int: Int])?
  var nextChange = 0

  static let remembered = 16

  enum Next { case unlock, endOfVisit, interruption, endOfInterruption, change, leaving }

  /// What a device has: for each app its sort, and the number that its streams of random numbers are derived from; and its user.
  static func installation(_ plan: FleetPlan, device: UInt64) -> (sorts: [Int], identities: [UInt64], FleetUser) {
    if let recording = plan.workload.recording { return recorded(recording, plan, device: device) }
    var sorts: [Int] = []
    var identities: [UInt64] = []
    var popularity: [Double] = []
    for (sort, app) in plan.workload.apps.enumerated() {
      for number in 0..<app.count {
        // Another sort, or more of one, moves no other app's numbers.
        let identity = UInt64(sort) << 32 | UInt64(number) + 1
        var draw = RandomStream(seed: plan.seed, device: device, app: identity, purpose: Purpose.installation.rawValue)
        guard draw.chance(app.share) else { continue }
        sorts.append(sort)
        identities.append(identity)
        popularity.append((popularity.last ?? 0) + app.popularity)
      }
    }
    return (sorts, identities, FleetUser(plan, device: device, popularity: popularity, recorded: nil))
  }

  /// The users of a log take turns where there are more devices than users.
  private static func recorded(_ recording: Workload.Recording, _ plan: FleetPlan, device: UInt64) -> ([Int], [UInt64], FleetUser) {
    let user = Int(device % UInt64(max(1, recording.log.users.count)))
    var sorts: [Int] = []
    var identities: [UInt64] = []
    var appOf: [Int: Int] = [:]
    for change in recording.log.users[user].changes where appOf[change.app] == nil {
      appOf[change.app] = sorts.count
      sorts.append(plan.recordedSorts[change.app])
      identities.append(UInt64(change.app) + 1)
    }
    return (sorts, identities, FleetUser(plan, device: device, popularity: [], recorded: (user, appOf)))
  }

  private init(_ plan: FleetPlan, device: UInt64, popularity: [Double], recorded: (user: Int, appOf: [Int: Int])?) {
    stream = RandomStream(seed: plan.seed, device: device, app: 0, purpose: Purpose.user.rawValue)
    visits = RandomStream(seed: plan.seed, device: device, app: 0, purpose: Purpose.visits.rawValue)
    self.popularity = popularity
    self.recorded = recorded
  }

  /// Which app the user opens: one of those used lately, or by popularity; not `front`.
  mutating func choose(_ model: UserModel, besides front: Int?) -> Int? {
    guard let sum = popularity.last, sum > 0 else { return nil }
    // Where one app is nearly all there is, the user stays with it.
    for _ in 0..<8 {
      let (isRecent, draw) = (stream.chance(model.recency), stream.unit())
      let app = isRecent && !recent.isEmpty ? recentApp(model, draw) : popularApp(draw * sum)
      if app != front { return app }
    }
    return front
  }

  private func popularApp(_ draw: Double) -> Int {
    var (low, high) = (0, popularity.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if popularity[middle] > draw { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func recentApp(_ model: UserModel, _ draw: Double) -> Int {
    let weights = FleetUser.weights(model.recencyExponent, recent.count)
    var left = draw * weights.reduce(0, +)
    for (rank, weight) in weights.enumerated() {
      left -= weight
      if left <= 0 { return recent[rank] }
    }
    return recent[recent.count - 1]
  }

  private static func weights(_ exponent: Double, _ count: Int) -> [Double] {
    (1...count).map { PortableMath.power(Double($0), -exponent) }
  }

  mutating func use(_ app: Int) {
    if recent.first == app { return }
    if let place = recent.firstIndex(of: app) {
      recent.remove(at: place)
    } else if recent.count == FleetUser.remembered {
      recent.removeLast()
    }
    recent.insert(app, at: 0)
  }
}

extension FleetUser {
  /// How many, at least 1, of this mean.
  static func geometric(mean: Double, _ stream: inout RandomStream) -> Int {
    let draw = stream.unit()
    guard mean > 1 else { return 1 }
    return 1 + Int(min(1_000, PortableMath.log(draw) / PortableMath.logOnePlus(-1 / mean)))
  }
}
