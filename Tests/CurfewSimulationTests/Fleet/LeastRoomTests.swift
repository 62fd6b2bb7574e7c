import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestRuns
import Testing

/// Budgets of run time in a fleet, by the least room for an admission (rule W4).
@Suite(.inTurn) struct LeastRoomTests {
  /// Refreshes of 7 s, requested repeatedly, under a budget of 60 s in 1 h.
  private static func refreshes(leastRoom: String?) throws -> KindFigures {
    let text = """
      curfew: workload/1
      name: G
      policy: ios13
      user: {unlocks: 24, visit: 10s}
      apps: {a: {backgroundModes: [fetch], wakes: {appRefresh: {earliest: 1m, work: 7s}}}}
      """
    var policy = try PolicyFile.load("ios13")
    let room = leastRoom.map { "leastRoom: \($0), " } ?? ""
    try policy.set(
      "wakes.appRefresh", "{minimumInterval: none, alignment: none, \(room)budgets: [60s in 1h]}")
    var workload = try Workload.decode(try SourceFile(name: "g.yaml", bytes: Array(text.utf8)))
    workload.policy = policy
    let figures = Fleet(workload, devices: 2, length: .seconds(86_400), seed: 0).run().figures
    let kind = try #require(policy.policy.names.kind("appRefresh"))
    return figures.apps[0].kinds[Int(kind.rawValue)]
  }

  @Test func `W4 refreshes get no fragments of run time, unless the policy says so`() throws {
    let (slivers, usual, whole) = (
      try Self.refreshes(leastRoom: "0s"), try Self.refreshes(leastRoom: nil),
      try Self.refreshes(leastRoom: "12s")
    )
    #expect(slivers[.begun] > 5 * usual[.begun] && slivers[.failed] > slivers[.begun] * 9 / 10)
    #expect(usual[.begun] > 0 && usual.length.least > 5_000_000_000)
    // With room for the work and the warning, no refresh fails.
    #expect(whole[.begun] > 0 && whole[.failed] == 0)
  }
}
