import CurfewPolicy
import TestRuns
import Testing

/// The rows of a policy that tests can reach.
@Suite(.inTurn) struct PolicyCoverageTests {
  @Test func `the rows are the mappings and rows that have an effect`() throws {
    #expect(try PolicyFile.load("ios3").rows == ["limits", "memory"])
    #expect(
      try PolicyFile.load("ios4").rows == [
        "limits", "tasks", "sessions.audio", "sessions.location", "sessions.voip",
        "sessions.external-accessory", "wakes.newsstand",
        "wakes.significantLocation", "wakes.region", "wakes.accessoryData", "wakes.voipKeepAlive",
        "lockedFiles", "memory", "cpu",
        "notifications",
      ])
    var policy = try PolicyFile.load("ios13")
    let all = Set(policy.rows)
    try policy.set("cpu.share", "none")
    try policy.set("lockedFiles.terminate", "false")
    #expect(all.subtracting(policy.rows) == ["cpu", "lockedFiles"])
  }

  @Test func `a value belongs to its row, and a policy's own value to none`() {
    #expect(PolicyFile.row(of: "wakes.fetch.length") == "wakes.fetch")
    #expect(PolicyFile.row(of: "wakes.fetch") == "wakes.fetch")
    #expect(PolicyFile.row(of: "tasks.grant") == "tasks")
    #expect(PolicyFile.row(of: "wakes") == nil && PolicyFile.row(of: "multitasking") == nil)
  }

  @Test func `the reasons are those for which the policy may act`() throws {
    let (ios3, ios7, ios13) = (
      try PolicyFile.load("ios3"), try PolicyFile.load("ios7"), try PolicyFile.load("ios13")
    )
    #expect(ios3.reasons(.denial) == ["noMultitasking", "kindNotInPolicy", "modeNotInPolicy"])
    #expect(ios3.reasons(.expiration) == [] && ios7.reasons(.expiration) == ["timeLimit"])
    #expect(ios13.reasons(.expiration) == ["timeLimit", "thermal"])
    #expect(ios7.reasons(.request) == ["unavailable"])
    #expect(
      ios13.reasons(.request) == ["unavailable", "tooManyPendingTaskRequests", "notPermitted"])
    #expect(
      Set(ios13.reasons(.denial)).subtracting(ios7.reasons(.denial)) == [
        "lowPowerMode", "lowBattery",
      ])
    #expect(Set(ios7.reasons(.denial)).subtracting(ios13.reasons(.denial)) == ["kindNotInPolicy"])
    #expect(ios3.reasons(.end) == ["normalAppExit", "appWatchdog", "memoryResourceLimit"])
    var policy = ios13
    try policy.set("cpu.share", "none")
    try policy.set("tasks.thermalExpiry", "never")
    #expect(Set(ios13.reasons(.end)).subtracting(policy.reasons(.end)) == ["cpuResourceLimit"])
    #expect(policy.reasons(.expiration) == ["timeLimit"])
  }
}
