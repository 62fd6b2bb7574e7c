import CurfewStatistics
import CurfewSystem
import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct LatenessHistogramTests {
  /// Long-tailed values from a fixed seed.
  private func values(_ count: Int) -> [Int64] {
    var random = PlanRandom(seed: 11)
    return (0..<count).map { _ in
      random.below(100) == 0 ? random.below(50_000_000) : 1_000 + random.below(200_000)
    }
  }

  @Test func `percentiles are those of the sorted values, to three digits`() throws {
    let values = values(20_000)
    var histogram = LatenessPercentiles()
    for value in values { histogram.record(value) }
    let sorted = values.sorted()
    for perMille in [500, 900, 990, 999] {
      let percent = Double(perMille) / 10
      let rank = (sorted.count * perMille + 999) / 1000 - 1
      let (exact, measured) = (sorted[rank], try #require(histogram.percentile(percent)))
      #expect(measured >= exact)
      #expect(Double(measured) <= Double(exact) * 1.001 + 1, "\(percent): \(measured), \(exact)")
    }
    #expect(histogram.max == sorted.last)
    #expect(histogram.count == 20_000)
  }

  @Test func `early values are counted separately`() {
    var histogram = LatenessPercentiles()
    for value in [-5, 100, -1, 200, 0, .min] as [Int64] { histogram.record(value) }
    #expect(histogram.early == 3)
    #expect(histogram.earliest == .max)
    #expect(histogram.count == 6)
    #expect(histogram.percentile(50) == 100 && histogram.p50 == nil)
    #expect(histogram.percentile(0) == 0)
  }

  @Test func `nothing recorded has no percentiles`() {
    var histogram = LatenessPercentiles()
    #expect(histogram.p50 == nil && histogram.max == nil && histogram.count == 0)
    histogram.record(-1)
    #expect(histogram.p50 == nil && histogram.count == 1)
  }

  @Test func `a value longer than a minute keeps its maximum`() {
    var histogram = LatenessPercentiles()
    histogram.record(90_000_000_000)
    histogram.record(.max)
    #expect(histogram.count == 2)
    #expect(histogram.max == .max)
    #expect(abs((histogram.percentile(50) ?? 0) - 60_000_000_000) < 60_000_000)
  }

  @Test func `a percentile that fewer than ten values exceed is left out`() {
    var histogram = LatenessPercentiles()
    var first: [Int] = [0, 0, 0, 0]
    // Checked around each change only, because a check takes longer than a record.
    let looks = Set([20, 100, 1_000, 10_000].flatMap { [$0 - 1, $0] })
    for count in 1...10_000 {
      histogram.record(Int64(count))
      histogram.record(-1)
      guard looks.contains(count) else { continue }
      let figures = [histogram.p50, histogram.p90, histogram.p99, histogram.p999]
      for (index, figure) in figures.enumerated() where figure != nil && first[index] == 0 {
        first[index] = count
      }
    }
    #expect(first == [20, 100, 1_000, 10_000])
    #expect([50, 90, 99, 99.9].map(LatenessPercentiles.needed) == first)
  }

  @Test func `a value that never came counts with its lower bound, and percentiles on it say so`() {
    var histogram = LatenessPercentiles()
    for value in 1...990 as ClosedRange<Int64> { histogram.record(value * 10) }
    for _ in 0..<10 { histogram.record(atLeast: 50_000) }
    #expect(histogram.count == 1_000 && histogram.unbounded == 10 && histogram.max == 50_000)
    #expect(
      histogram.isAtLeast(histogram.max) && !histogram.isAtLeast(histogram.p99)
        && !histogram.isAtLeast(nil))
    // One lateness is only known to exceed those: it may be the eleventh or the first of the last.
    histogram.record(120_000)
    #expect(histogram.max == 120_000 && histogram.isAtLeast(histogram.max))
    #expect(
      histogram.percentile(99) == 50_015 && histogram.isAtLeast(histogram.p99)
        && !histogram.isAtLeast(histogram.p90))
    #expect(histogram.hgrm.hasSuffix("\n#[AtLeast = 10 of the values, from 50us on]\n"))
  }

  @Test func `histograms add up`() {
    var (both, half, other) = (LatenessPercentiles(), LatenessPercentiles(), LatenessPercentiles())
    for (index, value) in values(4_000).enumerated() {
      both.record(value)
      if index % 2 == 0 { half.record(value) } else { other.record(value) }
    }
    half.record(-3)
    other.record(atLeast: 7)
    both.record(-3)
    both.record(atLeast: 7)
    half.add(other)
    #expect(half.count == 4_002 && half.early == 1 && half.earliest == 3 && half.unbounded == 1)
    #expect([half.p50, half.p90, half.p99, half.max] == [both.p50, both.p90, both.p99, both.max])
    half.add(LatenessPercentiles())
    #expect(half.count == 4_002 && half.isAtLeast(7) && !half.isAtLeast(6))
  }

  @Test func `a median is a lower bound if one of its values is`() {
    func median(_ figures: [(Double, Bool)]) -> ReportFigure? {
      ReportFigure.median(figures.map { ReportFigure($0.0, isAtLeast: $0.1) })
    }
    #expect(median([]) == nil)
    #expect(median([(1, false), (2, false), (9, true)]) == ReportFigure(2))
    #expect(median([(1, true), (2, false), (9, false)]) == ReportFigure(2, isAtLeast: true))
    #expect(median([(1, false), (3, true)]) == ReportFigure(2, isAtLeast: true))
  }

  @Test func `a percentile file can be read back`() throws {
    let values = values(10_000)
    var histogram = LatenessPercentiles()
    for value in values { histogram.record(value) }
    let lines = histogram.hgrm.split(separator: "\n")
    #expect(
      lines[0].split(separator: " ") == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
    let rows = lines.dropFirst().filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    #expect(rows.count > 20)
    #expect(
      zip(rows, rows.dropFirst()).allSatisfy { $0[0] <= $1[0] && $0[1] <= $1[1] && $0[2] <= $1[2] })
    let last = try #require(rows.last)
    #expect(last[1] == 1 && last[2] == 10_000)
    #expect(
      abs(last[0] * 1_000 - Double(try #require(histogram.max))) <= Double(
        try #require(histogram.max)) / 1_000 + 1)
    let middle = try #require(rows.first { $0[1] >= 0.5 })
    #expect(abs(middle[0] * 1_000 - Double(try #require(histogram.p50))) <= 1)
    #expect(lines.last == "#[Unit    = microseconds]")
    #expect(
      lines.contains { $0.hasPrefix("#[Max") && $0.contains("Total count    =        10000]") })
  }

  @Test func `medians are the middle values`() {
    #expect(median([3, 1, 2]) == 2)
    #expect(median([4, 1, 2, 3]) == 2.5)
    #expect(median([1.5, 2.5]) == 2)
    #expect(median([] as [Double]) == nil)
  }

  @Test func `the machine's load is the use by other processes`() throws {
    let idle = ProcessFacts(userNanoseconds: 0, systemNanoseconds: 0, peakMemory: 0, cores: 2)
    let busy = ProcessFacts(
      userNanoseconds: 300_000_000, systemNanoseconds: 200_000_000, peakMemory: 0, cores: 2)
    let before = try #require(
      MachineLoad(
        statistics: "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n", at: 0, idle))
    // During two seconds of two cores, this process took half a second, one was idle, one waited
    // for a disk, and others or the hypervisor took the rest. The ticks of use count nothing.
    let after = try #require(
      MachineLoad(statistics: "cpu  120 0 50 900 150 0 0 50 0 0\n", at: 2_000_000_000, busy))
    #expect(before.othersShare(until: after) == 0.375)
    #expect(before.othersShare(until: after, children: 1_000_000_000) == 0.125)
    #expect(before.othersShare(until: before) == nil && before.othersShare(until: nil) == nil)
    #expect(
      MachineLoad(statistics: "cpu0 1 2 3", at: 0, idle) == nil
        && MachineLoad(statistics: "", at: 0, idle) == nil)
    #if os(Linux)
      #expect(MachineLoad.now() != nil)
    #endif
  }

  @Test func `a process measures its own use`() {
    let before = ProcessFacts.now()
    var random = PlanRandom(seed: 1)
    var sum: UInt64 = 0
    for _ in 0..<2_000_000 { sum &+= random.next() }
    let after = ProcessFacts.now()
    #expect(sum != 0)
    #expect(
      after.userNanoseconds + after.systemNanoseconds > before.userNanoseconds
        + before.systemNanoseconds)
    #expect(after.peakMemory > 1 << 20 && after.peakMemory < 1 << 40)
    #expect(after.cores >= 1 && after.cores < 10_000)
  }
}
