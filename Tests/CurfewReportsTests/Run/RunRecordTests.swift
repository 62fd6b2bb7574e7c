import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

@testable import CurfewReports

/// The figures of a page, compared with those from the engine's actions.
@Suite(.inTurn) struct RunRecordTests {
  private func record(of scenario: Scenario) throws -> (record: RunRecord, figures: AppFigures) {
    var simulation = Simulation(scenario)
    var record = RunRecord(simulation.header, policy: scenario.policy)
    _ = try simulation.run { record.add($0) }
    record.finish()
    return (record, simulation.figures().total)
  }

  @Test(arguments: ShippedScenarios.all) func `the figures of a page are those of the run`(
    _ path: String
  ) throws {
    let (record, figures) = try record(of: try Scenario.load(ShippedScenarios.path(path)))
    for count in AppFigures.Count.allCases where count != .apps {
      #expect(record.figures[count] == figures[count], "\(count)")
    }
    for reason in TerminationReason.allCases {
      #expect(record.figures[reason] == figures[reason], "\(reason)")
    }
    #expect(record.figures[.taskLength] == figures[.taskLength])
    #expect(record.ends.count == figures.terminations)
    #expect(record.runs.count { $0.track == .tasks } == figures[.tasksBegun])
    for place in 0..<max(figures.kinds.count, record.figures.kinds.count) {
      let sides = [record.figures, figures].map {
        place < $0.kinds.count ? $0.kinds[place] : KindFigures()
      }
      // Only events contain the results of wakes, so a page does not count them.
      for count in KindFigures.Count.allCases where count != .failed {
        #expect(sides[0][count] == sides[1][count], "\(place) \(count)")
      }
      #expect(sides[0].length == sides[1].length)
    }
    #expect(record.decided.denied == figures.kinds.reduce(0) { $0 + $1.denied })
  }

  @Test func `a session that was only denied has a row`() throws {
    let text = """
      curfew: scenario/1
      name: denied
      policy: ios13
      apps: {com.example.app: {}}
      timeline:
      - {at: 0s, do: launch, app: com.example.app}
      - {at: 1s, do: startSession, app: com.example.app, mode: audio}
      until: 1m

      """
    let source = try SourceFile(name: "denied.yaml", bytes: Array(text.utf8))
    let page = Page(of: try record(of: try Scenario.decode(source)).record, file: "denied.jsonl")
      .html()
    let table = try #require(page.range(of: "Outcomes"))
    #expect(page[table.upperBound...].contains("audio"))
  }
}
