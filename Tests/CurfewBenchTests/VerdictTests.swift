import BenchSupport
import CurfewBench
import Testing

/// Ranks, thresholds and exit codes.
@Suite struct VerdictTests {
  private typealias Entry = BenchFixture.Entry

  private let floor = Entry("timerfd", .floor, BenchFixture.values(10))
  private let subject = Entry("curfew", .subject, BenchFixture.values(20))
  private let peer = Entry("go", .peer, BenchFixture.values(30))

  private func report(
    _ entries: [Entry], thresholds: [String] = [], _ change: (inout RunRecord) -> Void = { _ in }
  ) throws -> BenchReport {
    var record = BenchFixture.record([BenchFixture.workload(entries)], thresholds: thresholds)
    change(&record)
    return try BenchReport(record)
  }

  private func early(_ name: String) -> (inout RunRecord) -> Void {
    { record in
      for place in record.workloads[0].segments.indices
      where record.workloads[0].segments[place].contestant == name {
        record.workloads[0].segments[place].early = 1
        record.workloads[0].segments[place].earliestNanoseconds = 1
      }
    }
  }

  @Test func `a run without mistakes ends with 0`() throws {
    let verdict = try report([floor, subject, peer]).verdict
    #expect(verdict.exitCode == 0 && verdict.remarks.isEmpty)
  }

  @Test(arguments: [
    (ContestantRecord.Role.subject, Int32(6)), (.peer, 99), (.floor, 99),
  ])
  func `a wrong answer ends with 6 for the subject and with 99 otherwise`(
    _ role: ContestantRecord.Role, _ code: Int32
  ) throws {
    let wrong = Entry("x", role, BenchFixture.values(1), .wrong("timer 7 fired twice"))
    let report = try report([wrong, floor, subject])
    #expect(report.verdict.exitCode == code)
    #expect(
      report.verdict.remarks.first?.text
        == "deadlines/1, spaced, size 2,000, x: wrong answer: timer 7 fired twice")
    // It has no figures, no ratio and no rank.
    #expect(report.figures[0].values(of: "x", "p50").isEmpty)
    #expect(!report.printedRatios.contains { $0.name.numerator.contestant == "x" })
    #expect(
      report.standings[0][wrong.contestant] == .belowTheLine("wrong answer: timer 7 fired twice"))
  }

  @Test(arguments: [
    ("curfew", Int32(6)), ("go", 0), ("timerfd", 7),
  ])
  func `an early timer ends with 6 for the subject, 7 for the floor and 0 for a peer`(
    _ name: String, _ code: Int32
  ) throws {
    let report = try report([floor, subject, peer], early(name))
    #expect(report.verdict.exitCode == code)
    let contestant = try #require(
      report.record.workloads[0].contestants.first { $0.name == name })
    #expect(
      report.standings[0][contestant] == .belowTheLine("30 timers early, at most 1ns"))
    #expect(report.standings[0].ranking[.closed]?.contains(name) == false)
    #expect(!report.figures[0].values(of: name, "p50").isEmpty)
  }

  @Test func `a contestant that failed ends with 99, and one that is missing with 0`() throws {
    let failed = Entry("x", .peer, [], .failed("exited with 11 after {\"segment\":1}"))
    #expect(try report([floor, subject, failed]).verdict.exitCode == 99)
    let missing = Entry("x", .peer, [], .missing(need: "go", install: "apt-get install golang-go"))
    let verdict = try report([floor, subject, missing]).verdict
    #expect(verdict.exitCode == 0 && verdict.remarks.map(\.kind) == [.warning])
    #expect(
      verdict.remarks[0].text.hasSuffix("needs go, which is missing: apt-get install golang-go"))
  }

  @Test func `contestants with one reason share a remark, and disturbed ones a reason`() throws {
    func missing(_ name: String, _ need: String) -> Entry {
      Entry(name, .peer, [], .missing(need: need, install: "apt-get install \(need)"))
    }
    func disturbed(_ name: String, _ share: Int) -> Entry {
      Entry(name, .peer, [], .disturbed("others took \(share) % of the cores' time"))
    }
    let first = [
      floor, missing("jdk", "java"), missing("go", "go"), missing("netty", "java"),
      disturbed("a", 80), disturbed("b", 90),
    ]
    let second = [floor, missing("netty", "java"), disturbed("b", 70)]
    let record = BenchFixture.record([
      BenchFixture.workload(first), BenchFixture.workload(size: 9, second),
    ])
    let (long, short) = ("deadlines/1, spaced, size 2,000", "deadlines/1, spaced, size 9")
    let report = try BenchReport(record)
    #expect(
      report.verdict.remarks.map(\.text) == [
        "\(long), a, b; \(short), b: disturbed by other processes; the first: others took 80 % of the cores' time",
        "\(long), jdk, netty; \(short), netty: needs java, which is missing: apt-get install java",
        "\(long), go: needs go, which is missing: apt-get install go",
      ])
    #expect(
      report.belowTheLine(ofWorkload: 0).map(\.names) == ["jdk, netty", "go", "a, b"])
    #expect(
      report.belowTheLine(ofWorkload: 1).map(\.sentence) == [
        "needs java, which is missing: apt-get install java",
        "disturbed by other processes: others took 70 % of the cores' time",
      ])
  }

  @Test func `a run that measured nothing ends with 7`() throws {
    let verdict = try report([Entry("x", .peer, [], .cannot("no clock"))]).verdict
    #expect(verdict.exitCode == 7 && verdict.remarks.map(\.text) == ["nothing was measured"])
  }

  @Test(arguments: [
    ("curfew.p50/timerfd.p50<=2.1", Threshold.Answer.holds, Int32(0)),
    ("curfew.p50/timerfd.p50>=2.1", .fails, 99), ("curfew.p50/timerfd.p50<1.9", .fails, 99),
    ("curfew.p50/timerfd.p50>1.9", .holds, 0), ("noisy.p50/timerfd.p50<=2", .inconclusive, 7),
    ("noisy.p50/timerfd.p50>=2", .inconclusive, 7), ("absent.p50/timerfd.p50<=2", .inconclusive, 7),
  ])
  func `a threshold is about the whole interval`(
    _ text: String, _ answer: Threshold.Answer, _ code: Int32
  ) throws {
    let noisy = Entry("noisy", .peer, BenchFixture.values(10).reversed().map { $0 * 2 })
    let absent = Entry("absent", .peer, [], .missing(need: "x", install: "make x"))
    let report = try report([floor, subject, noisy, absent], thresholds: [text])
    #expect(report.thresholds.map(\.answer) == [answer])
    #expect(report.verdict.exitCode == code)
  }

  @Test func `a run with fewer than five repetitions only checks answers`() throws {
    let few = [floor, subject, peer].map { entry in
      var entry = entry
      entry.values = Array(entry.values.prefix(4))
      return entry
    }
    let report = try report(few)
    #expect(report.verdict.exitCode == 0 && report.printedRatios.isEmpty)
    #expect(report.standings[0][few[2].contestant] == .unranked)
  }

  @Test func `an interruption comes before every other code, and 6 before 99 before 7`() throws {
    let entries = [
      floor, Entry("curfew", .subject, [], .wrong("a")), Entry("a", .peer, [], .wrong("b")),
      Entry("b", .peer, [], .disturbed("c")),
    ]
    func code(_ entries: some Sequence<Entry>, _ signal: String? = nil) throws -> Int32 {
      try report(Array(entries)) { $0.interruption = signal }.verdict.exitCode
    }
    #expect(try code(entries, "SIGINT") == 130 && code(entries, "SIGTERM") == 143)
    #expect(try code(entries) == 6 && code([floor] + entries[2...]) == 99)
    #expect(try code([floor] + entries[3...]) == 7 && code([floor]) == 0)
  }

  @Test func `each division is ranked, and closed contestants are in the open one too`() throws {
    let report = try report([
      floor, subject, peer, Entry("netty", .peer, BenchFixture.values(99)),
      Entry("netty-open", .peer, BenchFixture.values(25), division: .open),
    ])
    let standings = report.standings[0]
    #expect(standings.ranking[.closed] == ["curfew", "go", "netty"])
    #expect(standings.ranking[.open] == ["curfew", "netty-open", "go"])
    let ranks = report.record.workloads[0].contestants.map { standings[$0].rank }
    #expect(ranks == [nil, 1, 2, 3, 2])
    #expect(standings[floor.contestant] == .floor)
  }

  @Test func `a closed contestant is not ranked for an open one that has no rank`() throws {
    let entries = [
      floor, subject, Entry("netty", .peer, BenchFixture.values(99)),
      Entry("netty-open", .peer, BenchFixture.values(25), division: .open),
    ]
    let early = try report(entries, early("netty-open"))
    #expect(early.standings[0].ranking[.open] == ["curfew"])
    #expect(early.standings[0].ranking[.closed] == ["curfew", "netty"])
    var wrong = entries
    wrong[3].contestant.outcome = .wrong("timer 7 fired twice")
    #expect(try report(wrong).standings[0].ranking[.open] == ["curfew"])
  }

  @Test func `a mistake of a peer of this checkout's code is a mistake in Curfew`() throws {
    var engine = Entry("engine", .peer, [], .wrong("begun: 9, 10 would be right"))
    engine.contestant.ownCode = true
    #expect(try report([floor, subject, engine]).verdict.exitCode == 6)
    engine.contestant.name = "engine@9c1e0f2"
    #expect(try report([floor, subject, engine]).verdict.exitCode == 99)
    engine.contestant.role = .floor
    #expect(try report([subject, engine]).verdict.exitCode == 99)
  }

  @Test func `an early timer of the warm-up counts, and its segment has no figures`() throws {
    let report = try report([floor, subject]) { record in
      var warmUp = record.workloads[0].segments[0]
      (warmUp.contestant, warmUp.segment, warmUp.early) = ("curfew", 0, 1)
      warmUp.earliestNanoseconds = 5
      record.workloads[0].segments.append(warmUp)
    }
    #expect(report.verdict.exitCode == 6)
    #expect(report.figures[0].values(of: "curfew", "p50").map(\.value) == subject.values)
  }
}
