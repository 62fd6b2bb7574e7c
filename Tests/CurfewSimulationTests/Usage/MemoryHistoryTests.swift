@_spi(Seeds) import CurfewEngine
import TestRuns
import TestSupport
import Testing

@testable import CurfewSimulation
@testable import CurfewTrace

/// Compares the fewest possible cold launches with Belady's rule where the rule is exact, and with
/// every possible choice where all choices can be tried.
@Suite(.inTurn) struct MemoryHistoryTests {
  private static func hindsight(_ uses: [Int], bytes: [Int64], level: Double) -> Figures.Hindsight {
    var history = MemoryHistory(level: level, footprints: bytes)
    for use in uses { history.use(use, isOpening: true) }
    return history.hindsight()
  }

  /// Openings with favourites, and no app twice in a row.
  private static func uses(_ count: Int, apps: Int, _ random: inout SplitMix64) -> [Int] {
    var uses: [Int] = []
    while uses.count < count {
      let use = min(Int(random.next() % UInt64(apps)), Int(random.next() % UInt64(apps)))
      if uses.last != use { uses.append(use) }
    }
    return uses
  }

  @Test(arguments: [2, 3, 5, 8])
  func `apps of one size have as few cold launches as under Belady's rule`(_ places: Int) {
    var random = SplitMix64(seed: 11)
    for _ in 0..<20 {
      let uses = Self.uses(400, apps: 12, &random)
      let hindsight = Self.hindsight(
        uses, bytes: [Int64](repeating: 1 << 20, count: 12), level: Double(places << 20))
      let fewest = CacheBounds.clairvoyantMisses(uses, places: places)
      #expect(hindsight.foreseen == fewest)
      #expect(hindsight.bound <= fewest && hindsight.bound >= fewest - max(1, fewest / 50))
    }
  }

  /// The fewest cold launches of all choices, found by trying every set of apps that may be kept.
  private static func fewest(_ uses: [Int], bytes: [Int64], level: Int64) -> Int {
    var best: [UInt32: Int] = [0: 0]
    for use in uses {
      var next: [UInt32: Int] = [:]
      for (kept, count) in best {
        let cold = count + (kept >> UInt32(use) & 1 == 1 ? 0 : 1)
        let others = kept & ~(1 << UInt32(use))
        var part = others
        while true {
          let all = part | 1 << UInt32(use)
          let sum = bytes.indices.reduce(Int64(0)) {
            $0 + (all >> UInt32($1) & 1 == 1 ? bytes[$1] : 0)
          }
          if sum <= level || part == 0 { next[all] = min(next[all] ?? .max, cold) }
          guard part != 0 else { break }
          part = (part - 1) & others
        }
      }
      best = next
    }
    return best.values.min() ?? 0
  }

  @Test func `no purge order has fewer cold launches, and the hindsight rule is possible`() {
    var random = SplitMix64(seed: 3)
    var gaps = 0
    for _ in 0..<60 {
      let bytes = (0..<6).map { _ in Int64(1 + random.next() % 9) }
      let level = Int64(6 + random.next() % 16)
      let uses = Self.uses(40, apps: 6, &random)
      let (hindsight, fewest) = (
        Self.hindsight(uses, bytes: bytes, level: Double(level)),
        Self.fewest(uses, bytes: bytes, level: level)
      )
      #expect(hindsight.bound <= fewest && fewest <= hindsight.foreseen)
      gaps += fewest - hindsight.bound
    }
    // Sizes differ, so the bound cannot always be met; in 60 runs of 40 openings it is
    // exceeded little.
    #expect(gaps <= 60 * 3)
  }

  @Test func `if all apps fit, only the first openings are cold`() {
    #expect(
      Self.hindsight([0, 1, 2, 1, 0, 2], bytes: [5, 5, 5], level: 15)
        == Figures.Hindsight(bound: 3, foreseen: 3))
    #expect(Self.hindsight([], bytes: [], level: 0) == Figures.Hindsight(bound: 0, foreseen: 0))
    // The app that was used last displaces no other.
    #expect(
      Self.hindsight([0, 0, 0], bytes: [50], level: 15) == Figures.Hindsight(bound: 1, foreseen: 1))
  }

  @Test func `an app that runs in the background needs room, but no cold launch`() {
    var history = MemoryHistory(level: 10, footprints: [6, 6])
    history.use(0, isOpening: true)
    history.use(1, isOpening: false)
    history.use(0, isOpening: true)
    history.use(1, isOpening: true)
    // The first opening, the opening after the background run, and the one after that.
    #expect(history.hindsight() == Figures.Hindsight(bound: 3, foreseen: 3))
  }

  @Test func `an app that ended, except by a purge, always starts cold`() {
    var history = MemoryHistory(level: 100, footprints: [6, 6])
    history.use(0, isOpening: true)
    history.use(1, isOpening: true)
    history.end(0)
    history.use(0, isOpening: true)
    #expect(history.hindsight() == Figures.Hindsight(bound: 3, foreseen: 3))
  }

  @Test func `a fleet's cold launches are never fewer, under any rule`() throws {
    var workload = try Workload.shippedPhone()
    workload.device.start.memory = 1 << 30
    var fleet = Fleet(workload, devices: 5, length: .seconds(86_400), seed: 4)
    #expect(fleet.run().figures.hindsight == nil)
    fleet.looksBack = true
    let figures = fleet.run(jobs: 2).figures
    let hindsight = try #require(figures.hindsight)
    #expect(hindsight.bound > 0 && hindsight.bound <= hindsight.foreseen)
    #expect(hindsight.bound <= figures.total[.coldLaunches])
    #expect(figures.total[.coldLaunches] > hindsight.foreseen)
  }
}
