import Testing

@testable import CurfewBench

@Suite struct AnswerTests {
  /// Twelve timers from 20 ms on, 500 us apart, a third of them cancelled.
  private let plan = WorkloadKind.all[0].plan(size: 12, seed: 1)

  private func judge(_ json: String, _ plan: Plan? = nil, index: Int = 0) throws -> AnswerVerdict {
    let answer = try #require(JSONValue(Array(json.utf8)))
    return (plan ?? self.plan).expectation.judge(
      answer,
      SegmentMeasurement(
        index: index, start: 1_000_000_000, began: 1_000_000_000, ended: 1_040_000_000,
        processorNanoseconds: 8_000, peakMemory: 4_096))
  }

  /// The timers that fire, and those that are cancelled with their instants.
  private func timers(_ plan: Plan? = nil)
    -> (fired: [Int64], cancelled: [(k: Int64, distance: Int64)])
  {
    var (fired, cancelled) = ([Int64](), [(k: Int64, distance: Int64)]())
    for line in (plan ?? self.plan).text.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let value = JSONValue(Array(line)), let k = value["k"]?.number,
        let due = value["due"]?.number
      else { continue }
      if let cancel = value["cancel"]?.number {
        cancelled.append((k, due - cancel))
      } else {
        fired.append(k)
      }
    }
    return (fired, cancelled)
  }

  private func answer(_ pairs: [(Int64, Int64)]) -> String {
    "{\"answer\":1,\"late\":[\(pairs.map { "[\($0),\($1)]" }.joined(separator: ","))]}"
  }

  @Test func `the lateness of timers has percentiles by the nearest rank`() throws {
    let fired = timers().fired
    #expect(fired.count == 8)
    let pairs = fired.enumerated().map { ($1, Int64($0) * 100 - 100) }
    guard case .right(let findings) = try judge(answer(pairs)) else {
      Issue.record("a right answer was refused")
      return
    }
    #expect(findings.figures.map(\.name) == ["p50", "p99", "max", "cpu"])
    #expect(findings.figures.map(\.value) == [200, 600, 600, 1_000])
    #expect(findings.early == 1 && findings.earliestNanoseconds == 100)
  }

  @Test func `the first wrong timer is named`() throws {
    let (fired, cancelled) = timers()
    let right: [(Int64, Int64)] = fired.map { ($0, 1_000) }
    #expect(
      try judge(answer(Array(right.dropFirst()))) == .wrong("timer \(fired[0]) never fired"))
    #expect(try judge(answer(right + [right[3]])) == .wrong("timer \(fired[3]) fired twice"))
    #expect(
      try judge(answer(right + [(77, 0)])) == .wrong("timer 77 fired, which the plan does not have")
    )
    #expect(
      try judge(answer([(fired[0], Int64(30_000_000))] + right.dropFirst()))
        == .wrong("timer \(fired[0]) fired after the end of its segment"))
    #expect(
      try judge(answer([(fired[0], Int64(-90_000_000_000))] + right.dropFirst()))
        == .wrong(
          "timer \(fired[0]) fired before the start; its instants may be of another clock"))
    #expect(
      try judge(answer(right + [(cancelled[0].k, .max)]))
        == .wrong("timer \(cancelled[0].k) fired after the end of its segment"))
    guard case .wrong(let text) = try judge(answer([(cancelled[0].k, 0)])) else {
      Issue.record("a cancelled timer may fire")
      return
    }
    #expect(text.hasPrefix("timer \(cancelled[0].k) fired, which was cancelled "))
    #expect(text.hasSuffix("ms before") && cancelled[0].distance >= 10_000_000)
  }

  @Test func `a timer that fires before its cancel counts as early, and has no lateness`() throws {
    let plan = WorkloadKind.all[0].plan(size: 12, shape: "tight", seed: 1)
    let (fired, cancelled) = timers(plan)
    let right: [(Int64, Int64)] = fired.map { ($0, 100) }
    let pairs = right + [(cancelled[0].k, -700), (cancelled[1].k, 900)]
    guard case .right(let findings) = try judge(answer(pairs), plan) else {
      Issue.record("a right answer was refused")
      return
    }
    #expect(findings.early == 1 && findings.earliestNanoseconds == 700)
    #expect(findings.figures.map(\.value) == [100, 100, 100, 1_000])
  }

  @Test func `an answer of another form is not judged`() throws {
    for json in ["{\"answer\":1}", "{\"answer\":1,\"late\":[[1]]}", "{\"late\":[[1,\"x\"]]}"] {
      guard case .unreadable = try judge(json) else {
        Issue.record("\(json) was judged")
        continue
      }
    }
  }

  @Test func `a fleet has the counts and the checksum of its apps`() throws {
    let plan = try WorkloadKind.named("fleet").plan(size: 50, seed: 1)
    func answer(_ expirations: Int, _ checksum: String) -> String {
      "{\"suspensions\":2000,\"expirations\":\(expirations),\"checksum\":\"\(checksum)\"}"
    }
    // From a program in Python with a binary heap.
    guard case .right(let findings) = try judge(answer(591, "2352768423503273983"), plan) else {
      Issue.record("the right answer was refused")
      return
    }
    #expect(findings.figures.map(\.name) == ["cycle", "memory"])
    #expect(
      try judge(answer(592, "2352768423503273983"), plan)
        == .wrong("592 expirations in a segment, 591 would be right"))
    #expect(
      try judge(answer(591, "0"), plan)
        == .wrong("the checksum is 0, 2352768423503273983 would be right"))
    #expect(
      try judge(answer(2, "0").replacing("2000", with: "1999"), plan)
        == .wrong("1999 suspensions in a segment, 2000 would be right"))
  }

  @Test func `answers that no plan gives are kept for a comparison`() throws {
    let plan = try WorkloadKind.named("queue").plan(size: 10, seed: 1)
    guard case .right(let findings) = try judge("{\"popped\":3,\"checksum\":\"9\"}", plan) else {
      Issue.record("it was refused")
      return
    }
    #expect(findings.agreement == "popped 3, checksum 9")
    #expect(findings.figures == [FigureRecord(name: "operation", value: 40)])
    let pairs = try WorkloadKind.named("begin-end").plan(size: 10, seed: 1)
    #expect(
      try judge("{\"begun\":10,\"ended\":9}", pairs) == .wrong("ended: 9, 10 would be right"))
  }

  @Test(
    "lines are JSON or refused",
    arguments: [
      ("{\"a\":[1,[2,-3],\"x\\n\\u0041\",true,null,1.5]}", true), ("{}", true), ("[]", true),
      ("{\"a\":01}", false), ("{\"a\":1,}", false), ("{\"a\":1} x", false), ("ready", false),
      ("", false), ("{\"a\":\"x}", false), ("[1 2]", false),
    ])
  func json(_ text: String, _ isValid: Bool) {
    #expect((JSONValue(Array(text.utf8)) != nil) == isValid)
  }
}
