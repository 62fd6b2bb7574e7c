import Curfew
import CurfewFiles
import CurfewLoadTest
import Foundation
import Testing

/// Whole runs, short ones: what they measure is the benchmark's business, that nothing is early, lost or called twice is theirs.
@Suite(.serialized) struct LoadTestRunTests {
  private func options(apps: Int) throws -> LoadTestOptions {
    var options = LoadTestOptions(policy: .ios13)
    options.apps = apps
    options.lengthNanoseconds = 1_400_000_000
    options.segments = 2
    options.visitsPerSecond = 500
    return options
  }

  @Test func `nothing is early, lost or called twice, and the trace replays`() throws {
    let test = try LoadTest(options(apps: 400), recordsTrace: true)
    let report = try test.run()
    test.close()
    #expect(report.expirations.expected == report.expirations.delivered && report.expirations.expected > 300)
    #expect(report.early == 0 && report.expirations.lost == 0 && report.expirations.twice == 0)
    #expect(report.segments.count == 2 && report.segments.allSatisfy { $0.decided != nil && $0.floor != nil && $0.alternative != nil })
    #expect(report.work.events > 1_000 && report.beginLatency.count > 300 && report.grantEndsDecided.count > 0)
    let comparison = try #require(report.comparison)
    #expect(comparison.compared + comparison.leftOut.count + comparison.stalled.count == 400)
    #expect(comparison.different.isEmpty)
    #expect(try Replay.run(test.trace(), under: .ios13) == nil)
  }

  @Test func `a run that is stopped reports what was measured`() throws {
    let start = Date()
    let test = try LoadTest(options(apps: 100), isStopped: { Date() > start + 0.6 })
    let report = try test.run()
    test.close()
    #expect(report.run.isInterrupted && report.comparison == nil)
    #expect(report.run.lengthNanoseconds < 1_000_000_000 && report.work.events > 0)
  }

  @Test func `it tells how far it is`() throws {
    let shares = Shares()
    let test = try LoadTest(options(apps: 100), progress: { shares.add($0.share) })
    _ = try test.run()
    test.close()
    #expect(shares.kept.count > 5 && shares.kept == shares.kept.sorted() && shares.kept.allSatisfy { (0...1).contains($0) })
  }
}

private final class Shares: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Double] = []

  var kept: [Double] { lock.withLock { list } }

  func add(_ share: Double) { lock.withLock { list.append(share) } }
}
