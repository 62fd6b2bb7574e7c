import CurfewEngine
import CurfewSimulation
import Foundation
import TestRuns
import Testing

/// The log of a real phone. It is not part of the project; without it the test is skipped.
@Suite(.inTurn) struct RealUsageTests {
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/corpus/usage/studentlife-u00.tsv").path

  private static let format = UsageFormat(
    columns: UsageFormat.Columns(
      time: "timestamp", user: "user", app: "base_package", rows: .snapshots(rank: "rank")),
    time: .unixSeconds)

  static var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  static func log() throws -> UsageLog { try UsageLog.read(path, format) }

  @Test(.enabled(if: isThere, "no log in ../shared/corpus/usage"))
  func
    `88 days of a phone are 1,515 changes of the app in front, and misses as others have counted them`()
    throws
  {
    let log = try UsageLog.read(RealUsageTests.path, RealUsageTests.format)
    #expect(log.counts.rows == 59_879 && log.counts.badRows == 0 && log.warnings.isEmpty)
    #expect(log.users.map(\.name) == ["00"] && log.apps.count == 77)
    let user = log.users[0]
    #expect(user.changes.count == 1_515 && user.origin == 1_364_095_883_000_000_000)
    #expect(user.changes.first?.at == .zero && user.changes.allSatisfy { $0.left == nil })
    #expect(
      zip(user.changes, user.changes.dropFirst()).allSatisfy { $0.at < $1.at && $0.app != $1.app })

    let apps = user.changes.map(\.app)
    let places = [3, 5, 7, 9, 11, 13]
    #expect(
      places.map { CacheBounds.leastRecentlyUsedMisses(apps, places: $0) } == [
        946, 627, 437, 345, 286, 228,
      ])
    let hits = places.map {
      1 - Double(CacheBounds.clairvoyantMisses(apps, places: $0)) / Double(apps.count)
    }
    #expect(
      hits.map { ($0 * 10_000).rounded() / 10_000 } == [
        0.5597, 0.7380, 0.8139, 0.8620, 0.8904, 0.9083,
      ])
  }

  @Test(.enabled(if: isThere, "no log in ../shared/corpus/usage"))
  func `a longest visit of an hour ends only the visits before a gap`() throws {
    let whole = try UsageLog.read(RealUsageTests.path, RealUsageTests.format)
    let cut = try UsageLog.read(
      RealUsageTests.path, RealUsageTests.format, longestVisit: .seconds(3_600))
    let changes = cut.users[0].changes
    #expect(changes.contains { $0.left != nil } && changes.count > whole.users[0].changes.count)
    for (change, next) in zip(changes, changes.dropFirst()) {
      #expect(change.app != next.app || change.left.map { $0 < next.at } == true)
    }
  }
}
