import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Why an app is in its state: the chain of causes in a trace's lines.
@Suite(.inTurn) struct WhyTests {
  /// The chain of an app in a scenario under ios13, a line for each step:
  /// `10s user: the user pressed Home`, with its rule.
  private static func told(
    _ app: String, at second: Double? = nil, _ apps: String, _ timeline: String...,
    policy: String = "ios13"
  ) throws
    -> [String]
  {
    let why = try why(app, at: second, apps, timeline, policy: policy)
    return why.chain.map {
      "\(HumanTime.text(ofNanoseconds: $0.instant.nanoseconds)) \($0.words)\($0.rule.map { " (\($0))" } ?? "")"
    }
  }

  private static func why(
    _ app: String, at second: Double? = nil, _ apps: String, _ timeline: [String],
    policy: String = "ios13"
  ) throws
    -> Why
  {
    let text = """
      curfew: scenario/1
      name: x
      policy: \(policy)
      apps: {\(apps)}
      timeline:
      \(timeline.map { "  - {\($0)}" }.joined(separator: "\n"))

      """
    let scenario = try scenario(text)
    let trace = try WhyTests.run(scenario)
    let instant = second.map { Instant(nanoseconds: Int64($0 * 1e9)) }
    let why = try Why(app, at: instant, in: trace, under: scenario.policy)
    // Read from its text, in which an end has fewer details, the trace gives the same chain.
    let written = ([trace.header.json] + trace.lines.map { $0.json() }).joined(separator: "\n")
    let read = try Trace.decode(SourceFile(name: "x.jsonl", bytes: Array(written.utf8)))
    #expect(try Why(app, at: instant, in: read, under: scenario.policy) == why)
    return why
  }

  static func run(_ scenario: Scenario) throws -> Trace {
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    _ = try simulation.run { lines.append($0) }
    return Trace(header: simulation.header, lines: lines)
  }

  private let leaky =
    "mail: {endsTasksOnExpiration: false, on: {didEnterBackground: [{do: beginTask, task: upload}, {do: beginTask, task: short, for: 2s}]}}"

  @Test
  func
    `F6 for a kill it gives the visit, the grant, the warning, and the tasks left open`()
    throws
  {
    #expect(
      try Self.told("mail", leaky, "at: 0s, do: launch, app: mail", "at: 10s, do: home") == [
        "10s the user pressed Home",
        "10s it entered the background, with a grant of 30s for its tasks (F2)",
        "10s it began task 1 'upload' (F1)",
        "35s its grant had 5s left: the handler of 'upload' was due (F5)",
        "40s the grant ended with 'upload' open: terminated, backgroundTaskAssertionTimeout (0x2182bad2) (F6)",
      ])
    let why = try Self.why("mail", leaky, ["at: 0s, do: launch, app: mail", "at: 10s, do: home"])
    #expect(
      why.state == .notRunning && why.since == .zero + .seconds(40) && why.instant == why.since
        && why.holdings.isEmpty)
    let file = try PolicyFile.load("ios13")
    #expect(why.chain.last?.facts.map(\.key) == ["tasks.grant"])
    #expect(why.chain.last?.facts.first?.place == file.place(of: "tasks.grant").map { .at($0) })
    #expect(why.chain.map(\.owner) == [.user, .system, .app, .system, .system])
  }

  @Test func `before the end the chain has only what is held`() throws {
    let why = try Self.why(
      "mail", at: 13, leaky, ["at: 0s, do: launch, app: mail", "at: 10s, do: home"])
    #expect(why.state == .background && why.since == .zero + .seconds(10))
    let held = try #require(why.holdings.first)
    #expect(
      why.holdings.count == 1 && held.kind == .finiteTask && held.name == "upload"
        && held.number == 1)
    #expect(held.since == .zero + .seconds(10))
    #expect(why.outlook == nil, "Lines alone do not say what comes")
  }

  @Test func `F8, L2 a suspended app was held by what ended last`() throws {
    #expect(
      try Self.told(
        "mail",
        "mail: {on: {didEnterBackground: [{do: beginTask, task: a, for: 2s}, {do: beginTask, task: b, for: 7s}]}}",
        "at: 0s, do: launch, app: mail", "at: 10s, do: lock") == [
          "10s the user locked the device",
          "10s it entered the background, with a grant of 30s for its tasks (F2)",
          "10s it began task 2 'b' (F1)",
          "17s it ended task 2 'b' (F8)", "17s nothing kept it running any more: suspended (F8)",
        ])
    #expect(
      try Self.told(
        "maps", "maps: {backgroundModes: [location]}", "at: 0s, do: launch, app: maps",
        "at: 5s, do: startSession, app: maps, mode: location",
        "at: 10s, do: home", "at: 20s, do: stopSession, app: maps, mode: location") == [
          "5s it began session location (L1)", "10s the user pressed Home",
          "10s it entered the background (A4)",
          "20s its session location ended (L2)",
          "21s nothing kept it running any more: suspended (L2)",
        ])
    #expect(
      try Self.told("a", "a: {}, b: {}", "at: 0s, do: launch, app: a", "at: 4s, do: launch, app: b")
        == [
          "4s the user opened b", "4s it entered the background (A4)",
          "4s nothing kept it running: suspended (A6)",
        ])
  }

  @Test func `W1, W2 a wake's chain has its cause and its end`() throws {
    #expect(
      try Self.told(
        "mail", "mail: {}", "at: 1s, do: deliver, app: mail, kind: region",
        "at: 4s, do: completeWake, app: mail") == [
          "1s the world asked for a wake: region", "1s region was admitted as wake 1 (W1)",
          "1s it was launched into the background (W1)",
          "1s wake 1, region, was delivered, with 10s to run (W1)",
          "4s it completed wake 1, region (W2)",
          "4s nothing kept it running any more: suspended (W2)",
        ])
    #expect(
      try Self.told("mail", "mail: {}", "at: 1s, do: deliver, app: mail, kind: urlSession").suffix(
        2) == [
          "31s wake 1, urlSession, was not completed in time (W2)",
          "31s a wake that is not completed ends its app: terminated, backgroundTaskAssertionTimeout (0x2182bad3) (W2)",
        ])
    let asked = try Self.told(
      "news", at: 930, "news: {backgroundModes: [fetch], permittedIdentifiers: [x]}",
      "at: 0s, do: launch, app: news",
      "at: 3s, do: submitTask, app: news, identifier: x, kind: appRefresh", "at: 4s, do: home",
      "at: 2000s, do: probe, app: news")
    #expect(
      asked.prefix(2) == [
        "3s it submitted request 'x' for appRefresh (W5)",
        "15m the system started its request 'x' (W5)",
      ], "\(asked)")
  }

  @Test func `W5 processing that ends because the user came says so`() throws {
    let told = try Self.told(
      "a", "a: {backgroundModes: [processing], permittedIdentifiers: [x]}",
      "at: 0s, do: launch, app: a",
      "at: 3s, do: submitTask, app: a, identifier: x, kind: processing", "at: 4s, do: home",
      "at: 5s, do: lock", "at: 910s, do: unlock")
    #expect(
      told.suffix(3) == [
        "15m 10s the user unlocked the device",
        "15m 10s wake 1, processing, is only for an idle device, and had no expiration handler: it ended unsuccessfully (W6)",
        "15m 10s nothing kept it running any more: suspended (W2)",
      ], "\(told)")
  }

  @Test func `W5 with a handler the chain says so too`() throws {
    let told = try Self.told(
      "a",
      "a: {backgroundModes: [processing], permittedIdentifiers: [x], on: {wakeExpirationHandler: []}}",
      "at: 0s, do: launch, app: a",
      "at: 3s, do: submitTask, app: a, identifier: x, kind: processing", "at: 4s, do: home",
      "at: 5s, do: lock", "at: 910s, do: unlock")
    #expect(
      told.suffix(4) == [
        "15m 10s the user unlocked the device",
        "15m 10s wake 1, processing, is only for an idle device: its handler was due (W5)",
        "15m 15s wake 1, processing, is only for an idle device, and ended (W5)",
        "15m 15s nothing kept it running any more: suspended (W2)",
      ], "\(told)")
  }

  private static let terms = RuleCase.root.appendingPathComponent("policies/w-terms.yaml").path

  @Test func `L4, W4 a session that ends its app is reported as a session`() throws {
    let call = try Self.told(
      "a", "a: {on: {sessionExpirationHandler: []}}", "at: 0s, do: launch, app: a",
      "at: 1s, do: startSession, app: a, mode: call",
      "at: 10s, do: home", policy: Self.terms)
    #expect(
      call == [
        "1s it began session call (L1)", "10s the user pressed Home",
        "10s it entered the background (A4)",
        "18s session call was about to end: its handler was due (L4)",
        "20s session call reached its time limit in the background (L4)",
        "20s a session that exceeds its length ends its app: terminated, backgroundTaskAssertionTimeout (0xdead10cc) (L4)",
      ])
    let dropped = try Self.told(
      "a", "a: {}", "at: 0s, do: launch, app: a", "at: 1s, do: startSession, app: a, mode: track",
      "at: 10s, do: home", policy: Self.terms)
    #expect(
      dropped.suffix(3) == [
        "40s session track reached its time limit in the background (L4)",
        "40s its session track ended (L2)",
        "40s nothing kept it running any more: suspended (L4)",
      ])
  }

  @Test
  func
    `L4 for a session that is deferred repeatedly it gives the last time, and nothing after its process has died`()
    throws
  {
    let steps = [
      "at: 0s, do: launch, app: a", "at: 1s, do: startSession, app: a, mode: scan",
      "at: 10s, do: home", "at: 500s, do: probe, app: a",
    ]
    let why = try Self.why("a", at: 498, "a: {}", steps, policy: Self.terms)
    #expect(why.chain.count < 8 && why.chain.first?.words == "it began session scan")
    let ended =
      Array(steps.dropLast()) + ["at: 22s, do: forceQuit, app: a", "at: 30s, do: launch, app: a"]
    let again =
      ended + [
        "at: 31s, do: startSession, app: a, mode: scan", "at: 40s, do: home",
        "at: 45s, do: stopSession, app: a, mode: scan",
      ]
    let after = try Self.why("a", "a: {}", again, policy: Self.terms)
    #expect(
      after.holdings.isEmpty
        && after.chain.suffix(2).map(\.words) == [
          "its session scan ended", "nothing kept it running any more: suspended",
        ])
  }

  @Test
  func `M1, A10, D3, A7, A8 ends have their own causes, and other apps only as causes`()
    throws
  {
    #expect(
      try Self.told(
        "a", "a: {footprint: 300MiB}, b: {}, c: {}", "at: 0s, do: setDevice, memory: 500MiB",
        "at: 0s, do: launch, app: a",
        "at: 5s, do: launch, app: b", "at: 6s, do: launch, app: c",
        "at: 9s, do: setFootprint, app: c, footprint: 400MiB"
      ).suffix(3) == [
        "5s nothing kept it running: suspended (A6)", "9s c took up 400MiB",
        "9s memory was full, and it was next to be purged: terminated, memoryPressure (M1)",
      ])
    #expect(
      try Self.told(
        "a", "a: {returns: {didEnterBackground: 20s}}", "at: 0s, do: launch, app: a",
        "at: 5s, do: home"
      ).suffix(2) == [
        "5s applicationDidEnterBackground: was called (A10)",
        "15s didEnterBackground did not return in time: terminated, appWatchdog (0x8badf00d) (A10)",
      ])
    #expect(
      try Self.told(
        "a", "a: {on: {didEnterBackground: [{do: lockFile}]}}", "at: 0s, do: launch, app: a",
        "at: 5s, do: home"
      ).suffix(2) == [
        "5s it locked a file",
        "5s it held a locked file when it was to be suspended: terminated, suspendedWithLockedFile (0xdead10cc) (D3)",
      ])
    #expect(
      try Self.told("a", "a: {}", "at: 0s, do: launch, app: a", "at: 5s, do: forceQuit, app: a")
        == [
          "5s the user force-quit it in the app switcher",
          "5s the user quit it: terminated, userForceQuit (A7)",
        ])
    #expect(
      try Self.told(
        "b", "a: {}, b: {}", "at: 0s, do: launch, app: a", "at: 1s, do: launch, app: b",
        "at: 5s, do: reboot") == [
          "5s the device restarted",
          "5s the restart ended its process: terminated, reboot (A8)",
        ])
    #expect(
      try Self.told(
        "a", "a: {exitsOnSuspend: true}", "at: 0s, do: launch, app: a", "at: 5s, do: home") == [
          "5s the user pressed Home", "5s it exited: terminated, normalAppExit (A9)",
        ])
  }

  @Test
  func
    `A7 an app that is slow to quit was quit by whoever quit it, and an illegal step leaves no cause behind`()
    throws
  {
    let quit = try Self.told(
      "a", "a: {returns: {willTerminate: 3s}}, b: {}", "at: 0s, do: launch, app: a",
      "at: 5s, do: forceQuit, app: a",
      "at: 6s, do: launch, app: b")
    #expect(
      quit == [
        "5s the user force-quit it in the app switcher",
        "8s the user quit it: terminated, userForceQuit (A7)",
      ])
    let overrun = try Self.told(
      "a", "a: {backgroundModes: [processing], permittedIdentifiers: [x]}, b: {}",
      "at: 0s, do: launch, app: a",
      "at: 3s, do: submitTask, app: a, identifier: x, kind: processing", "at: 4s, do: home",
      "at: 5s, do: lock",
      "at: 910s, do: launch, app: b")
    #expect(!overrun.contains { $0.contains("opened b") }, "\(overrun)")
  }

  @Test func `F11 a grant that is cut short names the cause`() throws {
    let told = try Self.told(
      "a",
      "a: {endsTasksOnExpiration: false, on: {didEnterBackground: [{do: beginTask, task: x}]}}",
      "at: 0s, do: launch, app: a",
      "at: 5s, do: home", "at: 9s, do: setDevice, thermal: critical")
    #expect(told.contains("9s the device changed: thermal critical"), "\(told)")
    #expect(
      told.contains("9s its grant was cut short (thermal): the handler of 'x' was due (F11)"),
      "\(told)")
  }

  @Test
  func `D1 denials since the app last ran are listed beside the chain, by their reasons`()
    throws
  {
    let why = try Self.why(
      "mail", at: 50, "mail: {backgroundModes: [fetch]}",
      [
        "at: 0s, do: launch, app: mail", "at: 1s, do: startSession, app: mail, mode: audio",
        "at: 2s, do: forceQuit, app: mail",
        "at: 10s, do: deliver, app: mail, kind: fetch",
        "at: 20s, do: setDevice, lowPowerMode: true",
        "at: 30s, do: deliver, app: mail, kind: fetch",
        "at: 40s, do: deliver, app: mail, kind: fetch", "at: 60s, do: lock",
      ])
    #expect(
      why.denials.map(\.kind) == [.audio, .fetch, .fetch] && why.denials.map(\.count) == [1, 1, 2])
    #expect(
      why.denials.last?.reasons == [.lowPowerMode, .forceQuit]
        && why.denials.last?.first == .zero + .seconds(30))
    #expect(
      why.denials.last?.last == .zero + .seconds(40) && why.denials.last?.explanations.count == 2)
    let later = try Self.why(
      "mail", "mail: {backgroundModes: [fetch]}",
      [
        "at: 10s, do: reboot", "at: 11s, do: deliver, app: mail, kind: fetch",
        "at: 20s, do: unlock", "at: 21s, do: launch, app: mail",
      ])
    #expect(later.denials.isEmpty)
  }

  @Test func `D2 an app that exits after its warning is told of both, once`() throws {
    let delivery = "at: 0s, do: deliver, app: a, kind: job, length: 10s, warning: 3s"
    #expect(
      try Self.told(
        "a", "a: {returns: {wakeExpirationHandler: 0s}}", delivery,
        "at: 8s, do: crash, app: a, status: 3",
        policy: "server") == [
          "7s wake 1, job, was about to end: its handler was due (W6)",
          "8s it exited with status 3", "8s terminated, abnormalExit (D2)",
        ])
    #expect(
      try Self.told(
        "a", "a: {}", delivery, "at: 2s, do: crash, app: a, reason: hostFailure",
        policy: "server") == ["2s its host failed", "2s terminated, hostFailure (D2)"])
    // The warning of a wake that was completed before has no part in it.
    #expect(
      try Self.told(
        "a", "a: {returns: {wakeExpirationHandler: 0s}}", delivery,
        "at: 8s, do: completeWake, app: a",
        "at: 8500ms, do: deliver, app: a, kind: job, length: 9s",
        "at: 9s, do: crash, app: a, reason: signal, signal: 15", policy: "server") == [
          "9s signal 15 ended it", "9s terminated, signal (D2)",
        ])
  }

  @Test func `a name that the trace does not know is an error that lists the known ones`() throws {
    let scenario = try scenario(
      timeline("{at: 0s, do: launch, app: com.example.mail}", "{at: 9s, do: home}"))
    var trace = try Self.run(scenario)
    #expect(throws: Why.Unknown.app("mail", known: ["com.example.mail"])) {
      try Why("mail", in: trace, under: scenario.policy)
    }
    let (at, end) = (Instant.zero + .seconds(10), Instant.zero + .seconds(9))
    #expect(throws: Why.Unknown.instant(at, end: end, isCut: false)) {
      try Why("com.example.mail", at: at, in: trace, under: scenario.policy)
    }
    trace.lines.removeLast()
    #expect(throws: Why.Unknown.instant(at, end: end, isCut: true)) {
      try Why("com.example.mail", at: at, in: trace, under: scenario.policy)
    }
    let never = try Self.why("b", "a: {}, b: {}", ["at: 3s, do: launch, app: a"])
    #expect(
      never.chain.isEmpty && never.state == .notRunning && never.instant == .zero + .seconds(3))
  }
}
