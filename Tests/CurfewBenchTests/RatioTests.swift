import BenchSupport
import CurfewBench
import CurfewText
import Testing

/// Ratios of two contestants, and the figures that they come from.
@Suite struct RatioTests {
  /// The exponential, by its series.
  private func exp(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for place in 1..<40 {
      term *= x / Double(place)
      sum += term
    }
    return sum
  }

  private func oneFigure(_ entries: [BenchFixture.Entry]) -> WorkloadRecord {
    BenchFixture.workload(figures: [BenchFixture.kinds[0]], entries)
  }

  @Test func `a ratio is the mean of logarithms with the interval of Student's t`() throws {
    let floor = [100.0, 200, 300, 150, 250]
    let own = zip(floor, [0.1, 0.2, 0.3, 0.4, 0.5]).map { $0 * exp($1) }
    let report = try BenchReport(
      BenchFixture.record([oneFigure([.init("f", .floor, floor), .init("a", .peer, own)])]))
    let ratio = try #require(report.ratios.ofFloor("a", "p50", workload: 0))
    #expect(report.ratios.ratios.count == 1 && ratio.name.description == "a.p50/f.p50")
    // The mean is 0.3, the standard error √(0.025 / 5), and t with 4 degrees of freedom 2.776445.
    #expect(abs(try #require(ratio.value) - 1.349_859) < 1e-5)
    let interval = try #require(ratio.interval)
    #expect(abs(interval.lowerBound - 1.109_241) < 1e-5)
    #expect(abs(interval.upperBound - 1.642_672) < 1e-5)
    #expect(ratio.text == "1.35 [1.11, 1.64]")
  }

  @Test func `all intervals of a workload hold together`() throws {
    let floor = BenchFixture.Entry("f", .floor, BenchFixture.values(100))
    let entry = BenchFixture.Entry("a", .peer, BenchFixture.values(200, spread: 0.3))
    func width(_ others: [BenchFixture.Entry]) throws -> Double {
      let report = try BenchReport(BenchFixture.record([oneFigure([floor, entry] + others)]))
      let ratio = try #require(report.ratios.ofFloor("a", "p50", workload: 0))
      return try #require(ratio.halfWidth)
    }
    let others = ["b", "c", "d"].map {
      BenchFixture.Entry($0, .peer, BenchFixture.values(300, spread: 0.1))
    }
    #expect(try width(others) > width([]) * 1.3)
    // A contestant that fails later keeps its share of the level. A missing one has none.
    var failed = others[0]
    (failed.values, failed.contestant.outcome) = ([], .failed("exited with 1"))
    #expect(try width([failed] + others.dropFirst()) == width(others))
    failed.contestant.outcome = .missing(need: "go", install: "apt-get install golang-go")
    #expect(try width([failed] + others.dropFirst()) < width(others))
  }

  @Test func `the value of a repetition is the median of the last attempts of its segments`()
    throws
  {
    var workload = oneFigure([.init("a", .peer, [10, 20])])
    var slow = workload.segments[1]
    #expect(slow.segment == 2 && slow.figures[0].value == 10)
    workload.segments[1].isRepeated = true
    slow.attempt = 2
    slow.figures[0].value = 11
    workload.segments.append(slow)
    let figures = WorkloadFigures(workload)
    #expect(figures.values(of: "a", "p50").map(\.value) == [11, 20])
    #expect(figures.middle(of: "a", "p50") == 15.5)
  }

  @Test func `a repetition that was cut short has no value`() {
    var workload = oneFigure([.init("a", .peer, [10, 20, 30])])
    workload.segments.removeLast()
    #expect(WorkloadFigures(workload).values(of: "a", "p50").map(\.repetition) == [1, 2])
  }

  @Test func `fewer than five repetitions have no ratio, and a value of zero has none`() throws {
    for values in [[1.0, 2, 3, 4], [1, 2, 3, 0, 5]] {
      let report = try BenchReport(
        BenchFixture.record([
          oneFigure([.init("f", .floor, [1, 1, 1, 1, 1]), .init("a", .peer, values)])
        ]))
      #expect(report.printedRatios.isEmpty && !report.json.contains("\"ofFloor\""))
      #expect(report.reasonWithoutRatios?.hasPrefix("no ratios: fewer than five") == true)
    }
  }

  @Test func `a run of one contestant tells why it has no ratio`() throws {
    func reason(_ entries: [BenchFixture.Entry], _ repetitions: Int = 10) throws -> String? {
      var record = BenchFixture.record([oneFigure(entries)])
      record.options.repetitions = repetitions
      return try BenchReport(record).reasonWithoutRatios
    }
    let floor = BenchFixture.Entry("f", .floor, BenchFixture.values(1))
    let peer = BenchFixture.Entry("a", .peer, BenchFixture.values(2))
    #expect(try reason([peer]) == "no ratios: the floor was not run")
    #expect(try reason([floor]) == "no ratios: only the floor was run")
    #expect(try reason([floor, peer]) == nil)
    #expect(
      try reason([floor, peer], 4)
        == "fewer than five repetitions only check answers: no figures and no ratios")
  }

  @Test func `only repetitions that both contestants have are paired`() throws {
    var workload = oneFigure([
      .init("f", .floor, [1, 2, 3, 4, 5, 6]), .init("a", .peer, [2, 4, 6, 8, 10, 12]),
    ])
    workload.segments.removeAll { $0.contestant == "f" && $0.repetition == 2 }
    let report = try BenchReport(BenchFixture.record([workload]))
    let ratio = try #require(report.ratios.ofFloor("a", "p50", workload: 0))
    #expect(ratio.pairs.map(\.repetition) == [1, 3, 4, 5, 6])
    #expect(abs(try #require(ratio.value) - 2) < 1e-12)
  }

  @Test func `every ratio of a disturbed workload is marked`() throws {
    let report = try BenchReport(
      BenchFixture.record([
        oneFigure([
          .init("f", .floor, BenchFixture.values(1)), .init("a", .peer, BenchFixture.values(2)),
          .init("b", .peer, BenchFixture.values(2), .disturbed("cc1plus, swiftc, python3")),
        ])
      ]))
    #expect(report.printedRatios.count == 2 && report.printedRatios.allSatisfy(\.isDisturbed))
    #expect(!report.json.contains("\"disturbed\":false") && report.verdict.exitCode == 7)
    #expect(report.printedRatios.allSatisfy { $0.text?.hasPrefix("~") == true })
    #expect(report.standings[0].ranking[.closed] == [])
  }

  @Test func `the subject is compared with every peer, and the level counts these ratios`() throws {
    func report(_ role: ContestantRecord.Role) throws -> BenchReport {
      try BenchReport(
        BenchFixture.record([
          oneFigure([
            .init("f", .floor, BenchFixture.values(1)), .init("a", .peer, BenchFixture.values(4)),
            .init("b", .peer, BenchFixture.values(5)),
            .init("curfew", role, BenchFixture.values(2, spread: 0.2)),
          ])
        ]))
    }
    let compared = try report(.subject)
    #expect(
      compared.ratios.ratios.map(\.name.description) == [
        "a.p50/f.p50", "b.p50/f.p50", "curfew.p50/f.p50", "curfew.p50/a.p50", "curfew.p50/b.p50",
      ])
    let ratio = try #require(compared.ratios.ratio("curfew", to: "a", "p50", workload: 0))
    #expect(abs(try #require(ratio.value) - 0.5) < 0.01)
    func width(_ report: BenchReport) throws -> Double {
      try #require(report.ratios.ofFloor("curfew", "p50", workload: 0)?.halfWidth)
    }
    #expect(try width(compared) > width(report(.peer)))
  }

  @Test func `another checkout is compared with this one, and not ranked`() throws {
    let report = try BenchReport(
      BenchFixture.record([
        oneFigure([
          .init("curfew", .subject, BenchFixture.values(2)),
          .init("curfew@9c1e0f2", .peer, BenchFixture.values(2.5)),
        ])
      ]))
    #expect(report.ratios.ratios.map(\.name.description) == ["curfew.p50/curfew@9c1e0f2.p50"])
    #expect(report.standings[0].ranking[.closed] == ["curfew"])
  }

  @Test func `a run with --until uses the repetitions and the level of its last look`() throws {
    func report(_ repetitions: Int, until: Double) throws -> BenchReport {
      var record = BenchFixture.record([
        oneFigure([
          .init("f", .floor, BenchFixture.values(1, repetitions, spread: 0)),
          .init("a", .subject, BenchFixture.values(2, repetitions, spread: 0.2)),
        ])
      ])
      record.options.until = until
      return try BenchReport(record)
    }
    let twelve = try #require(report(12, until: 0.1).printedRatios.first)
    let ten = try #require(report(10, until: 0.1).printedRatios.first)
    #expect(twelve.used == 10 && twelve.interval == ten.interval && twelve.pairs.count == 12)
    let width = try #require(ten.halfWidth)
    #expect(try report(10, until: width * 1.01).isNarrowEnough)
    #expect(try !report(10, until: width * 0.99).isNarrowEnough)
    // A fixed number of repetitions has the full level.
    var fixed = try report(10, until: 0.1).record
    fixed.options.until = nil
    #expect(try #require(BenchReport(fixed).printedRatios.first?.halfWidth) < width)
  }
}

/// Names of ratios and thresholds.
@Suite struct RatioNameTests {
  @Test(arguments: [
    "curfew.p50/timerfd.p50", "fleet/1:curfew.cycle@1000000/curfew.cycle@10000",
    "begin-end/1/named:curfew@9c1e0f2.pair/curfew.pair", "curfew@9c1e0f2.cycle@10/simpy.cycle",
  ])
  func `a name is written as it was read`(_ text: String) throws {
    #expect(try RatioName(text).description == text)
  }

  @Test(arguments: [
    "", "curfew", "curfew.p50", "curfew.p50/", "/timerfd.p50", "a.b/c.d/e.f", ".p50/a.p50",
    "a./b.c", "fleet:a.b/c.d", "fleet/x:a.b/c.d", "a.b@x/c.d", "a.b@0/c.d", "a.b/c.d@10",
  ])
  func `another text is refused`(_ text: String) {
    #expect(throws: Refusal.self) { try RatioName(text) }
  }

  @Test(arguments: [
    ("", "not a threshold"), ("a.p50/b.p50", "not a threshold"), ("a.p50/b.p50<=", "not a"),
    ("a.p50/b.p50<=x", "not a"), ("a.p50/b.p50==2", "not a"), ("a.p50<=2", "not a ratio"),
    ("curfew.p50/timerf.p50<=2", "unknown contestant 'timerf'; did you mean 'timerfd'?"),
    ("curfew.p5/timerfd.p50<=2", "unknown figure 'p5'; did you mean 'p50'?"),
    ("fleet/2:curfew.cycle/curfew.cycle<=2", "no workload 'fleet/2'"),
    ("curfew.cycle@77/curfew.cycle@10000<=2", "no workload of this run has both"),
    ("curfew.p50/curfew.cycle<=2", "no workload of this run has both"),
  ])
  func `an unknown name in a threshold is refused with the nearest one`(
    _ text: String, _ message: String
  ) {
    var record = BenchFixture.full
    record.options.thresholds = ["deadlines/1:curfew.p50/timerfd.p50<=2," + text]
    let error = #expect(throws: Refusal.self) { try BenchReport(record) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `a threshold without a size is about every size`() throws {
    var record = BenchFixture.full
    record.options.thresholds = ["curfew.cycle/lazy-heap.cycle<1 , curfew.p50/jdk.p50 < 1"]
    let report = try BenchReport(record)
    #expect(
      report.thresholds.map(\.ratio.name.description) == [
        "fleet/1:curfew.cycle@10000/lazy-heap.cycle",
        "fleet/1:curfew.cycle@1000000/lazy-heap.cycle", "deadlines/1:curfew.p50/jdk.p50",
      ])
    #expect(report.thresholds.allSatisfy { $0.answer == .holds })
  }
}
