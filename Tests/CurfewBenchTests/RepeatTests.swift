import BenchSupport
import CurfewBench
import CurfewText
import Testing

/// Two runs beside each other.
@Suite struct RepeatTests {
  private func report(_ values: [Double], _ change: (inout RunRecord) -> Void = { _ in }) throws
    -> BenchReport
  {
    let kinds = [BenchFixture.kinds[0]]
    var record = BenchFixture.record([
      BenchFixture.workload(
        figures: kinds,
        [
          .init("timerfd", .floor, BenchFixture.values(16_500)), .init("curfew", .subject, values),
        ])
    ])
    change(&record)
    return try BenchReport(record)
  }

  @Test func `a figure differs if Welch's interval excludes 1`() throws {
    let before = [10.0, 11, 12, 13, 14]
    let now = try report(before.map { $0 * 1.5 } + [18, 18])
    let comparison = RepeatComparison(now, repeating: try report(before))
    let change = try #require(comparison.changes.first { $0.contestant == "curfew" })
    #expect(change.before == 12 && change.now == 18 && change.differs)
    // Computed outside Curfew: Welch's interval of the logarithms at a level of 0.025.
    let interval = try #require(change.interval)
    #expect(abs(change.ratio - 1.503015) < 1e-5)
    #expect(abs(interval.lowerBound - 1.228903) < 1e-5)
    #expect(abs(interval.upperBound - 1.838269) < 1e-5)
    #expect(comparison.doubts.isEmpty)
    #expect(comparison.lines[0] == "1 of 2 figures surely differs from the earlier run")
    #expect(comparison.lines[1].contains("curfew.p50: 12ns before, 18ns now"))
  }

  @Test func `the same run differs in nothing`() throws {
    let run = try report(BenchFixture.values(31_000, spread: 0.3))
    let comparison = RepeatComparison(run, repeating: run)
    #expect(comparison.changes.count == 2 && !comparison.changes.contains(where: \.differs))
    #expect(comparison.lines == ["0 of 2 figures surely differ from the earlier run"])
  }

  @Test func `another processor, compiler or plan is told`() throws {
    let values = BenchFixture.values(31_000)
    let other = try report(values) { record in
      record.machine.processor = "Other 1"
      record.machine.compiler = "Swift 6.3"
      record.workloads[0].plans[0].digest = "f"
    }
    let lines = RepeatComparison(try report(values), repeating: other).lines
    #expect(
      lines.prefix(3) == [
        "not comparable: another processor: 'Other 1' before, 'Example 3000' now",
        "not comparable: another compiler: 'Swift 6.3' before, 'Swift 6.2' now",
        "not comparable: deadlines/1, spaced, size 2,000: other plans, so another seed or another version",
      ])
    #expect(lines.dropFirst(3) == ["so nothing follows from the earlier run"])
  }

  @Test func `another size, and a figure of fewer than five repetitions, are not compared`() throws
  {
    let values = BenchFixture.values(31_000)
    let size = try report(values) { $0.workloads[0].size = 10_000 }
    #expect(RepeatComparison(try report(values), repeating: size).changes.isEmpty)
    let few = try report(Array(values.prefix(4)))
    #expect(
      RepeatComparison(try report(values), repeating: few).changes.map(\.contestant) == ["timerfd"])
  }

  /// The errors of a results file that is to be repeated, after a change of its text.
  private func mistakes(_ good: String, _ bad: String) throws -> [String] {
    var record = BenchFixture.full
    (record.options.only, record.options.thresholds) = (["curfew"], ["curfew.p50/jdk.p50<=2"])
    let json = try BenchReport(record).json
    let text = json.replacing(good, with: bad)
    #expect(text != json || good == bad)
    var curfew = ContestantFile()
    curfew.name = "curfew"
    do {
      let source = try SourceFile(name: "r.json", bytes: Array(text.utf8))
      let repeated = try RepeatedRun(
        source, in: CurfewBench.Suite(root: "/suite", contestants: [curfew]))
      #expect(repeated.options.only == ["curfew"] && repeated.options.repetitions == 10)
      #expect(repeated.options.selections.map(\.kind.name) == ["deadlines/1", "fleet/1"])
      #expect(repeated.options.selections.map(\.sizes) == [[2_000], [10_000, 1_000_000]])
      return []
    } catch { return error.diagnostics.map(\.description) }
  }

  @Test(
    arguments: [
      ("", "", nil),
      (#""repetitions":10"#, #""repetitions":3,"until":0.1"#, "--until goes on from 10 to 40"),
      (
        #""repetitions":10"#, #""repetitions":10,"until":2"#,
        "expected a number from 0.01 to 1 under"
      ),
      (#""repetitions":10"#, #""repetitions":0"#, "expected a whole number from 1 to 40 under"),
      (#""size":2000"#, #""size":9000000"#, "expected a whole number from 1 to 1000000 under"),
      (
        #""only":["curfew"]"#, #""only":["curfw"]"#,
        "unknown contestant 'curfw'; did you mean 'curfew'?"
      ),
      (
        #""name":"fleet/1""#, #""name":"flee/1""#,
        "unknown workload 'flee/1'; did you mean 'fleet/1'?"
      ),
      (#""shape":"spaced""#, #""shape":"spacd""#, "unknown shape 'spacd'; did you mean 'spaced'?"),
      (#""name":"fleet/1","#, #""name":"fleet/1","shape":"x","#, "fleet/1 has no shapes"),
      ("jdk.p50<=2", "jd.p50<=2", "unknown contestant 'jd'; did you mean 'jdk'?"),
    ] as [(String, String, String?)])
  func `a file that cannot be repeated is refused with its place`(
    _ good: String, _ bad: String, _ message: String?
  ) throws {
    let found = try mistakes(good, bad)
    guard let message else { return #expect(found == []) }
    #expect(found.first?.contains(message) == true, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("r.json:1:") && !$0.hasPrefix("r.json:1:1:") })
  }
}
