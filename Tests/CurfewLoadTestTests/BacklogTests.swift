import Testing

@testable import CurfewLoadTest

@Suite struct BacklogTests {
  @Test func `steps that are late in a row are one range, from the plan to the last call`() {
    var backlog = Backlog(margin: 5)
    for (wanted, ended) in [(0, 5), (100, 106), (102, 120), (119, 123), (130, 180), (170, 181)] {
      backlog.add(TimedStep(wanted: Int64(wanted), began: Int64(wanted), ended: Int64(ended)))
    }
    // Late: 100 to 120, then one step in time, then 130 to 181.
    let cases: [(from: Int64, end: Int64, isBehind: Bool)] = [
      (0, 99, false), (0, 100, true), (110, 112, true), (120, 125, true), (121, 129, false),
      (121, 130, true), (181, 200, true), (182, 200, false), (0, 200, true),
    ]
    for (from, end, isBehind) in cases {
      #expect(backlog.contains(anyOf: from, to: end) == isBehind, "\(from) to \(end)")
    }
  }

  @Test func `a plan whose steps are in time has no backlog`() {
    var backlog = Backlog(margin: 5)
    #expect(!backlog.contains(anyOf: 0, to: .max))
    for wanted in stride(from: Int64(0), to: 100, by: 10) {
      backlog.add(TimedStep(wanted: wanted, began: wanted + 2, ended: wanted + 5))
    }
    #expect(!backlog.contains(anyOf: 0, to: .max))
  }
}
