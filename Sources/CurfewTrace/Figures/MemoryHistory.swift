import CurfewEngine

/// Which apps a device needed in memory, and when: what a rule for purges that knew the future
/// could have made of it.
///
/// Each time that the user opens an app, or that it runs in the background, is a *use*. Between two
/// uses an app may be kept or purged. To be kept up to an opening spares a cold launch, and takes
/// its footprint at every use of another app meanwhile, beside that app's own.
struct MemoryHistory {
  /// Between two uses of an app, of which the second is an opening: it is kept at `uses`,
  /// or starts cold.
  private struct Stay {
    let uses: Range<Int>
    let bytes: Double
  }

  private struct App {
    var bytes: Double
    var last: Int?
  }

  private var apps: [App]
  /// In use above this, somebody is purged.
  private var level: Double
  private var uses: [(app: Int, isOpening: Bool, bytes: Double, level: Double)] = []
  /// Apps that ended otherwise than by a purge, each before the use of this place.
  private var ends: [(place: Int, app: Int)] = []
  /// For each use what is left for others.
  private var rooms: [Double] = []
  private var stays: [Stay] = []
  /// Openings before which the app was the last that was used: nobody else needed its room.
  private var spared = 0
  private var openings = 0

  /// A device that purges above `level` bytes, with apps of these footprints.
  init(level: Double, footprints: [Int64]) {
    (self.level, apps) = (level, footprints.map { App(bytes: Double($0)) })
  }

  mutating func setLevel(_ bytes: Double) { level = bytes }
  mutating func setFootprint(_ bytes: Int64, of app: AppID) {
    apps[Int(app.rawValue)].bytes = Double(bytes)
  }

  /// The user opens an app, or it runs in the background.
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

  /// An app has ended, and not to make room: it starts cold whatever is purged.
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

  /// Purges whoever has the most bytes times uses until it is used again.
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

  /// Whether it leaves room for whoever is used meanwhile.
  private func isPossible(_ stay: Stay) -> Bool { rooms[stay.uses].allSatisfy { $0 >= stay.bytes } }

  /// How many stays can be kept at most.
  ///
  /// The bound is a Lagrangian relaxation: every use has a price for its room, a stay is kept if it
  /// is worth its price, and what all prices of rooms and what is gained by stays come to is never
  /// less than what can be kept, whatever the prices. They begin as one for all (Berger, Beckmann
  /// and Harchol-Balter, "Practical Bounds on Optimal Caching with Variable Object Sizes",
  /// SIGMETRICS 2018: PFOO-L), and follow Polyak's subgradient steps with momentum from there.
  ///
  /// - Parameter least: So many can be kept.
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
    // A whole number of them is kept; what sums have lost in rounding is far less.
    return Int(best + 1e-6)
  }

  private static let steps = 80
  private static let momentum = 0.7

  /// The one price for all at which what is kept takes up the room of all uses together; nothing
  /// where there is room for everything.
  private func uniformPrice(of stays: [Stay]) -> Double {
    var room = rooms.reduce(0, +)
    for area in stays.map({ $0.bytes * Double($0.uses.count) }).sorted() {
      room -= area
      if room < 0 { return 1 / area }
    }
    return 0
  }
}
