import Foundation
import TestRuns
import Testing

/// Distributions in the format of HdrHistogram's tools.
@Suite(.inTurn) struct DistributionFileTests {
  /// The value, share and count of each data line.
  private func rows(_ text: String) -> [(value: Double, share: Double, count: Int)] {
    text.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      return (Double(parts[0]) ?? -1, Double(parts[1]) ?? -1, Int(parts[2]) ?? -1)
    }
  }

  @Test func `each distribution of a fleet has a file whose values equal its figures`()
    throws
  {
    let folder = try TemporaryFolder()
    let run = try CurfewProcess.run(
      ["fleet", "phone", "--devices", "3", "--for", "1d", "--csv", "--hgrm", "out"], in: folder)
    #expect(run.exitCode == 0, "\(run.messages)")
    let figures = run.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    func figure(_ name: String) -> Double? {
      figures.first { $0[5].isEmpty && $0[6].isEmpty && $0[7] == name }.flatMap { Double($0[9]) }
    }
    let text = try folder.read("out/all.age.hgrm")
    #expect(
      text.hasPrefix("       Value     Percentile TotalCount 1/(1-Percentile)\n\n")
        && text.hasSuffix("#[Unit    = seconds]\n"))
    let rows = rows(text)
    #expect(rows.count > 20 && rows.first?.share == 0 && rows.last?.share == 1)
    for (row, next) in zip(rows, rows.dropFirst()) {
      #expect(row.value <= next.value && row.share <= next.share && row.count <= next.count)
    }
    #expect(rows.last.map { Double($0.count) } == figure("age.n"))
    // The value is the upper bound of a bucket, accurate to three digits.
    for (share, name) in [(0.5, "age.p50"), (0.9, "age.p90"), (1, "age.max")] {
      let value = try #require(rows.first { $0.share >= share }?.value)
      let told = try #require(figure(name))
      #expect(abs(value - told) <= told / 500, "\(name): \(value) and \(told)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.url.appendingPathComponent("out").path
      ).count > 20)
  }
}
