import CurfewEngine
import CurfewPolicy
import TestRuns
import Testing

/// Explanations of ends for which the host came too late to warn (rules F6, W6): the host first,
/// then the cause of the end.
@Suite(.inTurn) struct LateEndTests {
  private func explanation(
    _ kind: KindName, whenLate: String = "extend", expiration: ExpirationReason? = nil,
    late: Interval? = .milliseconds(36_601)
  ) throws -> Explanation {
    var policy = try PolicyFile.load("ios13")
    try policy.set("tasks.whenLate", whenLate)
    let end = Explanation.End(
      .backgroundTaskAssertionTimeout, kind: kind, expiration: expiration, late: late)
    return policy.explanation(of: end, in: Explanation.Setting(app: "mail"))
  }

  @Test func `the explanation names the host first, with its lateness, and then the grant`() throws
  {
    let found = try explanation(.finiteTask, whenLate: "kill")
    #expect(
      found.fact.owner == .host && found.fact.key == "late" && found.fact.value == "36601ms"
        && found.place == .nowhere)
    #expect(found.others.map(\.owner) == [.policy] && found.others.map(\.key) == ["tasks.grant"])
    #expect(
      found.description.replacing(/ios13.yaml:\d+:\d+/, with: "ios13.yaml") == """
        backgroundTaskAssertionTimeout because the host came 36.6s too late to warn (no value says so), \
        and tasks.grant is 30s (Policies/ios13.yaml, documented); \
        Keep the host's process running, or set 'tasks.whenLate' to extend.
        """)
  }

  @Test func `a policy that extends the end has no other remedy`() throws {
    #expect(try explanation(.finiteTask).remedy == "Keep the host's process running.")
  }

  @Test func `for a wake the value is the wake's length`() throws {
    let found = try explanation(.fetch, whenLate: "kill")
    #expect(
      found.others.map(\.key) == ["wakes.fetch.length"]
        && found.remedy == "Keep the host's process running.")
    #expect(
      found.because.hasPrefix(
        "the host came 36.6s too late to warn (no value says so), and wakes.fetch.length is 30s ("))
  }

  @Test func `for a grant that was cut short the value is the cause`() throws {
    let found = try explanation(.finiteTask, expiration: .policyRevoked)
    #expect(
      found.fact.key == "late" && found.others.map(\.key) == ["expireTasks"]
        && found.expiration == .policyRevoked)
    #expect(
      found.because.hasSuffix(", and its grant was cut short: policyRevoked (no value says so)"))
  }

  @Test func `a host that was in time is not mentioned`() throws {
    let found = try explanation(.finiteTask, expiration: .timeLimit, late: nil)
    #expect(found.fact.key == "tasks.grant" && found.others == [] && found.remedy == nil)
  }
}
