import CurfewPolicy
import CurfewText
import Foundation
import TestSupport

/// The files to change: every policy, every scenario with expectations, and one of each that uses
/// every key.
struct MutationCorpus {
  let policies: [FileTree]
  /// Scenarios, with the paths from which they find their policies.
  let scenarios: [(path: String, tree: FileTree)]
  let policyWords: Vocabulary
  let scenarioWords: Vocabulary

  init() throws {
    let root = RuleCase.root
    let rules = root.appendingPathComponent(RuleCase.policies)
    let texts =
      PolicyFile.builtInNames.compactMap(PolicyFile.builtInText) + [
        MutationCorpus.policy, OwnPolicy.text,
      ]
    let files = try MutationCorpus.files(in: rules).map { try SourceFile.read($0) }
    let own = try texts.map { FileTree(try SourceFile(name: "built-in", bytes: Array($0.utf8))) }
    // A child of a shipped profile and the fullest policy come most often, because a complete
    // profile seldom loads after a change.
    policies = own + files.map(FileTree.init) + Array(repeating: own[own.count - 2], count: 20)
    let shipped = TeachingScenarioTests.folder
    let folders = ["Scenarios", "Tests"].map(shipped.appendingPathComponent) + [root]
    let sources = try folders.flatMap(MutationCorpus.files).map { try SourceFile.read($0) }
    let expecting = sources.filter { $0.text.contains("\nexpect:") }.map { ($0.name, FileTree($0)) }
    let full = root.appendingPathComponent("expecting.yaml").path
    let all = FileTree(try SourceFile(name: full, bytes: Array(MutationCorpus.scenario.utf8)))
    scenarios = expecting + Array(repeating: (full, all), count: expecting.count / 2)
    policyWords = Vocabulary(of: policies)
    scenarioWords = Vocabulary(of: scenarios.map(\.tree))
  }

  private static func files(in folder: URL) throws -> [String] {
    guard let all = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".yaml") }.sorted().map {
      folder.appendingPathComponent($0).path
    }
  }

  private static let policy = """
    curfew: policy/1
    name: full
    extends: ios13
    about: What policies can say.
    lowBattery: 20%
    foreground: 1
    suspendDelay: 1s
    modes: {guidance: Turn-by-turn guidance., sync: Work.}
    facts:
      parked: {of: device, about: The gear is in park.}
      restricted: {of: app, unset: true}
    groups:
      rare: {unusedFor: 1h}
      frequent: {unusedFor: 10m, about: Used of late.}
      barred: {requires: restricted, blockedBy: [parked, charging], rank: 1}
    limits: {launch: 20s, launchWarning: 5s, code: 0x8badf00d}
    tasks: {grant: {value: 30s, confidence: documented, source: QN}, warning: 5s, limit: 100, ageWarning: 1h, thermalExpiry: serious, whenLate: kill}
    sessions:
      navigation: {mode: [guidance, location], blockedBy: parked, linger: 2s, leeway: 1s, stopsTaskClock: true, purgedLast: true}
      audio: {requires: [connected, wifi]}
      voip: none
    wakes:
      carUpdate: {start: interval, minimumInterval: 30s, mode: guidance, requires: connected, relaunches: true, length: 10s, warning: 2s, overrun: drop}
      backup: {start: request, pending: 2, waitsForIdle: true, blockedBy: restricted, length: 1m, overrun: tell, alignment: 15m, minimumInterval: 1m}
      glance: {start: opportunity, minimumInterval: 10s, backoff: 4, backoffFactor: 1.2, backoffGrows: runs, backoffReset: either, beforeUse: 5m, length: 5s, overrun: kill, code: 0x1}
      region: {admissions: 3, runTime: 5m, window: 1h, leastRoom: warning, linger: 1s, leeway: 10s}
      job: {length: 10m, overrun: drop, warning: 5s, coalesce: 5s, leastRoom: 2s, budgets: [10m in 2h for rare, 4h in 1d, 20 admissions in 1m, 8 sessions in 8h for frequent, 0 admissions in 1d for barred]}
      fetch: {length: 30s, minimumInterval: 15m, alignment: 15m, backoff: 8, blockedBy: lowPowerMode}
      newsstand: none
    memory: {capacity: 4GiB, warning: 80%, warningReset: 75%, footprint: 50MiB, appLimit: 1GiB, purge: leastCostly, purgeAbove: 90%, purgeTo: 85%, startCost: 1s}
    cpu: {share: 80%, window: 60s, whileCharging: false}
    notifications: {kept: 64, locations: 100, names: 10}
    lockedFiles: {terminate: true, code: 0xdead10cc}
    sources: {QN: Quinn}

    """

  private static let scenario = """
    curfew: scenario/1
    name: Expecting
    policy: ios13
    until: 2h
    device: {battery: 50%, charging: false}
    apps:
      mail:
        backgroundModes: [fetch, remote-notification, processing]
        permittedIdentifiers: [refresh]
        on:
          didEnterBackground:
          - {do: beginTask, task: sync, for: 20s}
          fetch:
          - {do: completeWake, result: noData}
      maps: {backgroundModes: [location, audio]}
    timeline:
    - {at: 0s, do: launch, app: mail}
    - {at: 5s, do: submitTask, app: mail, identifier: refresh, kind: appRefresh, earliest: 3m}
    - {at: 8s, do: home}
    - {at: 9s, do: deliver, app: mail, kind: remoteNotification}
    - {at: 20s, do: launch, app: maps}
    - {at: 21s, do: startSession, app: maps, mode: location}
    - {at: 30s, do: home}
    - {at: 1m, do: setDevice, lowPowerMode: true}
    - {at: 2m, do: deliver, app: mail, kind: fetch}
    - {at: 1h, do: crash, app: maps, reason: badAccess}
    expect:
    - {at: 5s..29s, app: mail, state: suspended}
    - {decision: fetch, app: mail, denied: [lowPowerMode]}
    - {decision: remoteNotification, allowed: true}
    - {count: task, task: sync, event: end, is: 1..5}
    - {never: end, reason: memoryPressure}
    - {never: callback, name: willTerminate}
    - {count: wake, is: ..9}
    - {at: ..1h, app: maps, end: badAccess}
    - {session: location, event: begin, at: 21s}
    - {request: refresh, event: submitted}
    - {at: 99h.., app: maps, state: notRunning}

    """
}
