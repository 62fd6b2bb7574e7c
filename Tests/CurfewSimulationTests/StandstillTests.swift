import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Scenarios and fleets in which an app answers a callback by causing the same callback (rule C4).
@Suite(.inTurn) struct StandstillTests {
  /// A session that is restarted whenever its budget is used up. It is denied unless the policy
  /// grants any remaining room.
  static let session = """
    curfew: scenario/1
    name: Once more
    policy: android14
    apps:
      up:
        backgroundModes: [dataSync]
        on:
          didEnterBackground: [{do: startSession, mode: dataSync}]
          sessionExpirationHandler: [{do: stopSession, mode: dataSync}, {do: startSession, mode: dataSync}]
    timeline:
      - {at: 0s, do: launch, app: up}
      - {at: 10s, do: home}
    """
  static let sessionSentence =
    "time stands still at 6h: 'up' does stopSession, startSession whenever sessionExpirationHandler is called"

  /// An app that uses more memory again whenever memory is short.
  static let memory = """
    curfew: scenario/1
    name: Greedy
    policy: ios13
    device: {memory: 100MiB}
    apps:
      up: {on: {didReceiveMemoryWarning: [{do: setFootprint, footprint: 10MiB}, {do: setFootprint, footprint: 95MiB}]}}
    timeline:
      - {at: 0s, do: launch, app: up}
      - {at: 1s, do: setFootprint, app: up, footprint: 95MiB}
    """
  static let memorySentence =
    "time stands still at 1s: 'up' does setFootprint whenever didReceiveMemoryWarning is called"

  private static func scenario(_ text: String) throws -> Scenario {
    let policy = text.contains("policy: android14") ? try android() : nil
    return try Scenario.decode(
      SourceFile(name: "day.yaml", bytes: Array(text.utf8)), policy: policy)
  }

  /// android14, except that sessions get any remaining room.
  private static func android() throws -> PolicyFile {
    var policy = try PolicyFile.load("android14")
    try policy.set("sessions.dataSync.leastRoom", "0s")
    return policy
  }

  /// The ending and the trace of a run.
  private static func run(_ scenario: Scenario, most: Int = .max) throws -> (
    ending: Simulation.Ending, trace: Trace
  ) {
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    let ending = try simulation.run(isInterrupted: { lines.count > most }) { lines.append($0) }
    return (ending, Trace(header: simulation.header, lines: lines))
  }

  @Test(arguments: [(session, sessionSentence), (memory, memorySentence)])
  func `C4 the run ends after a thousand and one steps, and its trace replays to the same end`(
    _ text: String, _ sentence: String
  ) throws {
    let scenario = try Self.scenario(text)
    let (ending, trace) = try Self.run(scenario)
    guard case .standstill(let found) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect("\(found)" == sentence)
    let instant = try #require(trace.lines.last?.time)
    let steps = trace.lines.count {
      $0.time == instant && ($0.body == .advance || $0.body.delivery != nil)
    }
    #expect(steps > 900 && steps <= 1_001 && found.instant == instant)
    let bytes = trace.lines.map { $0.json().utf8.count + 1 }.reduce(0, +)
    #expect(bytes < 1_000_000 && trace.lines.last?.body != .end)
    // The last step is complete: every called app has returned.
    guard case .event(let last)? = trace.lines.last(where: { $0.body != .advance })?.body else {
      Issue.record("\(trace.lines.last!)")
      return
    }
    #expect(last.verb == .return)
    #expect(
      Replay.run(trace, policy: scenario.policy.policy, isInterrupted: { _ in false })
        == .standstill(found, line: trace.lines.count + 1))
    #expect(Rerun.run(trace, policy: scenario.policy.policy) { _ in } == .standstill(found))
  }

  @Test func `C4 a run that stands still can be explained`() throws {
    var simulation = Simulation(try Self.scenario(Self.session))
    #expect(try simulation.run(through: .zero + .seconds(3_600)) { _ in } == nil)
    #expect(simulation.now == .zero + .seconds(3_600))
    let ending = try simulation.run(through: .zero + .seconds(30_000)) { _ in }
    guard case .standstill? = ending else {
      Issue.record("\(String(describing: ending))")
      return
    }
  }

  @Test
  func `F9 ends a process whose handler keeps beginning tasks, before C4 would end the run`()
    throws
  {
    let text = """
      curfew: scenario/1
      name: Renewed
      policy: ios13
      apps:
        up:
          on: {expirationHandler: [{do: beginTask, task: more, for: 0s}], didEnterBackground: [{do: beginTask, task: first}]}
      timeline:
        - {at: 0s, do: launch, app: up}
        - {at: 1s, do: home}
      """
    let run = try Self.run(try Self.scenario(text), most: 100_000)
    #expect(run.ending == .complete, "\(run.ending)")
    let ends = run.trace.lines.filter { $0.json().contains(#""type":"terminated""#) }
    #expect(ends.count == 1, "\(ends.map { $0.json() })")
  }

  // MARK: Fleets

  private static func workload(
    _ policy: PolicyFile, _ behavior: @escaping @Sendable (inout AppTurn) -> Void
  ) -> Workload {
    var app = WorkloadApp("up")
    app.manifest = AppManifest(otherModes: ["dataSync"])
    app.behavior = behavior
    var workload = Workload(name: "up", policy: policy, apps: [app])
    workload.user.unlocks = 24
    workload.user.visit = Distribution(.constant(10))
    return workload
  }

  @Test func `C4 a device of a fleet that stands still is named, and the others' figures are kept`()
    throws
  {
    let dataSync = try #require(try PolicyFile.load("android14").policy.names.kind("dataSync"))
    let workload = Self.workload(try Self.android()) { turn in
      switch turn.cause {
      // Time stands still on some devices only: their users leave the app at different seconds.
      case .moment(.callback(.didEnterBackground))
      where turn.now.nanoseconds / 1_000_000_000 % 40 == 0:
        turn.say(.startSession(turn.app, dataSync, handler: .present))
      case .moment(.sessionExpirationHandler):
        turn.say(.stopSession(turn.app, dataSync))
        turn.say(.startSession(turn.app, dataSync, handler: .present))
      default: break
      }
    }
    let fleet = Fleet(workload, devices: 6, length: .seconds(3 * 86_400), seed: 1)
    let results = [1, 3].map { fleet.run(jobs: $0) }
    let found = try #require(results[0].standstill)
    #expect(
      !results[0].isWhole && (1..<6).contains(results[0].figures[.devices]),
      "\(results[0].figures[.devices])")
    #expect(results[0].figures == results[1].figures)
    #expect(
      results.map { $0.standstill?.device } == [found.device, found.device]
        && results[1].standstill?.cause == found.cause)
    let sentence = "\(found.cause)"
    #expect(
      sentence.hasSuffix(
        "'up' does stopSession, startSession whenever sessionExpirationHandler is called"),
      "\(sentence)")
  }

  @Test func `C4 a closure that plans again at once stands still`() throws {
    let workload = Self.workload(try PolicyFile.load("ios13")) { turn in
      switch turn.cause {
      case .moment(.callback(.didBecomeActive)), .planned: turn.plan(1, after: .zero)
      default: break
      }
    }
    let found = try #require(
      Fleet(workload, devices: 1, length: .seconds(86_400), seed: 1).run().standstill)
    #expect("\(found.cause)".contains("'up' does something by itself"), "\(found.cause)")
  }

  // MARK: Any callback, any answer

  /// Steps of an app inside a callback.
  private static let answers = [
    "{do: beginTask, task: x}", "{do: beginTask, task: x, for: 0s}",
    "{do: beginTask, task: x, for: 1s}", "{do: endTask, task: t}",
    "{do: startSession, mode: MODE}", "{do: stopSession, mode: MODE}", "{do: completeWake}",
    "{do: completeWake, result: noData}",
    "{do: setFootprint, footprint: 10MiB}", "{do: setFootprint, footprint: 95MiB}",
    "{do: lockFile}", "{do: unlockFile}",
    "{do: useCPU, share: 100%, for: 100s}", "{do: setMinimumFetchInterval, interval: 0s}",
    "{do: setKeepAlive, interval: 600s}",
    "{do: submitTask, identifier: r, kind: appRefresh}",
    "{do: submitTask, identifier: p, kind: processing}",
    "{do: scheduleNotification, id: n, in: 0s}", "{do: scheduleNotification, id: n, in: 1s}",
    "{do: crash}", "{do: probe}",
  ]
  private static let moments =
    Callback.allCases.map { AppCall.callback($0).fileName } + [
      "expirationHandler", "wakeExpirationHandler", "sessionExpirationHandler", "fetch",
      "remoteNotification", "appRefresh", "processing",
    ]
  /// Callbacks, and answers that may cause them.
  private static let causes = [
    (
      "didReceiveMemoryWarning",
      "{do: setFootprint, footprint: 10MiB}, {do: setFootprint, footprint: 95MiB}"
    ),
    ("sessionExpirationHandler", "{do: stopSession, mode: MODE}, {do: startSession, mode: MODE}"),
    ("appRefresh", "{do: submitTask, identifier: r, kind: appRefresh}, {do: completeWake}"),
  ]
  private static let atOnce = "{alignment: none, minimumInterval: none}"
  private static let policies = [
    (base: "ios4", mode: "audio", values: ""), (base: "ios13", mode: "location", values: ""),
    (base: "ios13", mode: "audio", values: "wakes: {appRefresh: \(atOnce), fetch: \(atOnce)}"),
    (base: "android14", mode: "dataSync", values: ""),
    (base: "android14", mode: "dataSync", values: "sessions: {dataSync: {leastRoom: 0s}}"),
  ]

  /// One app that answers one or two callbacks, through a user's day.
  private static func text(_ random: inout RandomScenarioNumbers, _ policy: Int) -> String {
    let mode = policies[policy].mode
    func steps() -> String {
      (0..<(1 + random.next(2))).map { _ in answers[random.next(answers.count)] }.joined(
        separator: ", "
      )
      .replacingOccurrences(of: "MODE", with: mode)
    }
    // In one case of four, the answer may cause its own callback.
    if random.next(4) == 0 {
      let (moment, answer) = causes[random.next(causes.count)]
      return scenario("\(moment): [\(answer.replacingOccurrences(of: "MODE", with: mode))]", mode)
    }
    let chosen = (0..<(1 + random.next(2))).map { _ in moments[random.next(moments.count)] }
    return scenario(
      Set(chosen).sorted().map { "\($0): [\(steps())]" }.joined(separator: ", "), mode)
  }

  private static func scenario(_ on: String, _ mode: String) -> String {
    """
    curfew: scenario/1
    name: Pair
    policy: ./own.yaml
    until: 2d
    device: {memory: 100MiB, charging: true, battery: 100%}
    apps:
      up:
        backgroundModes: [\(["audio", "location", "fetch", "remote-notification", "processing", mode].joined(separator: ", "))]
        permittedIdentifiers: [r, p]
        on: {\(on)}
    timeline:
      - {at: 0s, do: launch, app: up}
      - {at: 1s, do: beginTask, app: up, task: t}
      - {at: 1s, do: startSession, app: up, mode: \(mode)}
      - {at: 2s, do: setFootprint, app: up, footprint: 95MiB}
      - {at: 3s, do: home}
      - {at: 10m, do: deliver, app: up, kind: KIND}
      - {at: 1h, do: launch, app: up}
      - {at: 61m, do: lock}
      - {at: 62m, do: unlock}
      - {at: 8h, do: home}
      - {at: 9h, do: reboot}
    """
  }

  @Test func `C4 no pair of a callback and an answer makes a run endless`() throws {
    let runs = Campaign.runs(20)
    var random = RandomScenarioNumbers(state: 1)
    var counts = (runs: 0, standing: 0)
    for run in 0..<runs {
      let place = run % Self.policies.count
      let policy = Self.policies[place]
      let file = try PolicyFile.decode(
        SourceFile(
          name: "own.yaml",
          bytes: Array(
            "curfew: policy/1\nname: own\nextends: \(policy.base)\n\(policy.values)\n".utf8)))
      let kinds = file.policy.names.kinds(.wake)
      var text = Self.text(&random, place)
      text = text.replacingOccurrences(of: "KIND", with: kinds[random.next(kinds.count)].rawValue)
      guard
        let scenario = try? Scenario.decode(
          SourceFile(name: "pair.yaml", bytes: Array(text.utf8)), policy: file)
      else { continue }
      counts.runs += 1
      let (ending, trace) = try Self.run(scenario, most: 400_000)
      #expect(ending != .interrupted, "\(text)")
      let steps = trace.lines.filter { $0.body == .advance || $0.body.delivery != nil }
      let perInstant = Dictionary(steps.map { ($0.time, 1) }, uniquingKeysWith: +)
      #expect(
        perInstant.values.max() ?? 0 <= (text.contains("expirationHandler") ? 2_001 : 1_001),
        "\(text)")
      guard case .standstill(let found) = ending else { continue }
      counts.standing += 1
      #expect(
        !found.answers.isEmpty && found.answers.allSatisfy { !$0.steps.isEmpty },
        "\(found)\n\(text)")
      #expect(
        Replay.run(trace, policy: file.policy, isInterrupted: { _ in false })
          == .standstill(found, line: trace.lines.count + 1), "\(text)")
    }
    #expect(counts.runs * 2 > runs && counts.standing > 0, "\(counts)")
  }
}

/// Numbers for the pairs above.
private struct RandomScenarioNumbers {
  var state: UInt64

  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }
}
