import CurfewEngine

/// A user of a fleet's device: which apps there are, and what the user is in the middle of.
struct FleetUser {
  /// What the next thing that is due is.
  var next = Next.unlock
  /// How many apps are still to be visited, after the one in front.
  var visitsLeft = 0
  /// What is left of a visit that an interruption cuts in two.
  var restOfVisit = Interval.zero
  var front: Int?
  var isLocked = false
  let path: RandomPath
  /// How often the phone was taken up, and how many visits there have been.
  var sessions = 0
  var visits = 0
  /// What is drawn about the present visit, after its length.
  var visit: RandomStream
  /// The apps by popularity, each with the sum up to it.
  let popularity: [Double]
  /// Apps by how lately they were used, the last first; so many are remembered.
  var recent: [Int] = []
  /// Of a recording: whose it is, for each of the log's apps its place on the device, and when
  /// the log's first change is.
  let recorded: (user: Int, appOf: [Int: Int], shift: Interval)?
  var nextChange = 0

  static let remembered = 16

  enum Next { case unlock, endOfVisit, interruption, endOfInterruption, change, leaving }

  /// What a device has: for each app its sort and its path; and its user.
  static func installation(_ plan: FleetPlan, device: UInt64) -> (
    apps: [(sort: Int, path: RandomPath)], FleetUser
  ) {
    let path = FleetPaths.device(device, seed: plan.seed)
    if let recording = plan.workload.recording {
      return recorded(recording, plan, device: device, path)
    }
    var apps: [(sort: Int, path: RandomPath)] = []
    var popularity: [Double] = []
    for (sort, app) in plan.workload.apps.enumerated() {
      for number in 0..<app.count {
        let path = FleetPaths.app(app.name, number, on: path)
        var draw = RandomStream(path.app(.installation))
        guard draw.chance(app.share) else { continue }
        apps.append((sort, path))
        popularity.append((popularity.last ?? 0) + app.popularity)
      }
    }
    return (apps, FleetUser(path, popularity: popularity, recorded: nil))
  }

  /// The users of a log take turns where there are more devices than users.
  private static func recorded(
    _ recording: Workload.Recording, _ plan: FleetPlan, device: UInt64, _ path: RandomPath
  ) -> ([(sort: Int, path: RandomPath)], FleetUser) {
    let user = Int(device % UInt64(recording.log.users.count))
    var apps: [(sort: Int, path: RandomPath)] = []
    var appOf: [Int: Int] = [:]
    for change in recording.log.users[user].changes where appOf[change.app] == nil {
      appOf[change.app] = apps.count
      apps.append(
        (
          plan.recordedSorts[change.app],
          FleetPaths.app(recording.log.apps[change.app], 0, on: path)
        ))
    }
    return (
      apps, FleetUser(path, popularity: [], recorded: (user, appOf, recording.timeOfDay(of: user)))
    )
  }

  private init(
    _ path: RandomPath, popularity: [Double],
    recorded: (user: Int, appOf: [Int: Int], shift: Interval)?
  ) {
    self.path = path
    visit = RandomStream(path)
    self.popularity = popularity
    self.recorded = recorded
  }

  /// Which app the user opens: one of those used lately, or by popularity; not the one in front, if
  /// there is another.
  func choose(_ plan: FleetPlan, _ stream: inout RandomStream) -> Int? {
    let (isRecent, draw) = (stream.chance(plan.workload.user.recency), stream.unit())
    let others = recent.first == front && front != nil ? recent.dropFirst() : recent[...]
    if isRecent, !others.isEmpty { return recentApp(others, plan.recency, draw) }
    return popularApp(draw)
  }

  private func popularApp(_ draw: Double) -> Int? {
    guard let sum = popularity.last, sum > 0 else { return nil }
    // The one in front is left out: what lies behind it moves up.
    let before = front.map { $0 > 0 ? popularity[$0 - 1] : 0 } ?? 0
    let own = front.map { popularity[$0] - before } ?? 0
    guard sum - own > 0 else { return front }
    var wanted = draw * (sum - own)
    if front != nil, wanted >= before { wanted += own }
    var (low, high) = (0, popularity.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if popularity[middle] > wanted { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// - Parameter sums: For each rank the weights of all up to it.
  private func recentApp(_ apps: ArraySlice<Int>, _ sums: [Double], _ draw: Double) -> Int {
    let wanted = draw * sums[apps.count - 1]
    for (rank, app) in apps.enumerated() where sums[rank] >= wanted { return app }
    return apps[apps.endIndex - 1]
  }

  mutating func use(_ app: Int) {
    front = app
    if recent.first == app { return }
    if let place = recent.firstIndex(of: app) {
      recent.remove(at: place)
    } else if recent.count == FleetUser.remembered {
      recent.removeLast()
    }
    recent.insert(app, at: 0)
  }

  /// How many, at least 1, of this mean.
  static func geometric(mean: Double, _ stream: inout RandomStream) -> Int {
    let draw = stream.unit()
    guard mean > 1 else { return 1 }
    return 1 + Int(min(1_000_000, PortableMath.log(draw) / PortableMath.logOnePlus(-1 / mean)))
  }
}
