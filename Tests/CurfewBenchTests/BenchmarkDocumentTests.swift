import BenchSupport
import CurfewBench
import CurfewText
import Foundation
import Testing

/// Tables of documents. `CURFEW_WRITE_BENCHMARKS=1 swift test --filter BenchmarkDocumentTests`
/// writes those of the repository again.
@Suite struct BenchmarkDocumentTests {
  private let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func document() throws -> BenchmarkDocument {
    BenchmarkDocument([
      .init(file: "Benchmarks/Results/2026-11-28-a.json", try BenchReport(BenchFixture.full))
    ])
  }

  private func block(_ name: String, _ old: String = "stale\n") -> String {
    "before\n<!-- benchmark: \(name) -->\n\(old)<!-- end of benchmark -->\nafter\n"
  }

  @Test func `a workload has a table of each size, and the text around it stays`() throws {
    let text = try document().filled(block("fleet/1"))
    #expect(text.hasPrefix("before\n<!-- benchmark: fleet/1 -->\n\n`fleet/1`, size 10,000:\n"))
    #expect(text.hasSuffix("\n\n<!-- end of benchmark -->\nafter\n") && !text.contains("stale"))
    #expect(
      text.contains(
        """
        `fleet/1`, size 1,000,000:

        |  | rank | cycle | of bare-queue | curfew of it | memory | of bare-queue |
        |---|---:|---:|---:|---:|---:|---:|
        | bare-queue | floor | 477ns | 1 |
        """))
    #expect(text.contains("| curfew | 1 | ") && text.contains("2026-11-28-a.json`"))
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("|") }
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(try document().filled(text) == text)
  }

  @Test func `the summary has the best rival of each division`() throws {
    let text = try document().filled(block("summary deadlines/1 fleet/1"))
    #expect(text.contains("| deadlines/1, spaced, size 2,000: p50 | 31.2us | 1.88, timerfd | "))
    #expect(text.contains("| jdk, 83.6us | 0.375 [0.331, 0.424] | jdk, 83.6us | 0.375 ["))
    #expect(text.split(separator: "\n").count { $0.hasPrefix("| fleet/1") } == 2)
  }

  @Test(arguments: [
    ("<!-- benchmark: fleet/1 -->\n", "has no end"), ("<!-- end of benchmark -->", "without a"),
    ("<!-- benchmark: summary fleet/1 -->\n<!-- benchmark: fleet/1 -->\n", "stands before the end"),
    ("<!-- benchmark: summary x/1 -->\n<!-- end of benchmark -->", "no results have the workload"),
    ("<!-- benchmark: x/1 -->\n<!-- end of benchmark -->", "no results have the workload 'x/1'"),
  ])
  func `a broken mark is refused`(_ text: String, _ message: String) throws {
    let document = try document()
    let error = #expect(throws: Refusal.self) { try document.filled(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `documents have the tables that the results give`() throws {
    let folder = repository.appendingPathComponent("Benchmarks/Results")
    let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".json") }.sorted()
    let sources = try files.map { file in
      let record = try RunRecord.read(folder.appendingPathComponent(file).path)
      return BenchmarkDocument.Source(file: file, try BenchReport(record))
    }
    #expect(!sources.isEmpty)
    for name in ["README.md", "Documentation/performance.md"] {
      let file = repository.appendingPathComponent(name)
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!BenchmarkDocument.names(in: text).isEmpty, "\(name) has no tables")
      let filled = try BenchmarkDocument(sources).filled(text)
      if ProcessInfo.processInfo.environment["CURFEW_WRITE_BENCHMARKS"] != nil {
        try Data(filled.utf8).write(to: file)
      } else {
        #expect(
          text == filled,
          "CURFEW_WRITE_BENCHMARKS=1 swift test --filter BenchmarkDocumentTests writes it again")
      }
    }
  }
}
