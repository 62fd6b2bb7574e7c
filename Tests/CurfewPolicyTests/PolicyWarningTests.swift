import CurfewPolicy
import TestRuns
import TestSupport
import Testing

/// Warnings about valid policies.
@Suite(.inTurn) struct PolicyWarningTests {
  private static let child = "curfew: policy/1\nname: mine\nextends: ios13\n"

  private func warnings(_ rows: String) throws -> [String] {
    try policy(Self.child + rows).warnings.map { "\($0)" }
  }

  @Test(arguments: PolicyFile.builtInNames) func `a built-in policy has no warnings`(_ name: String)
    throws
  {
    #expect(try PolicyFile.load(name).warnings == [])
  }

  @Test func `W6 the effect of a warning that the row does not have is named`() throws {
    let idle =
      "mine.yaml:5:29: warning: 'unhandledWarning' has no effect on 'fetch' without 'warning', unless a delivery names one"
    #expect(try warnings("wakes:\n  fetch: {unhandledWarning: end}\n") == [idle])
    for row in [
      "fetch: {unhandledWarning: overrun}", "fetch: {unhandledWarning: end, warning: 5s}",
      "appRefresh: {unhandledWarning: end}", "appRefresh: {warning: none}",
    ] {
      #expect(try warnings("wakes:\n  \(row)\n") == [], "\(row)")
    }
  }

  @Test func `W4 a row that leaves its least room to the default is named`() throws {
    let rows = """
      sessions:
        a: {mode: none, warning: 10s, budgets: 6h in 24h}
        b: {mode: none, warning: 10s, budgets: 6h in 24h, leastRoom: warning}
        c: {mode: none, warning: 10s, budgets: 6h in 24h, leastRoom: 0s}
        d: {mode: none, warning: 10s, length: 1m, budgets: 3 admissions in 24h}
        e: {mode: none, budgets: 6h in 24h}
      wakes:
        appRefresh: {runTime: 2m, window: 1h}
        urlSession: {runTime: 2m, window: 1h}
        job: {length: 10m, overrun: drop, warning: 8s, budgets: [20 admissions in 1m, 4h in 24h]}
      """
    let ways =
      "write 'leastRoom: warning' if that is meant, or 'leastRoom: 0s' to admit it while any is left"
    func named(_ place: String, _ kind: String, _ room: String) -> String {
      "\(place): warning: '\(kind)' is denied when no more run time is left than its 'warning' (\(room)), because the row has no 'leastRoom'; \(ways)"
    }
    #expect(
      try Set(warnings(rows)) == [
        named("mine.yaml:5:42", "a", "10s"), named("mine.yaml:11:25", "appRefresh", "5s"),
        named("mine.yaml:13:59", "job", "8s"),
      ])
  }

  @Test(arguments: [
    (
      "fetch: {alignment: 100ns}", "5:22",
      "'fetch' may start every 100ns; make 'alignment' (100ns) 1ms or longer"
    ),
    (
      "fetch: {alignment: none, minimumInterval: 999us}", "5:45",
      "'fetch' may start every 999us; make 'minimumInterval' (999us) 1ms or longer"
    ),
    (
      "voipKeepAlive: {minimumInterval: 10ns}", "5:36",
      "'voipKeepAlive' may start every 10ns; make 'minimumInterval' (10ns) 1ms or longer"
    ),
    (
      "appRefresh: {minimumInterval: none, alignment: none, leastRoom: 0s, budgets: [60s in 1h]}",
      "5:80",
      "'appRefresh' may start again after a nanosecond; give it a 'leastRoom' or a 'minimumInterval' of 1ms or longer: the run time of '1m in 1h' becomes available by the nanosecond"
    ),
    (
      "appRefresh: {minimumInterval: none, alignment: none, admissions: 3, window: 30ns}", "5:68",
      "'appRefresh' may start every 10ns; make the window of '3 admissions in 30ns' 1ms or longer for each admission"
    ),
  ])
  func `a wake that the system may start again within a millisecond is named`(
    _ row: String, _ place: String, _ text: String
  ) throws {
    #expect(
      try warnings("wakes:\n  \(row)\n") == [
        "mine.yaml:\(place): warning: time would crawl: \(text)"
      ])
  }

  @Test func `a session whose terms follow each other within a millisecond is named`() throws {
    let text = "make 'length' (1ns) and 'deferral' (2ns) 1ms together, or more"
    #expect(
      try warnings("sessions:\n  scan: {mode: none, length: 1ns, deferral: 2ns}\n") == [
        "mine.yaml:5:45: warning: time would crawl: 'scan' may be renewed every 3ns; \(text)"
      ])
    #expect(
      try warnings(
        "sessions:\n  scan: {mode: none, length: 1ns, deferral: 2ns, deferralFactor: 2}\n") == [])
    #expect(
      try warnings(
        "sessions:\n  scan: {mode: none, length: 1ns, deferral: 2ns, deferralFactor: 2, deferralMost: 9ns}\n"
      ).count == 1)
  }

  @Test(arguments: [
    "fetch: {alignment: 1ms}", "fetch: {alignment: none, minimumInterval: none}",
    "appRefresh: {minimumInterval: none, alignment: none}",
    "appRefresh: {minimumInterval: none, alignment: none, leastRoom: 1ms, budgets: [60s in 1h]}",
    "appRefresh: {minimumInterval: none, alignment: none, leastRoom: 0s, budgets: [60s in 1h, 20 admissions in 1m]}",
    "appRefresh: {minimumInterval: 1ms, alignment: none, leastRoom: 0s, budgets: [60s in 1h]}",
    "appRefresh: {minimumInterval: none, alignment: none, budgets: 0 admissions in 5ns}",
    "urlSession: {leastRoom: 0s, budgets: [60s in 1h]}", "region: {admissions: 3, window: 30ns}",
  ])
  func `a kind with other spacing, or spaced by the app, is not named`(_ row: String) throws {
    #expect(try warnings("wakes:\n  \(row)\n") == [])
  }

  @Test func `a group without spacing is named, even if others have spacing`() throws {
    let row =
      "appRefresh: {minimumInterval: none, alignment: none, leastRoom: 0s, budgets: [60s in 1h, 9 admissions in 1m for rare]}"
    #expect(try warnings("groups: {rare: {unusedFor: 1h}}\nwakes:\n  \(row)\n").count == 1)
    #expect(
      try warnings(
        "groups: {rare: {unusedFor: 1h}}\nwakes:\n  \(row.replacing(" for rare", with: ""))\n")
        == [])
  }
}
