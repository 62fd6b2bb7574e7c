import BenchSupport
import CurfewBench
import Testing

/// The notes of runs that ended before they had what was asked for.
@Suite struct ShortfallTests {
  /// A run of ten repetitions, of which these are in the results.
  private func record(_ repetitions: Int, until: Double? = nil) -> RunRecord {
    let values = BenchFixture.values(10, repetitions)
    var record = BenchFixture.record([
      BenchFixture.workload([.init("timerfd", .floor, values), .init("curfew", .subject, values)])
    ])
    (record.options.repetitions, record.options.until) = (10, until)
    return record
  }

  @Test func `a run that has what was asked for has no note`() {
    #expect(record(10).shortfalls(isPrecise: true) == [])
    #expect(record(14, until: 0.1).shortfalls(isPrecise: true) == [])
    #expect(record(40, until: 0.1).shortfalls(isPrecise: true) == [])
  }

  @Test func `an interrupted run tells its whole repetitions`() {
    var fixed = record(3)
    fixed.interruption = "SIGINT"
    #expect(fixed.shortfalls(isPrecise: true) == ["3 of 10 repetitions: interrupted by SIGINT"])
    var open = record(12, until: 0.1)
    open.interruption = "SIGTERM"
    #expect(
      open.shortfalls(isPrecise: false) == [
        "12 of at most 40 repetitions: interrupted by SIGTERM"
      ])
  }

  @Test func `a run at the limit of --until says that it is not precise`() {
    #expect(
      record(40, until: 0.1).shortfalls(isPrecise: false) == [
        "40 of at most 40 repetitions: not every interval is as narrow as --until asks"
      ])
  }

  @Test func `a workload without a contestant to measure tells their outcomes`() throws {
    var record = record(2)
    record.workloads[0].contestants[0].outcome = .wrong("timer 7 fired twice")
    #expect(record.shortfalls(isPrecise: true) == [])
    record.workloads[0].contestants[1].outcome = .wrong("timer 8 fired twice")
    let place = "deadlines/1, spaced, size 2,000, 2 of 10 repetitions"
    #expect(
      record.shortfalls(isPrecise: true) == [
        "\(place): no contestant is left to measure (wrong: timerfd, curfew)"
      ])
    // A contestant that was interrupted had not ended.
    record.workloads[0].contestants[1].outcome = .interrupted
    record.interruption = "SIGINT"
    #expect(
      record.shortfalls(isPrecise: true) == ["2 of 10 repetitions: interrupted by SIGINT"])
  }
}
