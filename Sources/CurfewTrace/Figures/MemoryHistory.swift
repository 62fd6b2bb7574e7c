import CurfewEngine

/// The apps that a device needed in memory over time, from which the best possible purges
/// are computed.
///
/// Each time that the user opens an app, or that an app runs in the background, is a *use*. Between
/// two uses an app is either kept or purged. Keeping an app until it is opened saves a cold launch.
/// But at every use of another app in between, the kept app's footprint takes memory in addition
/// to the other app's footprint.
struct MemoryHistory {
  /// The time between two uses of an app, if the second is an opening. Either the app is kept
  /// during all of `uses`, or it starts cold.
  private struct Stay {
    let uses: Range<Int>
    let bytes: Double
  }

  private struct App {
    var bytes: Double
    var last: Int?
  }

  private var apps: [App]
  /// The use of memory above which apps are purged.
  private var level: Double
  private var uses: [(app: Int, isOpening: Bool, bytes: Double, level: Double)] = []
  /// The apps that ended for a reason other than a purge, each with the index of the next use.
  private var ends: [(place: Int, app: Int)] = []
  /// The room that is left for other apps at each use.
  private var rooms: [Double] = []
  private var stays: [Stay] = []
  /// The number of openings of the app that was also used last: no other app needed the room
  /// in between.
  private var spared = 0
  private var openings = 0

  /// Creates a device that purges above `level` bytes, with apps of these footprints.
  init(level: Double, footprints: [Int64]) {
    (self.level, apps) = (level, footprints.map { App(bytes: Double($0)) })
  }

  mutating func setLevel(_ bytes: Double) { level = bytes }
  mutating func setFootprint(_ bytes: Int64, of app: AppID) {
    apps[Int(app.rawValue)].bytes = Double(bytes)
  }

  /// Records that the user opens an app, or that an app runs in the background.
  mutating func use(_ app: Int, isOpening: Bool) {
    let now = uses.count
    if isOpening {
      openings += 1
      if let last = apps[app].last {
        if last + 1 == now {
          spared += 1
        } else {
          stays.append(Stay(uses: last + 1..<now, bytes: apps[app].bytes))
        }
      }
    }
    apps[app].last = now
    uses.append((app, isOpening, apps[app].bytes, level))
    rooms.append(max(0, level - apps[app].bytes))
  }

  /// Records that an app ended for a reason other than a purge. It starts cold whatever is purged.
  mutating func end(_ app: Int) {
    apps[app].last = nil
    ends.append((uses.count, app))
  }

  /// - Complexity: O(uses × apps).
  func hindsight() -> Figures.Hindsight {
    let foreseen = foreseenColdLaunches()
    let kept = mostKept(of: stays.filter(isPossible), atLeast: Double(openings - spared - foreseen))
    return Figures.Hindsight(bound: min(foreseen, openings - spared - kept), foreseen: foreseen)
  }

  /// Simulates the rule that purges the app with the most bytes × uses until its next use.
  private func foreseenColdLaunches() -> Int {
    var next = [Int](repeating: 2 * uses.count, count: apps.count)
    let again = uses.indices.reversed().map { place in
      defer { next[uses[place].app] = place }
      return next[uses[place].app]
    }
    var resident: [(app: Int, bytes: Double, again: Int)] = []
    var (inUse, coldLaunches) = (0.0, 0)
    var ended = ends[...]
    func leave(_ place: Int) { inUse -= resident.remove(at: place).bytes }
    for (place, use) in uses.enumerated() {
      while let end = ended.first, end.place <= place {
        ended.removeFirst()
        if let kept = resident.firstIndex(where: { $0.app == end.app }) { leave(kept) }
      }
      if let kept = resident.firstIndex(where: { $0.app == use.app }) {
        leave(kept)
      } else if use.isOpening {
        coldLaunches += 1
      }
      inUse += use.bytes
      func cost(_ kept: Int) -> Double {
        resident[kept].bytes * Double(resident[kept].again - place)
      }
      while inUse > use.level, let victim = resident.indices.max(by: { cost($0) < cost($1) }) {
        leave(victim)
      }
      resident.append((use.app, use.bytes, again[uses.count - 1 - place]))
    }
    return coldLaunches
  }

  /// Whether the stay leaves room for the apps that are used in between.
  private func isPossible(_ stay: Stay) -> Bool { rooms[stay.uses].allSatisfy { $0 >= stay.bytes } }

  /// An upper bound of the number of stays that can be kept.
  ///
  /// The bound is a Lagrangian relaxation. Every use has a price for its room, and a stay is kept
  /// if it is worth its price. The sum of the prices of all rooms and the gains of the stays is
  /// never less than the number that can be kept, whatever the prices are. The prices begin as one
  /// price for all uses (Berger, Beckmann and Harchol-Balter, "Practical Bounds on Optimal Caching
  /// with Variable Object Sizes", SIGMETRICS 2018: PFOO-L), and then follow Polyak's subgradient
  /// steps with momentum.
  ///
  /// - Parameter least: A number of stays that can be kept.
  private func mostKept(of stays: [Stay], atLeast least: Double) -> Int {
    var prices = [Double](repeating: uniformPrice(of: stays), count: uses.count)
    var direction = [Double](repeating: 0, count: uses.count)
    var sums = [Double](repeating: 0, count: uses.count + 1)
    var best = Double(stays.count)
    for _ in 0..<MemoryHistory.steps {
      var value = 0.0
      var changes = [Double](repeating: 0, count: uses.count + 1)
      for (place, price) in prices.enumerated() {
        sums[place + 1] = sums[place] + price
        value += price * rooms[place]
      }
      for stay in stays {
        let gain = 1 - stay.bytes * (sums[stay.uses.upperBound] - sums[stay.uses.lowerBound])
        guard gain > 0 else { continue }
        value += gain
        changes[stay.uses.lowerBound] += stay.bytes
        changes[stay.uses.upperBound] -= stay.bytes
      }
      best = min(best, value)
      var (load, length) = (0.0, 0.0)
      for place in prices.indices {
        load += changes[place]
        let excess = load - rooms[place]
        direction[place] =
          (prices[place] > 0 || excess > 0 ? excess : 0) + MemoryHistory.momentum * direction[place]
        length += direction[place] * direction[place]
      }
      guard value > least, length > 0 else { break }
      let step = (value - least) / length
      for place in prices.indices {
        prices[place] = max(0, prices[place] + step * direction[place])
      }
    }
    // The number of kept stays is whole; the rounding error of the sums is far smaller.
    return Int(best + 1e-6)
  }

  private static let steps = 80
  private static let momentum = 0.7

  /// The common price at which the kept stays fill the room of all uses together; zero if there
  /// is room for all stays.
  private func uniformPrice(of stays: [Stay]) -> Double {
    var room = rooms.reduce(0, +)
    for area in stays.map({ $0.bytes * Double($0.uses.count) }).sorted() {
      room -= area
      if room < 0 { return 1 / area }
    }
    return 0
  }
}
