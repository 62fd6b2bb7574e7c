import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Tests recorded users. With equal footprints and room for `places` apps, cold launches are
/// the misses of a cache.
@Suite(.inTurn) struct RecordedFleetTests {
  private static let mebibytes: Int64 = 1 << 20

  /// The cold launches of a log's users, with room for `places` apps.
  private static func coldLaunches(_ log: UsageLog, places: Int64) throws -> Int {
    let app = WorkloadApp("any")
    var workload = Workload(name: "x", policy: try PolicyFile.load("ios13"), apps: [app])
    workload.apps[0].footprint = Distribution(.constant(Double(100 * mebibytes)))
    workload.device.start.memory = places * 100 * mebibytes
    workload.recording = Workload.Recording(log, others: 0)
    let length = (workload.recording?.end ?? .zero) - Instant.zero
    return Fleet(workload, devices: log.users.count, length: length).run().figures.total[
      .coldLaunches]
  }

  private static func sequence(_ user: UsageLog.User) -> [Int] { user.changes.map(\.app) }

  @Test(
    .enabled(if: RealUsageTests.isThere, "the recorded user is not here"),
    arguments: Campaign.some(2, of: [(3, 946), (5, 627), (7, 437), (9, 345), (11, 286), (13, 228)]))
  func `the recorded user's cold launches are those of an LRU cache, above the clairvoyant bound`(
    _ places: Int, _ expected: Int
  ) throws {
    let log = try RealUsageTests.log()
    #expect(log.apps.count == 77 && log.users[0].changes.count == 1_515)
    let cold = try Self.coldLaunches(log, places: Int64(places))
    #expect(cold == expected)
    let changes = Self.sequence(log.users[0])
    #expect(CacheBounds.leastRecentlyUsedMisses(changes, places: places) == cold)
    #expect(CacheBounds.clairvoyantMisses(changes, places: places) < cold)
  }

  @Test(arguments: [1, 2, 3, 5])
  func `two users of a small log have the cold launches of a cache each`(_ places: Int) throws {
    var text = "time,user,app\n"
    var (state, lines) = (UInt64(7), 0)
    for second in stride(from: 0, to: 40_000, by: 100) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      text += "\(second),\(state >> 63 == 0 ? "ann" : "ben"),app\((state >> 33) % 7)\n"
      lines += 1
    }
    let format = UsageFormat(
      file: .csv, columns: .init(time: "time", user: "user", app: "app", rows: .openings),
      time: .unixSeconds)
    let log = try UsageLog.decode(Array(text.utf8), name: "small.csv", format)
    #expect(log.users.count == 2 && lines == 400)
    let expected = log.users.reduce(0) {
      $0 + CacheBounds.leastRecentlyUsedMisses(Self.sequence($1), places: places)
    }
    #expect(try Self.coldLaunches(log, places: Int64(places)) == expected)
  }
}
