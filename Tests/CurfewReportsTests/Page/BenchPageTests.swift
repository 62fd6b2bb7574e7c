import BenchSupport
import CurfewBench
import Foundation
import Testing

@testable import CurfewReports

/// The page of a benchmark run.
@Suite struct BenchPageTests {
  private func html(_ record: CurfewBench.RunRecord) throws -> String {
    Page(of: try BenchReport(record), file: "folder/results.json").html()
  }

  private func count(_ needle: String, _ text: String) -> Int {
    text.components(separatedBy: needle).count - 1
  }

  @Test func `the page has a dot for each ratio of a repetition, and every contestant`() throws {
    let html = try html(BenchFixture.full)
    if let folder = ProcessInfo.processInfo.environment["CURFEW_PAGES"] {
      try html.write(toFile: folder + "/benchmarks.html", atomically: true, encoding: .utf8)
    }
    // Five contestants of `deadlines/1` and two at each size of `fleet/1`, by two figures.
    #expect(count("data-kind=\"dot\"", html) == (5 + 2 + 2) * 2 * 10)
    for contestant in BenchFixture.full.workloads.flatMap(\.contestants) {
      #expect(html.contains(contestant.name))
    }
    #expect(html.contains("</span>of bare-queue"))
    for part in [
      "apt-get install golang-go", "which was cancelled 12 ms before", "790 timers early",
      "Example 3000", "9c1e0f2, clean", "intel_pstate", "8 GiB", "0123456789abcdef",
      "results.json", "The machine is virtual.", "fails", "exit code 99",
    ] {
      #expect(html.contains(part), "\(part)")
    }
    #expect(!html.contains("<script") && !html.contains("http:") && !html.contains("url("))
  }

  @Test func `a run with two repetitions shows its figures without ratios`() throws {
    var record = BenchFixture.full
    record.workloads = [record.workloads[1]]
    record.options.thresholds = []
    record.workloads[0].segments.removeAll { $0.repetition > 2 }
    let html = try html(record)
    #expect(html.contains("3 contestants answered rightly; no ratios: fewer than five repetitions"))
    #expect(count("data-kind=\"dot\"", html) == 3 * 2 * 2 && !html.contains("</span>of bare-queue"))
  }

  @Test func `a run that only checks answers has no figures on its page`() throws {
    var record = BenchFixture.full
    (record.options.repetitions, record.options.thresholds) = (4, [])
    let html = try html(record)
    #expect(count("data-kind=\"dot\"", html) == 0 && !html.contains("Medians of the repetitions"))
    #expect(html.contains("fewer than five repetitions only check answers"))
    #expect(html.contains(">wrong<") && html.contains(">early<"), "\(html)")
  }

  @Test func `medians of a disturbed workload are marked`() throws {
    var record = BenchFixture.full
    record.workloads = [record.workloads[1]]
    record.options.thresholds = []
    record.workloads[0].contestants[2].outcome = .disturbed("cc1plus")
    #expect(try html(record).contains("~191ns"))
  }

  @Test func `a run without segments has a page`() throws {
    var record = BenchFixture.full
    for place in record.workloads.indices { record.workloads[place].segments = [] }
    #expect(try html(record).contains("apt-get install golang-go"))
  }

  @Test func `each column sorts by its numbers, and cells without one come last`() throws {
    let table = Table(
      "t", [.words("name"), .numbers("p50")], [["b", "9ns"], ["a", "10ns"], ["c", "–"]]
    ).sortable(by: [[nil, 9], [nil, 10], [nil, nil]])
    var page = Markup()
    table.write(&page)
    let orders = page.text.matches(of: /style="(--s0[^"]*)"/).map { String($0.output.1) }
    #expect(orders == ["--s0:1;--s1:0", "--s0:0;--s1:1", "--s0:2;--s1:2"])
    #expect(count("type=\"radio\"", page.text) == 2)
  }
}
