import TestRuns
import Testing

@testable import CurfewLoadTest

/// Distributions and their second accounts.
@Suite(.inTurn) struct AccountTests {
  private let values: [Int64] = (0..<500).map { 40_000 + $0 * 97 % 30_000 } + [-12]

  private func contradiction(_ recorded: [Int64]) -> String? {
    var (histogram, control) = (LatenessPercentiles(), ControlSum())
    for value in recorded { histogram.record(value) }
    for value in values { control.add(due: 1_000_000, happened: 1_000_000 + value) }
    return histogram.contradiction(of: "'decided'", with: control)
  }

  @Test func `a distribution agrees with the records that it was made from`() {
    #expect(contradiction(values) == nil)
    #expect(LatenessPercentiles().contradiction(of: "'decided'", with: ControlSum()) == nil)
  }

  @Test func `values that were rounded down contradict the records`() {
    for unit in [2, 10, 1_000, 1_000_000] as [Int64] {
      let rounded = values.map { $0 < 0 ? $0 : $0 / unit * unit }
      #expect(contradiction(rounded)?.hasPrefix("the values of 'decided' add up to ") == true)
    }
  }

  @Test func `values that were counted twice or left out contradict the records`() {
    #expect(
      contradiction(values + [40_000]) == "'decided' has 502 values, and the records have 501")
    #expect(
      contradiction(values.dropLast()) == "'decided' has 500 values, and the records have 501")
  }

  @Test func `decided has a value for each decision, and for missed handlers without one`() {
    var report = LoadTestReport(run: sampleRun())
    // One of the two that were ended first had been decided.
    (report.expirations.expected, report.expirations.delivered) = (4, 1)
    (report.expirations.endedFirst, report.expirations.missed) = (2, 1)
    report.expirations.decided = 2
    for lateness in [10, 12] as [Int64] { report.warningsDecided.record(lateness) }
    report.warningsDecided.record(atLeast: 5_000)
    report.warningsDelivered.record(50)
    report.warningsDelivered.record(atLeast: 5_000)
    #expect(report.countContradictions == [])
    var tampered = report
    tampered.warningsDecided.record(2_000)
    #expect(
      tampered.countContradictions == [
        "'decided' has 3 values of decisions, and the device has decided 2"
      ])
    tampered = report
    tampered.warningsDecided.record(atLeast: 2_000)
    #expect(
      tampered.countContradictions == [
        "'decided' has 2 lower bounds for missed handlers, and the report counts 1 missed"
      ])
    tampered = report
    tampered.expirations.decided += 1
    #expect(tampered.countContradictions.count == 1)
    tampered = report
    tampered.warningsDelivered.record(1)
    #expect(
      tampered.countContradictions.first?.hasPrefix("'delivered' has 3 values, and 2 ") == true)
  }

  @Test func `a sum is exact, saturates, and is kept when histograms are added`() {
    var (first, second) = (LatenessPercentiles(), LatenessPercentiles())
    first.record(123_456_789)
    second.record(1)
    second.record(-5)
    first.add(second)
    #expect(first.total == 123_456_790 && first.count == 3)
    first.record(.max)
    #expect(first.total == .max)
  }
}

@Suite(.inTurn) struct HandOffTests {
  @Test func `each hand-off has a length, and none is negative`() throws {
    let handOffs = try #require(HandOff(count: 50).run())
    let lengths = handOffs.percentiles
    #expect(lengths.count == 50 && lengths.early == 0 && lengths.max ?? 0 > 0)
    #expect(lengths.p50 != nil)
    #expect(lengths.contradiction(of: "'handOff'", with: handOffs.control) == nil)
  }

  @Test func `a stop ends it early`() throws {
    var calls = 0
    let lengths = HandOff(count: 50).run {
      calls += 1
      return calls > 3
    }
    #expect(lengths?.percentiles.count == 3)
  }
}
