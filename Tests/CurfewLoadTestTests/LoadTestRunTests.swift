import Curfew
import CurfewEngine
import CurfewFiles
import CurfewUV
import Foundation
import Testing

@testable import CurfewLoadTest

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
    let counts = report.expirations
    #expect(counts.expected == test.rehearsed.handlers && counts.expected > 300)
    #expect(counts.delivered == counts.decided - counts.leftOut && counts.delivered * 10 > counts.expected * 9, "\(counts)")
    #expect(report.early == 0 && counts.lost == 0 && counts.twice == 0 && counts.pending == 0)
    #expect(report.warningsDecided.count == counts.delivered && report.warningsDelivered.count == counts.delivered)
    #expect(report.grantEnds.expected == test.rehearsed.kills && report.grantEnds.ended > 0)
    #expect(report.grantEndsDecided.count > 0 && report.grantEndsDecided.count <= report.grantEnds.ended)
    #expect(report.segments.count == 2 && report.segments.allSatisfy { $0.decided != nil && $0.floor != nil && $0.alternative != nil })
    #expect(report.alternativeEarly.map { $0.timers > 100 && $0.early <= $0.timers } == true)
    #expect(report.work.events > 1_000 && report.beginLatency.count > 300)
    #expect(try Replay.run(test.trace(), under: .ios13) == nil)
  }

  @Test func `a handler that its app knows nothing of is lost, and one that it knows twice is twice`() throws {
    let test = try LoadTest(options(apps: 100))
    let report = try test.run()
    test.close()
    let called = (0..<test.plan.tasks.count).filter { test.measurements[$0].deliveries > 0 }
    test.measurements.tasks[called[0]].deliveries = 0
    test.measurements.tasks[called[1]].deliveries = 2
    var counts = LoadTestReport(run: report.run)
    (counts.expirations.decided, counts.expirations.leftOut) = (report.expirations.decided, report.expirations.leftOut)
    test.collect([0, 0], &counts)
    #expect(counts.expirations.lost == report.expirations.lost + 1 && counts.expirations.twice == 1)
    #expect(counts.expirations.delivered == report.expirations.delivered - 1)
    // Of a run that was stopped nobody can say that it would not have been called yet.
    counts = LoadTestReport(run: report.run)
    counts.run.isInterrupted = true
    (counts.expirations.decided, counts.expirations.leftOut) = (report.expirations.decided, report.expirations.leftOut)
    test.collect([0, 0], &counts)
    #expect(counts.expirations.lost == 0 && counts.expirations.pending == report.expirations.lost + 1)
  }

  @Test func `the loop wakes up, and decides its share of the warnings`() throws {
    let test = try LoadTest(options(apps: 400))
    let report = try test.run()
    test.close()
    let share = try #require(report.loopShare)
    #expect(share >= 0.3, "\(share)")
    #expect(report.work.wakeUps > 0)
    #expect(report.warningsDecidedByLoop.count > 0 && report.warningsDecidedByLoop.early == 0)
  }

  @Test func `a loop that leaves it to the callers has hardly a share, and the report says so`() throws {
    var options = try options(apps: 200)
    options.policy = try own("tasks: {warning: 20s}")
    // A warning of 20 s takes 200 ms, within which somebody else comes.
    options.leewayNanoseconds = 190_000_000
    let test = try LoadTest(options)
    let report = try test.run()
    test.close()
    let share = try #require(report.loopShare)
    #expect(share < 0.3 && report.expirations.delivered > 0, "\(share)")
    let word = share > 0 ? "only " : "none "
    #expect(report.notes.contains { $0.hasPrefix("The loop decided \(word)") }, "\(report.notes)")
    #expect(report.notes.contains { $0.contains("include the leeway of 190ms") }, "\(report.notes)")
    #expect(report.text().contains("\(Int(share * 100)) % of the warnings decided by the loop"))
    #expect(try report.crossings(of: Threshold.read("loopShare>=0.3,early==0")).count == 1)
  }

  @Test func `apps end as in virtual time, but for those with a late handler`() throws {
    let test = try LoadTest(options(apps: 400))
    let report = try test.run()
    test.close()
    let comparison = try #require(report.comparison)
    #expect(comparison.compared + comparison.leftOut.count + comparison.late.count == 400)
    // On a machine that stands still for longer than that the truth is another than the plan's: handlers come late, callbacks overrun.
    let lateHandlers = test.lateHandlers
    let unexplained = comparison.different.filter { app in
      !lateHandlers.contains(app) && test.ends[Int(app.rawValue)].allSatisfy(\.isOfGrant)
    }
    #expect(unexplained.isEmpty, "\(comparison.different)")
  }

  @Test func `where 5 ms are longer than what apps have, they are not compared`() throws {
    var options = try options(apps: 50)
    options.scale = try #require(TimeScale("0.0005"))
    (options.lengthNanoseconds, options.segments) = (300_000_000, 1)
    let test = try LoadTest(options)
    let report = try test.run()
    test.close()
    #expect(report.comparison == nil)
    #expect(report.notes.contains { $0.contains("cannot be compared with the plan's") }, "\(report.notes)")
  }

  @Test func `a run that is stopped reports what was measured, and loses nothing`() throws {
    for contestant in ["ours", "floor", "alternative"] {
      let stop = Stop()
      let test = try LoadTest(options(apps: 100), recordsTrace: true) {
        if $0.contestant == contestant, $0.expirations > 5 { stop.request() }
      } isStopped: {
        stop.isRequested
      }
      let report = try test.run()
      test.close()
      let counts = report.expirations
      #expect(report.run.isInterrupted && report.comparison == nil)
      #expect(report.run.lengthNanoseconds < 1_000_000_000 && report.work.events > 0)
      #expect(counts.lost == 0 && counts.twice == 0 && counts.expected == counts.decided && counts.delivered > 0, "\(counts)")
      #expect(counts.decided == counts.delivered + counts.leftOut + counts.pending, "\(counts)")
      #expect(report.grantEnds.expected == report.grantEnds.ended)
      #expect(try Replay.run(test.trace(), under: .ios13) == nil)
    }
  }

  @Test func `a contestant that was stopped is in no median`() throws {
    let stop = Stop()
    let test = try LoadTest(options(apps: 100), progress: { if $0.contestant == "floor", $0.share > 0.2 { stop.request() } }) {
      stop.isRequested
    }
    let report = try test.run()
    test.close()
    #expect(report.run.isInterrupted && report.segments.count == 1)
    #expect(report.segments[0].decided != nil && report.segments[0].floor == nil && report.segments[0].alternative == nil)
    #expect(report.alternativeEarly == nil && !report.text().contains("the floor"))
  }

  @Test func `stopped before anything was done, it has measured nothing`() throws {
    let test = try LoadTest(options(apps: 100), isStopped: { true })
    let report = try test.run()
    #expect(report.run.isInterrupted && report.run.lengthNanoseconds == 0 && report.expirations.expected == 0)
    // At the first step, which is yet to come.
    let stop = Stop()
    let second = try LoadTest(options(apps: 100), progress: { _ in stop.request() }, isStopped: { stop.isRequested })
    #expect(try second.run().run.lengthNanoseconds == 0)
  }

  @Test func `a plan that cannot be as dense as it was asked for says so`() throws {
    var options = try options(apps: 10)
    options.visitsPerSecond = 2_000
    let test = try LoadTest(options)
    let report = try test.run()
    test.close()
    let note = "visits a second were planned, not 2,000: 10 apps have no time for more."
    #expect(report.notes.contains { $0.hasSuffix(note) }, "\(report.notes)")
  }

  @Test func `it tells how far it is, in every part of it`() throws {
    let list = ProgressList()
    let test = try LoadTest(options(apps: 100), progress: { list.add($0) })
    _ = try test.run()
    test.close()
    let shares = list.kept.map(\.share)
    #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) } && Set(shares).count > 10)
    // At its start each, and every 100 ms or so.
    for contestant in ["ours", "floor", "alternative"] {
      #expect(list.kept.count { $0.contestant == contestant && $0.segment == 2 } >= 2, "\(contestant)")
    }
    #expect((list.kept.last?.expirations ?? 0) > 0)
  }
}

private final class ProgressList: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [LoadTest.Progress] = []

  var kept: [LoadTest.Progress] { lock.withLock { list } }

  func add(_ progress: LoadTest.Progress) { lock.withLock { list.append(progress) } }
}

private final class Stop: @unchecked Sendable {
  private let lock = NSLock()
  private var requested = false

  var isRequested: Bool { lock.withLock { requested } }

  func request() { lock.withLock { requested = true } }
}
