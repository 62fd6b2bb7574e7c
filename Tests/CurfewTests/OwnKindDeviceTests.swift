import Curfew
import CurfewTrace
import TestRuns
import Testing

/// Kinds and facts that a policy declares, used through a program's calls.
@Suite(.inTurn) struct OwnKindDeviceTests {
  private static func car() throws -> PolicyFile {
    var policy = PolicyFile.ios13
    try policy.set("modes.guidance", "Turn-by-turn guidance.")
    try policy.set("facts.parked", "{of: device}")
    try policy.set("facts.restricted", "{of: app}")
    try policy.set("sessions.navigation", "{mode: guidance, blockedBy: parked}")
    try policy.set(
      "wakes.carUpdate", "{blockedBy: restricted, relaunches: true, length: 10s, overrun: drop}")
    try policy.set(
      "wakes.beat",
      "{start: interval, minimumInterval: 10s, relaunches: true, length: 2s, overrun: drop}")
    try policy.set("wakes.backup", "{start: request, pending: 1, length: 10s, overrun: drop}")
    return policy
  }

  @Test
  func
    `B3, L1 a session, a wake and facts of the policy's own are said like standard ones, and the recording replays`()
    throws
  {
    let policy = try Self.car()
    let device = Device(policy: policy)
    device.startRecording()
    let manifest = AppManifest(
      permittedIdentifiers: ["save"], otherModes: ["guidance"], facts: ["restricted": true])
    let maps = device.register("maps", manifest: manifest)
    maps.launch()
    #expect(maps.startSession("navigation")?.isAllowed == true)
    #expect(maps.setInterval(.seconds(5), for: "beat")?.reasons == .interval)
    try maps.submitTaskRequest("save", kind: "backup", earliestBegin: .seconds(3600))
    device.home()
    device.advance(by: .seconds(600))
    #expect(maps.applicationState == .background)
    device.setFact("parked", to: true)
    #expect(
      maps.lastDecision?.kind == "navigation" && maps.lastDecision?.reasons.names == ["parked"])
    device.advance(by: .seconds(1))
    #expect(maps.applicationState == .suspended)
    let denied = maps.deliver("carUpdate")
    #expect(
      denied?.reasons.facts == ["restricted"]
        && denied?.description.contains("wakes.carUpdate.blockedBy is restricted") == true)
    maps.setFact("restricted", to: false)
    #expect(maps.deliver("carUpdate")?.isAllowed == true)
    #expect(try Replay.run(device.recordedTrace(name: "a drive"), under: policy) == nil)
  }

  /// The calls of handlers, from any thread.
  private final class Calls: @unchecked Sendable { var count = 0 }

  @Test
  func
    `L4 a session's handler is called before its time in the background is over, and the recording replays`()
    throws
  {
    var policy = PolicyFile.ios13
    try policy.set("sessions.call", "{mode: none, length: 10s, warning: 2s, overrun: kill}")
    try policy.set("sessions.scan", "{mode: none, length: 10s, deferral: 5s}")
    let device = Device(policy: policy)
    device.startRecording()
    let (phone, calls) = (device.register("phone"), Calls())
    phone.launch()
    #expect(phone.startSession("call", expirationHandler: { calls.count += 1 })?.isAllowed == true)
    #expect(phone.startSession("call", expirationHandler: { calls.count += 100 }) == nil)
    device.home()
    device.advance(by: .seconds(7))
    #expect(calls.count == 0)
    device.advance(by: .seconds(1))
    #expect(calls.count == 1)
    // To the front and away again: another visit, another warning.
    phone.launch()
    device.home()
    device.advance(by: .seconds(8))
    #expect(calls.count == 2 && phone.applicationState == .background)
    // After a session has been stopped, its handler is never called.
    let task = phone.beginBackgroundTask(withName: "call")
    phone.stopSession("call")
    #expect(phone.startSession("call")?.isAllowed == true)
    phone.endBackgroundTask(task)
    device.advance(by: .seconds(9))
    #expect(calls.count == 2)
    device.advance(by: .seconds(1))
    let end = phone.processEnds.last
    #expect(
      end?.reason == .backgroundTaskAssertionTimeout && end?.kind == "call" && calls.count == 2)
    #expect(end?.explanation.description.contains("sessions.call.length is 10s") == true)

    phone.launch()
    phone.startSession("scan")
    device.home()
    device.advance(by: .seconds(10))
    #expect(phone.applicationState == .suspended)
    device.advance(by: .seconds(5))
    #expect(phone.applicationState == .background)
    #expect(try Replay.run(device.recordedTrace(name: "calls"), under: policy) == nil)
  }

  @Test func `a name that the policy does not know stops the program`() async {
    await #expect(processExitsWith: .failure) {
      Device(policy: .ios13).register("maps").startSession("navigation")
    }
    await #expect(processExitsWith: .failure) {
      Device(policy: .ios13).register("maps").deliver("audio")
    }
    await #expect(processExitsWith: .failure) { Device(policy: .ios13).setFact("parked", to: true) }
    await #expect(processExitsWith: .failure) {
      _ = Device(policy: .ios13).register("maps", manifest: AppManifest(facts: ["parked": true]))
    }
  }
}
