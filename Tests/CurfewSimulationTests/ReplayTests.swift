import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Ties of several events at one instant, and headers. Random scenarios found the ties.
@Suite(.inTurn) struct ReplayTests {
  struct Tie: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var policy = "ios13"
    var text: String
  }

  static let ties = [
    Tie(
      testDescription: "an app's own call at the instant of an unlock, after the unlock",
      text: """
          mail: {returns: {didEnterBackground: 4s}}
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 1s, do: lock}
          - {at: 2s, do: unlock}
          - {at: 2s, do: crash, app: mail}
          - {at: 3s, do: home}
        """),
    Tie(
      testDescription: "an app's own call at the instant of expireTasks, after that step",
      policy: "policies/strict.yaml",
      text: """
          mail: {}
          radio: {returns: {willEnterForeground: 4s}}
        timeline:
          - {at: 10s, do: deliver, app: radio, kind: region}
          - {at: 272s, do: launch, app: radio}
          - {at: 272s, do: expireTasks, reason: thermal}
          - {at: 272s, do: beginTask, app: radio, task: sync, for: 5s}
        """),
    Tie(
      testDescription:
        "a busy callback whose process is killed at the limit's instant by something that was due first",
      text: """
          mail: {backgroundModes: [fetch], returns: {didEnterBackground: 10s}}
        timeline:
          - {at: 0s, do: deliver, app: mail, kind: fetch}
          - {at: 20s, do: launch, app: mail}
          - {at: 25s, do: home}
          - {at: 25s, do: deliver, app: mail, kind: region}
        """),
    Tie(
      testDescription:
        "a callback that returned at once, whose process is killed at what would have been its limit",
      text: """
          mail: {}
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 1s, do: beginTask, app: mail, task: sync, handler: none}
          - {at: 2s, do: home}
          - {at: 2s, do: expireTasks}
        """),
  ]

  @Test func `the header has the information that lines lack`() throws {
    let text = """
      curfew: scenario/1
      name: A header
      policy: ios13
      device: {battery: 100%, charging: true, network: cellular, memory: 1GiB}
      apps:
        mail: {returns: {didBecomeActive: 1s}}
        maps: {backgroundModes: [location, fetch], permittedIdentifiers: [x, refresh], backgroundRefresh: available, memoryLimit: 1MiB}
      timeline:
        - {at: 1s, do: submitTask, app: maps, identifier: refresh, kind: appRefresh}
      """
    let header = Simulation(
      try Scenario.decode(SourceFile(name: "header.yaml", bytes: Array(text.utf8)))
    ).header
    #expect(
      header.device
        == DeviceChange(
          differencesOf: DeviceFacts(charging: true, network: .cellular, memory: 1 << 30)))
    let maps = AppManifest(
      backgroundModes: [.location, .fetch], permittedIdentifiers: ["x", "refresh"],
      memoryLimit: 1 << 20)
    #expect(header.manifests == ["maps": maps])
    #expect(header.apps == ["mail", "maps"])
  }

  @Test(arguments: ties)
  func `a tie replays`(_ tie: Tie) throws {
    let text = "curfew: scenario/1\nname: A tie\npolicy: \(tie.policy)\napps:\n\(tie.text)\n"
    let name = RuleCase.root.appendingPathComponent("tie.yaml").path
    let scenario = try Scenario.decode(SourceFile(name: name, bytes: Array(text.utf8)))
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    _ = try simulation.run { lines.append($0) }
    let divergence = try Replay.run(
      Trace(header: simulation.header, lines: lines), under: scenario.policy)
    #expect(divergence == nil)
  }
}
