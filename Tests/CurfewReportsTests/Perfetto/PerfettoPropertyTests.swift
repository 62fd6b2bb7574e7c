import CurfewEngine
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// The scenarios of the repository.
enum ShippedScenarios {
  private static let policies = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Policies")

  static func path(_ name: String) -> String { policies.appendingPathComponent(name).path }

  /// Scenarios under `Policies`, for teaching and for testing.
  static let all: [String] = ["Scenarios", "Tests"].flatMap { folder in
    (FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".yaml") && !$0.contains("Files/") }.map { "\(folder)/\($0)" }
  }.sorted()
}

/// Properties of every trace.
@Suite(.inTurn) struct PerfettoPropertyTests {
  @Test func `there are scenarios to check`() { #expect(ShippedScenarios.all.count > 50) }

  @Test(arguments: Campaign.some(30, of: ShippedScenarios.all))
  func `slices nest, time never goes back, and each line has its slices`(_ name: String) throws {
    let (lines, trace) = try PerfettoTests.run(try Scenario.load(ShippedScenarios.path(name)))
    #expect(trace.problems == [] && trace.open.values.allSatisfy(\.isEmpty))
    for (category, count) in PerfettoPropertyTests.counts(lines.lines) {
      #expect(trace.all(category).count == count, "\(category)")
    }
  }

  /// A trace with missing lines is invalid, but the file made from it must still be readable.
  @Test(arguments: 0..<Campaign.runs(10))
  func `slices nest even if lines are missing`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let name = random.pick(ShippedScenarios.all)
    let scenario = try Scenario.load(ShippedScenarios.path(name))
    var (lines, _) = try PerfettoTests.run(scenario)
    let times = 2 + random.below(20)
    lines.lines.removeAll { _ in random.oneIn(times) }
    let trace = PerfettoTests.read(lines, scenario.policy)
    #expect(trace.problems == [], "seed \(seed), \(name), one of \(times) lines missing")
  }

  @Test func `a run that is twice as long has no more tracks`() throws {
    func trace(_ length: String) throws -> ReadTrace {
      let text = """
        curfew: scenario/1
        name: Fetches
        policy: ios13
        until: \(length)
        apps:
          mail:
            backgroundModes: [fetch]
            on: {fetch: [{do: beginTask, task: sync, for: 2s}, {do: completeWake, result: newData}]}
        timeline:
          - {at: 0s, do: launch, app: mail}
          - {at: 1s, do: setMinimumFetchInterval, app: mail, interval: 0s}
          - {at: 2s, do: home}
        """
      return try PerfettoTests.run(try PerfettoTests.scenario(text)).1
    }
    let (one, two) = (try trace("2d"), try trace("4d"))
    #expect(two.all("wake").count > one.all("wake").count && one.all("wake").count > 10)
    #expect(two.tracks.count == one.tracks.count && two.problems == [])
  }

  /// The expected number of events in some categories.
  private static func counts(_ lines: [TraceLine]) -> [(String, Int)] {
    func count(_ holds: (TraceLine.Body) -> Bool) -> Int { lines.count { holds($0.body) } }
    return [
      ("state", count { if case .state(_, let to) = $0 { to != .notRunning } else { false } }),
      (
        "task",
        count { if case .task(.begin, let task, _) = $0 { task != .invalid } else { false } }
      ),
      ("wake", count { if case .wake(_, _, _, .begin, _) = $0 { true } else { false } }),
      (
        "session",
        count {
          if case .session(_, let change, _) = $0 {
            change == .begin || change == .renew
          } else {
            false
          }
        }
      ),
      ("decision", count { if case .decision = $0 { true } else { false } }),
      ("expiration", count { if case .expiration = $0 { true } else { false } }),
      ("termination", count { if case .terminated = $0 { true } else { false } }),
    ]
  }
}
