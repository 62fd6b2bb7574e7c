import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Kinds and facts that a policy declares, in scenarios, traces and explanations.
@Suite(.inTurn) struct OwnKindTests {
  private static func run(_ timeline: String, app: String = "", device: String = "") throws
    -> [TraceLine]
  {
    let file = try policy(OwnPolicy.text, file: "car.yaml")
    let text = """
      curfew: scenario/1
      name: A drive
      policy: ios13
      device: {\(device)}
      apps:
        maps: {backgroundModes: [guidance, fetch], permittedIdentifiers: [save]\(app)}
      timeline:
      \(timeline)
      """
    let scenario = try Scenario.decode(
      SourceFile(name: "drive.yaml", bytes: Array(text.utf8)), policy: file)
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    _ = try simulation.run { lines.append($0) }
    // Any run replays from its text.
    let trace = ([simulation.header.json] + lines.map { $0.json() }).joined(separator: "\n")
    let read = try Trace.decode(SourceFile(name: "drive.jsonl", bytes: Array(trace.utf8)))
    #expect(try Replay.run(read, under: file) == nil)
    return lines
  }

  private static func told(_ lines: [TraceLine], _ types: String...) -> [String] {
    lines.map { $0.json() }.filter { line in types.contains { line.contains("\"type\":\"\($0)\"") }
    }
  }

  @Test
  func
    `L1, L2 a session of the policy's own keeps its app running until its fact fails, and lingers as its row says`()
    throws
  {
    let lines = try Self.run(
      """
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: startSession, app: maps, mode: navigation}
        - {at: 2s, do: home}
        - {at: 60s, do: setFact, fact: parked}
        - {at: 70s, do: setFact, fact: parked, is: false}
        - {at: 71s, do: launch, app: maps}
        - {at: 72s, do: startSession, app: maps, mode: navigation}
      """)
    #expect(
      Self.told(lines, "decision", "session") == [
        #"{"t":1000000000,"app":"maps","type":"decision","kind":"navigation","allowed":true,"reasons":[]}"#,
        #"{"t":1000000000,"app":"maps","type":"session","mode":"navigation","event":"begin"}"#,
        #"{"t":60000000000,"app":"maps","type":"decision","kind":"navigation","allowed":false,"reasons":["parked"]}"#,
        #"{"t":60000000000,"app":"maps","type":"session","mode":"navigation","event":"end"}"#,
        #"{"t":72000000000,"app":"maps","type":"decision","kind":"navigation","allowed":true,"reasons":[]}"#,
        #"{"t":72000000000,"app":"maps","type":"session","mode":"navigation","event":"begin"}"#,
      ])
    #expect(
      lines.contains {
        $0.json()
          == #"{"t":62000000000,"app":"maps","type":"state","from":"background","to":"suspended"}"#
      })
  }

  @Test
  func
    `W3 a wake of the policy's own comes at the interval that its app asks for, and is denied while its fact fails`()
    throws
  {
    let lines = try Self.run(
      """
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: setInterval, app: maps, kind: carUpdate, interval: 20s}
        - {at: 2s, do: setInterval, app: maps, kind: carUpdate, interval: 40s}
        - {at: 3s, do: home}
        - {at: 50s, do: setDevice, network: none}
        - {at: 90s, do: setDevice, network: wifi}
        - {at: 91s, do: deliver, app: maps, kind: carUpdate}
        - {at: 92s, do: completeWake, app: maps, kind: carUpdate}
      """)
    #expect(
      Self.told(lines, "decision") == [
        #"{"t":1000000000,"app":"maps","type":"decision","kind":"carUpdate","allowed":false,"reasons":["interval"],"next":31000000000}"#,
        #"{"t":42000000000,"app":"maps","type":"decision","kind":"carUpdate","wake":1,"allowed":true,"reasons":[]}"#,
        #"{"t":82000000000,"app":"maps","type":"decision","kind":"carUpdate","allowed":false,"reasons":["notConnected"]}"#,
        #"{"t":91000000000,"app":"maps","type":"decision","kind":"carUpdate","wake":2,"allowed":true,"reasons":[]}"#,
      ])
  }

  @Test
  func
    `W5 a request of the policy's own kind waits for its facts, and is refused beyond its limit`()
    throws
  {
    let lines = try Self.run(
      """
        - {at: 0s, do: launch, app: maps}
        - {at: 0s, do: setFact, app: maps, fact: restricted}
        - {at: 1s, do: submitTask, app: maps, identifier: save, kind: backup}
        - {at: 2s, do: home}
        - {at: 3s, do: setDevice, charging: true}
        - {at: 4s, do: setFact, app: maps, fact: restricted, is: false}
        - {at: 5s, do: probe, app: maps}
      """)
    #expect(
      Self.told(lines, "decision", "request") == [
        #"{"t":1000000000,"app":"maps","type":"request","identifier":"save","kind":"backup","event":"submit"}"#,
        #"{"t":2000000000,"app":"maps","type":"decision","kind":"backup","allowed":false,"reasons":["restricted","notCharging"]}"#,
        #"{"t":3000000000,"app":"maps","type":"decision","kind":"backup","allowed":false,"reasons":["restricted"]}"#,
        #"{"t":4000000000,"app":"maps","type":"request","identifier":"save","kind":"backup","event":"start"}"#,
        #"{"t":4000000000,"app":"maps","type":"decision","kind":"backup","wake":1,"allowed":true,"reasons":[]}"#,
      ])
  }

  @Test
  func
    `W2 an overrun that is only told ends nothing, and the grant runs beside a wake that does not stop it`()
    throws
  {
    let lines = try Self.run(
      """
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: home}
        - {at: 2s, do: deliver, app: maps, kind: beacon}
        - {at: 3s, do: beginTask, app: maps, task: work}
        - {at: 9s, do: probe, app: maps}
        - {at: 10s, do: completeWake, app: maps, kind: beacon}
        - {at: 11s, do: endTask, app: maps, task: work}
      """)
    #expect(
      Self.told(lines, "wake", "probe") == [
        #"{"t":2000000000,"app":"maps","type":"wake","kind":"beacon","wake":1,"event":"begin"}"#,
        #"{"t":7000000000,"app":"maps","type":"wake","kind":"beacon","wake":1,"event":"overrun"}"#,
        #"{"t":9000000000,"app":"maps","type":"probe","state":"background","backgroundTimeRemaining":24000000000}"#,
        #"{"t":10000000000,"app":"maps","type":"wake","kind":"beacon","wake":1,"event":"complete"}"#,
      ])
  }

  @Test func `D1 a denial by the policy or a fact is explained with its place`()
    throws
  {
    let file = try policy(OwnPolicy.text, file: "car.yaml")
    func because(_ denied: Denials, _ kind: KindName) -> [String] {
      file.explanations(ofDenial: denied, kind: kind, in: .init(app: "maps")).map(\.description)
    }
    #expect(
      because(.kindNotInPolicy, .fetch) == [
        "kindNotInPolicy because of 'wakes.fetch' (car.yaml:14:3); Use a policy that has a row 'fetch' in its 'wakes'."
      ])
    #expect(
      because(Denials([], facts: ["restricted", "notCharging"]), "backup") == [
        "restricted because wakes.backup.blockedBy is restricted (car.yaml:12:51); Set 'restricted' to false.",
        "notCharging because wakes.backup.requires is charging (car.yaml:12:73); Plug the device in.",
      ])
  }

  @Test func `a scenario is checked against its policy's names`() throws {
    let text = """
      curfew: scenario/1
      name: x
      policy: car.yaml
      device: {facts: [parkd, restricted, charging]}
      apps:
        maps: {backgroundModes: [guidence], facts: [restrictd], on: {carUpdat: [], beacon: []}}
      timeline:
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: startSession, app: maps, mode: navigaton}
        - {at: 1s, do: deliver, app: maps, kind: carupdate}
        - {at: 1s, do: submitTask, app: maps, identifier: save, kind: beacon}
        - {at: 1s, do: setInterval, app: maps, kind: backup, interval: 1m}
        - {at: 1s, do: setFact, app: maps, fact: parked}
      """
    try withFolder(["car.yaml": OwnPolicy.text, "x.yaml": text]) { folder in
      let found = errors(in: folder) { () throws(FileErrors) in
        _ = try Scenario.load(folder + "/x.yaml")
      }
      #expect(
        found == [
          "x.yaml:4:18: error: unknown fact 'parkd'; did you mean 'parked'?",
          "x.yaml:4:25: error: the fact 'restricted' belongs to an app, not to the device; set it with the app",
          "x.yaml:4:37: error: the fact 'charging' follows from other facts and cannot be set",
          "x.yaml:6:28: error: unknown mode 'guidence'; did you mean 'guidance'?",
          "x.yaml:6:47: error: unknown fact 'restrictd'; did you mean 'restricted'?",
          "x.yaml:6:64: error: unknown callback 'carUpdat'; did you mean 'carUpdate'?",
          "x.yaml:9:49: error: unknown mode 'navigaton'; did you mean 'navigation'?",
          "x.yaml:10:44: error: unknown wake 'carupdate'; did you mean 'carUpdate'?",
          "x.yaml:11:65: error: unknown kind 'beacon'; allowed here: appRefresh, processing, backup",
          "x.yaml:12:48: error: unknown wake 'backup'; allowed here: fetch, voipKeepAlive, carUpdate",
          "x.yaml:13:44: error: the fact 'parked' belongs to the device, not to an app; set it without 'app'",
        ], "\(found.joined(separator: "\n"))")
    }
  }

  @Test func `facts are in the header and in manifests, and an app's facts begin as declared`()
    throws
  {
    let lines = try Self.run(
      """
        - {at: 0s, do: launch, app: maps}
        - {at: 1s, do: startSession, app: maps, mode: navigation}
        - {at: 2s, do: submitTask, app: maps, identifier: save, kind: backup}
        - {at: 3s, do: home}
      """, app: ", facts: [restricted]", device: "facts: [parked], charging: true")
    #expect(
      Self.told(lines, "decision") == [
        #"{"t":1000000000,"app":"maps","type":"decision","kind":"navigation","allowed":false,"reasons":["parked"]}"#,
        #"{"t":3000000000,"app":"maps","type":"decision","kind":"backup","allowed":false,"reasons":["restricted"]}"#,
      ])
  }
}
