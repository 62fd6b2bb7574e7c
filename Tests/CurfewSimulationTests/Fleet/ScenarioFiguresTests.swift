import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Compares the figures of a scenario, counted from actions, with its summary, counted from lines,
/// and with times read from its trace.
@Suite(.inTurn) struct ScenarioFiguresTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Policies")

  private static let shipped: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("Scenarios").path)
    return ["day.yaml"]
      + (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted().map { "Scenarios/" + $0 }
  }()

  /// Seconds in each state, from the lines.
  private static func times(_ lines: [TraceLine], _ apps: [String], end: Instant) -> [AppState:
    Int64]
  {
    var state = Dictionary(
      uniqueKeysWithValues: apps.map { ($0, (AppState.notRunning, Instant.zero)) })
    var times: [AppState: Int64] = [:]
    for line in lines {
      guard let app = line.app, case .state(_, let to) = line.body, let (from, since) = state[app]
      else { continue }
      times[from, default: 0] += (line.time - since).nanoseconds
      state[app] = (to, line.time)
    }
    for (from, since) in state.values { times[from, default: 0] += (end - since).nanoseconds }
    return times
  }

  @Test(arguments: shipped) func `figures counted from actions equal those counted from lines`(
    _ name: String
  ) throws {
    let scenario = try Scenario.load(Self.folder.appendingPathComponent(name).path)
    var simulation = Simulation(scenario)
    var summary = RunSummary(apps: scenario.apps.map(\.identifier), under: scenario.policy)
    var lines: [TraceLine] = []
    _ = try simulation.run {
      lines.append($0)
      summary.read($0)
    }
    let (figures, counts) = (simulation.figures(), summary.total)
    let total = figures.total
    #expect(total[.coldLaunches] + total[.backgroundLaunches] == counts.launches)
    #expect(total[.visits] == counts.visits && total[.suspensions] == counts.suspensions)
    #expect(
      total[.tasksBegun] == counts.tasksBegun && total.terminations == counts.terminations
        && total.purges == counts.purges)
    #expect(total.wakes(scenario.policy.policy.names) == counts.wakes)
    for (number, kind) in scenario.policy.policy.names.kinds.enumerated() {
      let (decisions, own) = (
        summary.decisions[kind], number < total.kinds.count ? total.kinds[number] : KindFigures()
      )
      #expect(
        own[.allowed] == decisions?.allowed ?? 0 && own.denied == decisions?.denied ?? 0, "\(kind)")
    }
    let times = Self.times(lines, scenario.apps.map(\.identifier), end: simulation.now)
    for state in AppState.allCases {
      #expect(total[state].nanoseconds == times[state] ?? 0, "\(state)")
    }
  }

  @Test func `figures of a small scenario follow from its text`() throws {
    let text = """
      curfew: scenario/1
      name: x
      policy: ios13
      until: 5m
      apps:
        mail:
          backgroundModes: [remote-notification]
          on:
            didEnterBackground: [{do: beginTask, task: upload, for: 12s}, {do: beginTask, task: long, for: 1m}]
            remoteNotification: [{do: useCPU, share: 50%, for: 4s}]
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 10s, do: home}
        - {at: 2m, do: deliver, app: mail, kind: remoteNotification}
        - {at: 2m 4s, do: completeWake, app: mail, result: newData}
        - {at: 3m, do: launch, app: mail}
      """
    var simulation = Simulation(
      try Scenario.decode(try SourceFile(name: "x.yaml", bytes: Array(text.utf8))))
    _ = try simulation.run { _ in }
    let figures = simulation.figures()
    let total = figures.total
    #expect(
      (total[.coldLaunches], total[.warmLaunches], total[.visits], total[.tasksBegun]) == (
        1, 1, 2, 2
      ))
    // The first task ends after 12 s. The handler ends the other one, 25 s after it began and five
    // seconds before the grant is over.
    #expect((total[.tasksEnded], total[.tasksExpired]) == (1, 1))
    #expect(
      total[.taskLength].least == 12_000_000_000 && total[.taskLength].greatest == 25_000_000_000)
    #expect(
      total[.background].nanoseconds == 29_000_000_000
        && total.processorTime.nanoseconds == 2_000_000_000)
    // Four seconds of the wake, and ten of the tail.
    #expect(figures[.radioTime].nanoseconds == 14_000_000_000)
    // The data of the push at 2m 4s is 56 s old when the user looks.
    #expect(total[.age].count == 1 && total[.age].greatest == 56_000_000_000)
    #expect(
      figures.openTasks[2].nanoseconds == 12_000_000_000
        && figures.openTasks[1].nanoseconds == 13_000_000_000)
    #expect(figures[.openTaskTime].nanoseconds == 37_000_000_000)
    // The run continues to the scenario's end, two minutes after the last event.
    let whole = simulation.figures(until: .zero + .seconds(300)).total
    #expect(whole[.active].nanoseconds == total[.active].nanoseconds + 120_000_000_000)
  }

  @Test
  func `every distribution of a run has its own name, and as many values as its figure says`()
    throws
  {
    let scenario = try Scenario.load(Self.folder.appendingPathComponent("day.yaml").path)
    var simulation = Simulation(scenario)
    _ = try simulation.run { _ in }
    let figures = simulation.figures()
    let (all, rows) = (
      figures.distributions(under: scenario.policy),
      figures.rows(under: scenario.policy, weights: EnergyWeights())
    )
    #expect(all.count > 20 && Set(all.map { [$0.app, $0.about, $0.figure] }).count == all.count)
    for one in all {
      let count = rows.first {
        $0.app == one.app && $0.about == one.about && $0.figure == one.figure + ".n"
      }
      #expect(count?.value == .count(one.tally.count) && one.tally.count > 0)
    }
  }
}
