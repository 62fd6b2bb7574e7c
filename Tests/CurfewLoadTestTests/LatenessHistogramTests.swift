import Testing

@testable import CurfewLoadTest

@Suite struct LatenessHistogramTests {
  /// Long-tailed values from a fixed seed.
  private func values(_ count: Int) -> [Int64] {
    var random = PlanRandom(seed: 11)
    return (0..<count).map { _ in random.below(100) == 0 ? random.below(50_000_000) : 1_000 + random.below(200_000) }
  }

  @Test func `percentiles are those of the sorted values, to three digits`() throws {
    let values = values(20_000)
    var histogram = LatenessHistogram()
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

  @Test func `what is early is counted apart`() {
    var histogram = LatenessHistogram()
    for value in [-5, 100, -1, 200, 0, .min] as [Int64] { histogram.record(value) }
    #expect(histogram.early == 3)
    #expect(histogram.earliest == .max)
    #expect(histogram.count == 6)
    #expect(histogram.percentile(50) == 100 && histogram.p50 == nil)
    #expect(histogram.percentile(0) == 0)
  }

  @Test func `nothing recorded has no percentiles`() {
    var histogram = LatenessHistogram()
    #expect(histogram.p50 == nil && histogram.max == nil && histogram.count == 0)
    histogram.record(-1)
    #expect(histogram.p50 == nil && histogram.count == 1)
  }

  @Test func `what is longer than a minute keeps its maximum`() {
    var histogram = LatenessHistogram()
    histogram.record(90_000_000_000)
    histogram.record(.max)
    #expect(histogram.count == 2)
    #expect(histogram.max == .max)
    #expect(abs((histogram.percentile(50) ?? 0) - 60_000_000_000) < 60_000_000)
  }

  @Test func `a percentile with fewer than ten values behind it is none`() {
    var histogram = LatenessHistogram()
    var first: [Int] = [0, 0, 0, 0]
    for count in 1...10_000 {
      histogram.record(Int64(count))
      histogram.record(-1)
      let figures = [histogram.p50, histogram.p90, histogram.p99, histogram.p999]
      for (index, figure) in figures.enumerated() where figure != nil && first[index] == 0 { first[index] = count }
    }
    #expect(first == [20, 100, 1_000, 10_000])
    #expect([50, 90, 99, 99.9].map(LatenessHistogram.needed) == first)
  }

  @Test func `a percentile file can be read back`() throws {
    let values = values(10_000)
    var histogram = LatenessHistogram()
    for value in values { histogram.record(value) }
    let lines = histogram.hgrm.split(separator: "\n")
    #expect(lines[0].split(separator: " ") == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
    let rows = lines.dropFirst().filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").compactMap { Double($0) } }
    #expect(rows.count > 20)
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $0[0] <= $1[0] && $0[1] <= $1[1] && $0[2] <= $1[2] })
    let last = try #require(rows.last)
    #expect(last[1] == 1 && last[2] == 10_000)
    #expect(abs(last[0] * 1_000 - Double(try #require(histogram.max))) <= Double(try #require(histogram.max)) / 1_000 + 1)
    let middle = try #require(rows.first { $0[1] >= 0.5 })
    #expect(abs(middle[0] * 1_000 - Double(try #require(histogram.p50))) <= 1)
    #expect(lines.last == "#[Unit    = microseconds]")
    #expect(lines.contains { $0.hasPrefix("#[Max") && $0.contains("Total count    =        10000]") })
  }

  @Test func `medians are the middle`() {
    #expect(median([3, 1, 2] as [Int64]) == 2)
    #expect(median([4, 1, 2, 3] as [Int64]) == 2)
    #expect(median([.max, .max - 2] as [Int64]) == Int64.max - 1)
    #expect(median([] as [Int64]) == nil)
    #expect(median([1.5, 2.5]) == 2)
    #expect(median([] as [Double]) == nil)
  }

  @Test func `a process knows what it uses`() {
    let before = ProcessFacts.now()
    var random = PlanRandom(seed: 1)
    var sum: UInt64 = 0
    for _ in 0..<2_000_000 { sum &+= random.next() }
    let after = ProcessFacts.now()
    #expect(sum != 0)
    #expect(after.userNanoseconds + after.systemNanoseconds > before.userNanoseconds + before.systemNanoseconds)
    #expect(after.peakMemory > 1 << 20 && after.peakMemory < 1 << 40)
    #expect(after.cores >= 1 && after.cores < 10_000)
  }
}
