import CurfewEngine

/// The user of a fleet's device: the apps to choose from, and the state of the current visit.
struct FleetUser {
  /// The kind of the next event of the user.
  var next = Next.unlock
  /// The number of visits left in this session, after the current one.
  var visitsLeft = 0
  /// The rest of a visit that an interruption splits.
  var restOfVisit = Interval.zero
  var front: Int?
  var isLocked = false
  let path: RandomPath
  /// The number of sessions with the phone, and of visits.
  var sessions = 0
  var visits = 0
  /// The stream of the current visit, after its length was drawn.
  var visit: RandomStream
  /// The cumulative popularity of the apps.
  let popularity: [Double]
  /// The recently used apps, latest first; at most `remembered`.
  var recent: [Int] = []
  /// The recorded user, if there is a log: its index, the apps' indices on the device by their
  /// indices in the log, and the time of day at which the log starts.
  let recorded: (user: Int, appOf: [Int: Int], shift: Interval)?
  var nextChange = 0

  static let remembered = 16

  enum Next { case unlock, endOfVisit, interruption, endOfInterruption, change, leaving }

  /// The apps installed on a device, each with its sort and path, and the device's user.
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

  /// The apps and the user of a device that plays a log. If there are more devices than users,
  /// the users are reused in turn.
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

  /// The app that the user opens: a recently used app, or one chosen by popularity. The app in the
  /// foreground is chosen only if there is no other.
  func choose(_ plan: FleetPlan, _ stream: inout RandomStream) -> Int? {
    let (isRecent, draw) = (stream.chance(plan.workload.user.recency), stream.unit())
    let others = recent.first == front && front != nil ? recent.dropFirst() : recent[...]
    if isRecent, !others.isEmpty { return recentApp(others, plan.recency, draw) }
    return popularApp(draw)
  }

  private func popularApp(_ draw: Double) -> Int? {
    guard let sum = popularity.last, sum > 0 else { return nil }
    // The app in the foreground is left out, so the apps after it move up.
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

  /// - Parameter sums: The cumulative weights by rank.
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

  /// Draws a geometric number of this mean, at least 1.
  static func geometric(mean: Double, _ stream: inout RandomStream) -> Int {
    let draw = stream.unit()
    guard mean > 1 else { return 1 }
    return 1 + Int(min(1_000_000, PortableMath.log(draw) / PortableMath.logOnePlus(-1 / mean)))
  }
}
