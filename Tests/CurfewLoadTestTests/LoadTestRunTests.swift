import Curfew
import CurfewEngine
import CurfewText
import CurfewTrace
import CurfewUV
import Foundation
import TestRuns
import Testing

@testable import CurfewLoadTest

/// Whole but short runs. The benchmark checks the measurements; these tests check that nothing
/// is early, lost or called twice.
@Suite(.inTurnAlone, .serialized) struct LoadTestRunTests {
  private func options(apps: Int) throws -> LoadTestOptions {
    var options = LoadTestOptions(policy: .ios13)
    options.apps = apps
    options.lengthNanoseconds = 1_400_000_000
    options.segments = 2
    options.visitsPerSecond = 500
    return options
  }

  @Test func `every expected warning is in one class, the records agree, and the trace replays`()
    throws
  {
    let test = try LoadTest(options(apps: 400), recordsTrace: true)
    let report = test.run()
    let counts = report.expirations
    #expect(counts.expected == test.rehearsed.handlers && counts.expected > 300)
    #expect(counts.expected == test.rehearsed.warnings.count { $0 != nil })
    #expect(
      counts.delivered + counts.endedFirst + counts.missed == counts.expected
        && counts.lost <= counts.missed, "\(counts)")
    #expect(report.early == 0 && counts.twice == 0 && counts.pending == 0 && counts.delivered > 0)
    #expect(report.contradictions == [])
    // Every decided expiration has a lateness, and one that was never decided counts too.
    #expect(report.warningsDecided.count == counts.decided + report.warningsDecided.unbounded)
    #expect(report.warningsDelivered.count == counts.delivered + counts.missed + counts.unexpected)
    #expect(report.steps.count == test.plan.segments.reduce(0) { $0 + $1.count })
    // An app that another replaces before it is active gets no callback of its launch.
    let visits = test.plan.visits.count
    for callbacks in [report.callbackDelivered, report.launchToActive] {
      #expect(callbacks.count > visits / 2 && callbacks.count <= visits && callbacks.early == 0)
    }
    #expect(report.wakeDelivered.count > 0 && report.wakeDelivered.early == 0)
    #expect(report.handOff.count > 1_000 && report.handOff.early == 0)
    #expect(report.grantEnds.expected == test.rehearsed.kills && report.grantEnds.ended > 0)
    #expect(
      report.grantEndsDecided.count > 0 && report.grantEndsDecided.count <= report.grantEnds.ended)
    #expect(
      report.segments.count == 2
        && report.segments.allSatisfy {
          $0.decided != nil && $0.floor != nil && $0.handOff != nil
            && $0.callbackDelivered != nil && $0.wakeDelivered != nil && $0.launchToActive != nil
        })
    #expect(
      report.segments.allSatisfy {
        $0.floorBefore != nil && $0.floorAfter != nil && $0.isFloorSteady(.p50) != nil
      })
    #expect(report.work.floorDeadlines == counts.expected && report.work.floorNanoseconds > 0)
    #expect(report.work.events > 1_000 && report.beginLatency.count > 300)
    #expect(try Replay.run(test.trace(), under: .ios13) == nil)
  }

  @Test func `records are read between visits, before the device discards them`()
    throws
  {
    var options = try options(apps: 20)
    options.scale = try #require(TimeScale("0.003"))
    let test = try LoadTest(options, recordsTrace: true)
    test.records = DeviceRecords(apps: 20, keepsExpirations: true, patience: 1)
    let report = test.run()
    #expect(test.plan.visits.count > 60 && report.contradictions == [])
    #expect(
      test.records.expirations == report.expirations.decided
        && test.records.processEnds == test.device.counts.processEnds)
    // No record is read twice.
    for app in test.apps.indices { test.readRecords(of: app) }
    #expect(
      test.records.expirations == report.expirations.decided
        && test.records.processEnds == test.device.counts.processEnds)
    #expect(
      report.warningsDecided.count == report.expirations.decided + report.warningsDecided.unbounded)
  }

  @Test func `records that were tampered with contradict each other`() throws {
    let test = try LoadTest(options(apps: 100), recordsTrace: true)
    let report = test.run()
    #expect(report.contradictions == [])
    var tampered = report
    tampered.expirations.delivered += 1
    var counts = DeviceBooks(test.device.counts)
    #expect(test.contradictions(tampered, counts).count == 1)
    tampered.expirations = report.expirations
    // As if a class and the total had both missed one.
    tampered.expirations.expected -= 1
    tampered.expirations.delivered -= 1
    #expect(
      test.contradictions(tampered, counts).contains {
        $0.hasPrefix(
          "'delivered' has \(HumanCount.text(report.warningsDelivered.count)) values, and ")
      })
    tampered.expirations = report.expirations
    tampered.expirations.lost = report.expirations.missed + 1
    #expect(test.contradictions(tampered, counts).first?.contains("of them lost") == true)
    tampered = report
    tampered.warningsDecided.record(1)
    #expect(
      test.contradictions(tampered, counts).first?.hasPrefix("'decided' has ") == true)
    tampered = report
    tampered.comparison?.late += 2 * test.overdue.count + 1
    #expect(
      test.contradictions(tampered, counts).first?.contains("excused from the comparison") == true)
    tampered = report
    tampered.grantEndsDecided.record(1)
    #expect(
      test.contradictions(tampered, counts).first?.hasPrefix("'grantEnd' has ") == true)
    tampered = report
    tampered.handOff.record(1)
    #expect(test.contradictions(tampered, counts).first?.hasPrefix("'handOff' has ") == true)
    // As if the visit's delay had been the product's.
    let punctual = try #require(
      test.plan.visits.indices.first { !test.explained.contains($0) && !test.late.contains($0) })
    test.late.insert(punctual)
    #expect(
      test.contradictions(report, counts) == [
        "1 visit excused from the comparison as late, and no delay of the host explains a late step of theirs"
      ])
    test.late.remove(punctual)
    counts.called -= 1
    #expect(
      test.contradictions(report, counts).first?.hasPrefix("the device says that it has called")
        == true)
    counts.called = counts.decided + 1
    #expect(test.contradictions(report, counts).first?.hasPrefix("the device has called") == true)
  }

  @Test
  func
    `a handler that its app knows nothing of is missed and lost, and one that it knows twice is twice`()
    throws
  {
    // A run on a busy machine may have no two handlers that were called in time while the load test
    // was neither catching up nor behind its plan.
    var found: (test: LoadTest, report: LoadTestReport, tasks: [Int])?
    for _ in 0..<20 where found == nil {
      let test = try LoadTest(options(apps: 100))
      let report = test.run()
      let tasks = test.undisturbedHandlers()
      if tasks.count > 1 { found = (test, report, tasks) }
    }
    let (test, report, tasks) = try #require(found)
    let (silent, repeated) = (tasks[0], tasks[1])
    (test.measurements.tasks[silent].deliveries, test.measurements.tasks[silent].ended) = (0, -1)
    test.measurements.tasks[repeated].deliveries = 2
    var tampered = LoadTestReport(run: report.run)
    test.collect(DeviceBooks(test.device.counts), &tampered)
    #expect(
      tampered.expirations.lost == report.expirations.lost + 1 && tampered.expirations.twice == 1)
    #expect(tampered.expirations.missed == report.expirations.missed + 1)
    #expect(tampered.expirations.delivered == report.expirations.delivered - 1)
    #expect(
      tampered.warningsDelivered.unbounded == report.warningsDelivered.unbounded + 1
        && tampered.warningsDelivered.isAtLeast(tampered.warningsDelivered.max))
    #expect(tampered.warningsDecided.count == report.warningsDecided.count)
  }

  @Test func `the loop wakes up, and decides the warnings before which no call came`() throws {
    let test = try LoadTest(options(apps: 400))
    let report = test.run()
    test.close()
    // Its share depends on the machine: if the loop's thread is late, a caller comes first.
    let share = try #require(report.loopShare)
    #expect(share > 0)
    #expect(report.work.wakeUps > 0)
    #expect(report.warningsDecidedByLoop.count > 0 && report.warningsDecidedByLoop.early == 0)
  }

  @Test func `a loop with a long leeway decides hardly any warnings, and the report says so`()
    throws
  {
    var options = try options(apps: 200)
    options.policy = try own("tasks: {warning: 20s}")
    // A warning of 20 s takes 200 ms, in which another caller comes.
    options.leewayNanoseconds = 190_000_000
    let test = try LoadTest(options)
    let report = test.run()
    test.close()
    let share = try #require(report.loopShare)
    #expect(share < 0.3 && report.expirations.delivered > 0, "\(share)")
    let word = share > 0 ? "only " : "none "
    #expect(report.notes.contains { $0.hasPrefix("The loop decided \(word)") }, "\(report.notes)")
    #expect(report.notes.contains { $0.contains("include the leeway of 190ms") }, "\(report.notes)")
    #expect(report.text().contains("\(Int(share * 100)) % of the warnings decided by the loop"))
    #expect(try report.crossings(of: Threshold.read("loopShare>=0.3,early==0")).count == 1)
  }

  @Test func `visits end as in virtual time, except for apps with something late`() throws {
    let test = try LoadTest(options(apps: 400))
    let report = test.run()
    let comparison = try #require(report.comparison)
    #expect(comparison.visits == test.plan.visits.count)
    // On a machine that stands still for longer, the truth differs from the plan: handlers come
    // late, and callbacks overrun.
    let unexplained = comparison.different.filter { app in
      !test.plan.visits(of: app).indices.contains { test.hadDelay($0) }
        && test.records.ends[Int(app.rawValue)].allSatisfy(\.isOfGrant)
    }
    #expect(unexplained.isEmpty, "\(comparison.different)")
  }

  @Test func `visits are not compared if apps have less than 5 ms`() throws {
    var options = try options(apps: 50)
    options.scale = try #require(TimeScale("0.0005"))
    (options.lengthNanoseconds, options.segments) = (300_000_000, 1)
    let test = try LoadTest(options)
    let report = test.run()
    test.close()
    #expect(report.comparison == nil)
    #expect(
      report.doubts.contains { $0.contains("can be compared with the plan") }, "\(report.doubts)")
  }

  @Test func `a run that is stopped reports what was measured, and loses nothing`() throws {
    for contestant in ["ours", "floor"] {
      let stop = Stop()
      let test = try LoadTest(options(apps: 100), recordsTrace: true) {
        if $0.contestant == contestant, $0.expirations > 5 { stop.request() }
      } isStopped: {
        stop.isRequested
      }
      let report = test.run()
      test.close()
      let counts = report.expirations
      #expect(report.run.isInterrupted && report.comparison == nil)
      #expect(report.run.lengthNanoseconds < 1_000_000_000 && report.work.events > 0)
      #expect(
        counts.twice == 0 && counts.delivered > 0 && report.contradictions == []
          && report.doubts == [], "\(counts)")
      #expect(
        counts.expected == counts.delivered + counts.endedFirst + counts.missed + counts.pending,
        "\(counts)")
      #expect(report.grantEnds.expected == report.grantEnds.ended)
      #expect(try Replay.run(test.trace(), under: .ios13) == nil)
    }
  }

  @Test func `a floor that was stopped is in no median`() throws {
    let stop = Stop()
    let test = try LoadTest(
      options(apps: 100),
      progress: { if $0.contestant == "floor", $0.expirations > 0 { stop.request() } }
    ) {
      stop.isRequested
    }
    let report = test.run()
    test.close()
    #expect(report.run.isInterrupted && report.segments.count == 1)
    #expect(report.segments[0].decided != nil && report.segments[0].floor == nil)
    #expect(
      report.segments[0].floorBefore != nil && report.segments[0].floorAfter == nil
        && report.segments[0].isFloorSteady(.p50) == nil)
    #expect(!report.text().contains("of the floor"))
  }

  @Test func `a run that is stopped before its first step has measured nothing`() throws {
    let test = try LoadTest(options(apps: 100), isStopped: { true })
    let report = test.run()
    #expect(
      report.run.isInterrupted && report.run.lengthNanoseconds == 0
        && report.expirations.expected == 0)
    // At the first step, which has not come yet.
    let stop = Stop()
    let second = try LoadTest(
      options(apps: 100), progress: { _ in stop.request() }, isStopped: { stop.isRequested })
    #expect(second.run().run.lengthNanoseconds == 0)
  }

  @Test func `a problem of the handlers' threads is told once, on the thread that runs the test`()
    throws
  {
    let told = WarningList()
    var options = try options(apps: 50)
    (options.lengthNanoseconds, options.segments) = (700_000_000, 1)
    let runner = pthread_self()
    let test = try LoadTest(
      options, warn: { told.add("\($0), \(pthread_equal(pthread_self(), runner) != 0)") })
    let started = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for threads in [64, 66, 64] { test.problems.add(.handlersBlock(threads)) }
      started.signal()
    }
    started.wait()
    #expect(told.kept == [])
    _ = test.run()
    test.problems.add(.noThread(EAGAIN))
    test.close()
    #expect(
      told.kept == [
        "handlers block all 64 threads; other handlers wait until one returns, true"
      ])
  }

  @Test func `a plan that cannot be as dense as requested says so`() throws {
    var options = try options(apps: 10)
    options.visitsPerSecond = 2_000
    let test = try LoadTest(options)
    let report = test.run()
    test.close()
    let note = "visits a second were planned, not 2,000: 10 apps have no time for more."
    #expect(report.notes.contains { $0.hasSuffix(note) }, "\(report.notes)")
  }

  @Test func `a run reports its progress in every phase`() throws {
    let list = ProgressList()
    let test = try LoadTest(options(apps: 100), progress: { list.add($0) })
    _ = test.run()
    test.close()
    let shares = list.kept.map(\.share)
    #expect(
      shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) }
        && Set(shares).count > 10)
    // At the start of each, and about every 100 ms.
    for contestant in ["ours", "floor"] {
      #expect(
        list.kept.count { $0.contestant == contestant && $0.segment == 2 } >= 2, "\(contestant)")
    }
    #expect((list.kept.last?.expirations ?? 0) > 0)
  }
}

extension DeviceBooks {
  fileprivate init(_ counts: DeviceCounts) {
    self.init(
      decided: counts.expirations, called: counts.handlersCalled, leftOut: counts.skippedHandlers)
  }
}

private final class WarningList: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [String] = []

  var kept: [String] { lock.withLock { list } }

  func add(_ warning: String) { lock.withLock { list.append(warning) } }
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

extension LoadTest {
  /// The tasks whose handlers were called in the first half of the time until the end of their
  /// grants, without any disturbance of the load test, and ended them. (For a task that its app
  /// ends later, another class could be right too.)
  fileprivate func undisturbedHandlers() -> [Int] {
    plan.visits.flatMap { visit -> [Int] in
      let base = bases[visit.segment]
      return (visit.firstTask..<visit.firstTask + visit.taskCount).filter { task in
        guard plan.tasks[task].ending == .inHandler, let warning = rehearsed.warnings[task],
          measurements[task].deliveries > 0
        else { return false }
        let (due, end) = (base + warning.due, base + warning.end)
        let lead = end - due
        return measurements[task].delivered - due < lead / 2
          && standstill(from: due - 2 * lead, to: end) == 0 && !isCatchingUp(from: due, to: end)
      }
    }
  }
}
