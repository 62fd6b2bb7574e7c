import Curfew
import CurfewEngine
import CurfewUV
import TestRuns
import Testing

@testable import CurfewLoadTest

/// A warning due at 1,000 whose grant ends at 6,000, in wall nanoseconds at a scale of 1.
@Suite(.inTurn) struct WarningFateTests {
  private static let planned = PlannedWarning(due: 1_000, end: 6_000)

  private func record(
    begun: Bool = true, decided: Int64? = 1_010, delivered: Int64? = nil, ended: Int64? = nil
  ) throws -> Measurements.TaskRecord {
    var record = Measurements.TaskRecord()
    if begun { record.identifier = try identifier() }
    if let decided {
      record.isDecided = true
      (record.due, record.decided, record.sent) = (
        .zero + .nanoseconds(1_000), .zero + .nanoseconds(decided), .zero + .nanoseconds(decided)
      )
    }
    if let delivered { (record.delivered, record.deliveries) = (delivered, 1) }
    if let ended { record.ended = ended }
    return record
  }

  private func identifier() throws -> BackgroundTaskIdentifier {
    let device = Device(policy: .ios13)
    let app = device.register("app")
    app.launch()
    let identifier = app.beginBackgroundTask()
    try #require(identifier != .invalid)
    device.close()
    return identifier
  }

  private func tally(
    _ record: Measurements.TaskRecord, planned: PlannedWarning? = planned,
    interruption: Int64? = nil, death: Int64? = nil
  ) -> WarningTally {
    var tally = WarningTally(
      scale: .one, interruption: interruption, standstill: { _, _ in 0 },
      isCatchingUp: { _, _ in false })
    tally.add(record, planned: planned, death: death)
    return tally
  }

  private func counts(
    expected: Int = 1, delivered: Int = 0, endedFirst: Int = 0, missed: Int = 0, pending: Int = 0,
    lost: Int = 0, unexpected: Int = 0
  ) -> LoadTestReport.Expirations {
    var counts = LoadTestReport.Expirations()
    (counts.expected, counts.delivered, counts.endedFirst, counts.missed) = (
      expected, delivered, endedFirst, missed
    )
    (counts.pending, counts.lost, counts.unexpected) = (pending, lost, unexpected)
    return counts
  }

  @Test
  func `a handler called by the planned end is delivered, late from its due time`()
    throws
  {
    for (line, lateness) in [(1_050, 50), (6_000, 5_000)] as [(Int64, Int64)] {
      // The handler ends the task, after its first line.
      let tally = tally(try record(delivered: line, ended: line + 1))
      #expect(tally.counts == counts(delivered: 1))
      #expect(
        tally.delivered.max == lateness && tally.decided.max == 10 && tally.delivered.unbounded == 0
      )
    }
  }

  @Test
  func `a handler called later is missed, late from its planned due time`()
    throws
  {
    // The engine's own instants moved, because the departure was late: to the engine, the handler
    // came 10 ns late.
    var late = try record(decided: 9_000, delivered: 9_010, ended: 9_020)
    late.due = .zero + .nanoseconds(9_000)
    let tally = tally(late)
    #expect(tally.counts == counts(missed: 1))
    #expect(
      tally.delivered.max == 8_010 && tally.delivered.unbounded == 0 && tally.decided.max == 0)
  }

  @Test
  func
    `a warning decided in time and never called is missed and lost, as late as the end at least`()
    throws
  {
    let tally = tally(try record())
    #expect(tally.counts == counts(missed: 1, lost: 1))
    #expect(
      tally.delivered.max == 5_000 && tally.delivered.unbounded == 1 && tally.decided.max == 10
        && tally.decided.unbounded == 0)
    // An end of the task or of the process after the grant's end is not an excuse.
    #expect(self.tally(try record(ended: 6_001), death: 6_000).counts == counts(missed: 1, lost: 1))
  }

  @Test func `a warning decided late, or whose process ended before, is missed and not lost`()
    throws
  {
    #expect(tally(try record(decided: 6_001)).counts == counts(missed: 1))
    #expect(tally(try record(), death: 5_999).counts == counts(missed: 1))
  }

  @Test func `a warning for which the load test stood still is missed and not lost`() throws {
    // Decided at 1,010 with an end at 6,000. Half of the 5,000 from warning to end have to remain,
    // which is so for standstills of up to 2,490.
    for (standstill, lost) in [(0, 1), (2_490, 1), (2_491, 0), (4_990, 0)] as [(Int64, Int)] {
      var tally = WarningTally(
        scale: .one, interruption: nil,
        standstill: { from, end in
          #expect(from == -9_000 && end == 6_000)
          return standstill
        }, isCatchingUp: { _, _ in false })
      tally.add(try record(), planned: Self.planned, death: nil)
      #expect(tally.counts == counts(missed: 1, lost: lost), "\(standstill)")
    }
    // Decided so late that no host could have called it in time.
    #expect(tally(try record(decided: 3_500)).counts == counts(missed: 1, lost: 1))
    #expect(tally(try record(decided: 3_501)).counts == counts(missed: 1))
  }

  @Test func `while the load test catches up or is behind, nothing is lost`() throws {
    for isCatchingUp in [true, false] {
      var tally = WarningTally(
        scale: .one, interruption: nil, standstill: { _, _ in 0 },
        isCatchingUp: { from, end in
          #expect(from == 1_000 && end == 6_000)
          return isCatchingUp
        })
      tally.add(try record(), planned: Self.planned, death: nil)
      #expect(tally.counts == self.counts(missed: 1, lost: isCatchingUp ? 0 : 1))
    }
  }

  @Test func `a pool that wedges loses each handler that it no longer calls`() throws {
    // A standstill of 100 that ended at 500 is caught up with at 900, one of 200 at 1,300.
    for (start, lost) in [(500, 5), (400, 5), (300, 0)] as [(Int64, Int)] {
      let heartbeat = Heartbeat(standstills: start < 500 ? [start...500] : [])
      var tally = WarningTally(
        scale: .one, interruption: nil, standstill: heartbeat.standstill(from:to:),
        isCatchingUp: heartbeat.isCatchingUp(from:to:))
      for _ in 0..<5 { tally.add(try record(), planned: Self.planned, death: nil) }
      #expect(tally.counts == counts(expected: 5, missed: 5, lost: lost), "\(start)")
    }
  }

  @Test func `a warning never decided is missed, and late in both`() throws {
    for begun in [true, false] {
      // The end of a task that never began is not an excuse.
      let tally = tally(try record(begun: begun, decided: nil, ended: begun ? nil : 900))
      #expect(tally.counts == counts(missed: 1))
      #expect(
        tally.decided.unbounded == 1 && tally.delivered.unbounded == 1 && tally.decided.max == 5_000
      )
    }
  }

  @Test func `a task that its app ends before the handler is called is ended first`() throws {
    #expect(tally(try record(decided: nil, ended: 990)).counts == counts(endedFirst: 1))
    #expect(tally(try record(ended: 6_000)).counts == counts(endedFirst: 1))
    // The handler was called while another thread was ending the task.
    #expect(tally(try record(delivered: 1_060, ended: 1_050)).counts == counts(endedFirst: 1))
  }

  @Test
  func
    `at an interruption a grant that goes on is pending, and what was not due yet is not expected`()
    throws
  {
    #expect(tally(try record(), interruption: 5_999).counts == counts(pending: 1))
    #expect(tally(try record(), interruption: 6_000).counts == counts(missed: 1, lost: 1))
    #expect(tally(try record(delivered: 1_100), interruption: 5_000).counts == counts(delivered: 1))
    #expect(tally(try record(decided: nil), interruption: 999).counts == counts(expected: 0))
  }

  @Test func `an unexpected call is counted separately`() throws {
    let tally = tally(try record(delivered: 1_100), planned: nil)
    #expect(tally.counts == counts(expected: 0, unexpected: 1))
    #expect(tally.delivered.max == 100 && tally.decided.count == 1)
    #expect(self.tally(try record(), planned: nil).counts == counts(expected: 0))
  }

  @Test func `an end before a warning that a stall delayed is a decision of nobody`() throws {
    // A stall delayed the departure by 4,000, so the warning would have been due at 5,000. The app
    // ends its task at 3,000 as planned, and the engine decides nothing.
    let stalled = try record(decided: nil, ended: 3_000)
    let records = [stalled, try record(ended: 3_000), try record(delivered: 1_050)]
    var (tally, recount) = (self.tally(stalled), Recount())
    for record in records.dropFirst() { tally.add(record, planned: Self.planned, death: nil) }
    for record in records {
      recount.add(record, warning: Self.planned, interruption: nil, .one)
    }
    #expect(tally.counts == counts(expected: 3, delivered: 1, endedFirst: 2))
    #expect(tally.decided.count == 2 && tally.delivered.count == 1)
    #expect(tally.decided.contradiction(of: "'decided'", with: recount.decided) == nil)
    #expect(tally.delivered.contradiction(of: "'delivered'", with: recount.delivered) == nil)
  }
}
