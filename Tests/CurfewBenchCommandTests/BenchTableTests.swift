import BenchSupport
import CurfewBench
import CurfewBenchCommand
import CurfewConsole
import CurfewText
import Testing

/// The table on a terminal.
@Suite struct BenchTableTests {
  private func text(_ record: RunRecord, columns: Int = 80, isUnicode: Bool = true) throws
    -> String
  {
    BenchTable(try BenchReport(record), on: Screen(columns: columns, isUnicode: isUnicode)).text
  }

  @Test(arguments: [80, 60, 120], [true, false])
  func `no line is wider than the terminal, and each contestant is there`(
    _ columns: Int, _ isUnicode: Bool
  ) throws {
    let text = try text(BenchFixture.full, columns: columns, isUnicode: isUnicode)
    let wide = text.split(separator: "\n").filter { $0.displayWidth > columns }
    #expect(wide.isEmpty, "\(wide)")
    #expect(isUnicode || text.utf8.allSatisfy { $0 < 0x80 })
    for contestant in BenchFixture.full.workloads.flatMap(\.contestants) {
      #expect(text.contains(contestant.name))
    }
  }

  @Test func `figures, ratios, ranks and reasons are shown`() throws {
    let text = try text(BenchFixture.full)
    for part in [
      "deadlines/1, spaced, size 2,000: 10 repetitions, others took at most 1.3 %",
      "of timerfd", "16.6us", "3 open", "floor",
      "go        needs go, which is missing: apt-get install golang-go",
      "broken    wrong answer: timer 317 fired, which was cancelled 12 ms before",
      "790 timers early, at most 970us; rounding: none", "up to 100 ms",
      "fleet/1:curfew.cycle@1000000/curfew.cycle@10000", "2.5 [2.5, 2.5]",
      "2 cores of Example 3000, Linux 6.1.0, Swift 6.2, commit 9c1e0f2",
    ] {
      #expect(text.contains(part), "\(part) is not in\n\(text)")
    }
    // A wrong or failed contestant has no row of figures.
    #expect(text.split(separator: "\n").count { $0.hasPrefix("broken") } == 0)
  }

  @Test func `a disturbed ratio is marked, and few repetitions have none`() throws {
    var record = BenchFixture.full
    record.options.thresholds = []
    record.workloads = [record.workloads[1]]
    record.workloads[0].contestants[2].outcome = .disturbed("cc1plus, swiftc, python3")
    let disturbed = try text(record)
    #expect(disturbed.contains("~2.32") && disturbed.contains("~ disturbed by other processes"))
    record.workloads[0].segments.removeAll { $0.repetition > 2 }
    let few = try text(record)
    #expect(!few.contains("of bare-queue") && few.contains("fewer than five repetitions"))
    #expect(
      disturbed.contains(" ~191ns ") && disturbed.contains("nothing follows from this figure"))
  }

  @Test func `the head tells the load of the figures, and the disturbed contestants`() throws {
    var record = BenchFixture.full
    (record.workloads, record.options.thresholds) = ([record.workloads[1]], [])
    func head() throws -> String {
      String(try text(record).split(separator: "\ncontestant")[0]).replacing("\n", with: " ")
    }
    func change(_ contestant: String, _ repetition: Int, _ change: (inout SegmentRecord) -> Void) {
      for place in record.workloads[0].segments.indices
      where record.workloads[0].segments[place].contestant == contestant
        && record.workloads[0].segments[place].repetition == repetition
      {
        change(&record.workloads[0].segments[place])
      }
    }
    // Others take much in segments that have no figures: repeated ones, and those of a repetition
    // that was cut short.
    change("curfew", 9) { ($0.othersShare, $0.isRepeated) = (0.86, true) }
    change("curfew", 8) { ($0.othersShare, $0.isRepeated) = (0.5, $0.segment == 3) }
    change("lazy-heap", 3) { $0.othersShare = 0.047 }
    record.workloads[0].contestants[1].outcome = .disturbed("bash")
    let counted = "4 segments repeated, others took at most 4.7 % in the segments that count"
    #expect(
      try head() == "fleet/1, size 10,000: 10 repetitions, \(counted); disturbed: curfew")
    // A wrong contestant has no figures, so its load is not told.
    record.workloads[0].contestants[2].outcome = .wrong("checksum")
    #expect(try head().contains("others took at most 1.3 % in the segments that count"))
    (record.workloads[0].plans, record.options.until) = (
      Array(record.workloads[0].plans[..<9]), 0.1
    )
    #expect(try head().hasPrefix("fleet/1, size 10,000: 9 of at most 40 repetitions, 4 segments"))
  }

  @Test func `a reason that several contestants have is told once`() throws {
    var record = BenchFixture.full
    for place in record.workloads[0].contestants.indices {
      record.workloads[0].contestants[place].outcome = .missing(need: "x", install: "make x")
    }
    let lines = try text(record).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "below the line"))
    #expect(
      lines[start...].dropFirst().prefix(3) == [
        "  timerfd, curfew, jdk, netty, netty-open, node, go, io_uring, asyncio, broken,",
        "  crash", "    needs x, which is missing: make x",
      ])
  }

  @Test func `a run that only checks answers shows no figures`() throws {
    var record = BenchFixture.full
    (record.options.repetitions, record.options.thresholds) = (2, [])
    let lines = try text(record).split(separator: "\n").map(String.init)
    for (name, answer) in [
      ("timerfd", "right"), ("curfew", "right"), ("node", "early"), ("broken", "wrong"),
      ("crash", "failed"), ("go", "missing"),
    ] {
      #expect(lines.contains { $0.split(separator: " ") == [Substring(name), Substring(answer)] })
    }
    #expect(lines.contains { $0.contains("only check answers: no figures and no ratios") })
    #expect(!lines.contains { $0.contains("16.6us") || $0.contains("of timerfd") })
  }

  @Test func `the reason of a run without ratios is told`() throws {
    var record = BenchFixture.full
    (record.workloads, record.options.thresholds) = ([record.workloads[1]], [])
    record.workloads[0].contestants.removeAll { $0.name != "curfew" }
    let text = try text(record)
    #expect(text.contains("no ratios: the floor was not run") && !text.contains("fewer than"))
  }

  @Test func `text of a contestant cannot control the terminal`() throws {
    var record = BenchFixture.full
    record.workloads[0].contestants[9].outcome = .wrong("\u{1b}[2J\u{7}")
    #expect(try text(record).unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
  }
}
