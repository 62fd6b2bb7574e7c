import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

@testable import CurfewSimulation

/// Every line of a run can be expected.
@Suite(.inTurn) struct ExpectationPropertyTests {
  /// The most precise expectation of a line, at its instant plus `later`.
  private func expectation(of facts: LineFacts, _ form: ExpectationForm, later: Interval = .zero)
    -> ScenarioExpectation
  {
    let time = facts.line.time + later
    return ScenarioExpectation(
      place: SourcePlace(file: "x", line: 1, column: 1), text: "", at: Span(time, time),
      app: facts.line.app,
      lines: LinePattern(
        type: form.line, subject: form.subject.key,
        values: ([form.subject] + form.terms).map { ($0.key, facts[$0.key]) }),
      claim: .happens)
  }

  @Test(arguments: TeachingScenarioTests.scenarios)
  func
    `every line of a teaching scenario is as its own expectation says, and is not a nanosecond later`(
      _ file: String
    ) throws
  {
    let path = TeachingScenarioTests.folder.appendingPathComponent("Scenarios/\(file)").path
    var simulation = Simulation(try Scenario.load(path))
    var lines: [LineFacts] = []
    _ = try simulation.run { if let facts = LineFacts($0) { lines.append(facts) } }
    var count = 0
    for line in lines {
      for form in ExpectationForm.all
      where form.line == line.keys.type && line[form.subject.key] != nil {
        var (met, late) = (
          ExpectationWatch(expectation(of: line, form)),
          ExpectationWatch(expectation(of: line, form, later: .nanoseconds(1)))
        )
        for other in lines where other.keys.type == form.line {
          met.add(other)
          late.add(other)
        }
        count += 1
        #expect(met.verdict(cutAt: nil).outcome == .met, "\(line.line)")
        let found = late.verdict(cutAt: nil)
        #expect(
          found.outcome == .failed && found.found == "it at \(HumanTime.text(line.line.time))",
          "\(line.line): \(found)")
      }
    }
    #expect(count > 5)
  }

  @Test func `every type of line that an engine emits has a form, and every form has its keys`() {
    let silent: Set = ["advance", "resumed", "end", "gap"]
    #expect(Set(LineType.all.map(\.name)).subtracting(ExpectationForm.all.map(\.line)) == silent)
    for form in ExpectationForm.all {
      let names = ([form.subject] + form.terms).map(\.name)
      #expect(Set(names).count == names.count, "\(form.name)")
    }
  }

  @Test func `every key of a diagnostic can be expected, whatever other forms its keys begin`()
    throws
  {
    let form = try #require(ExpectationForm.named("diagnostic"))
    let keys = ([form.subject] + form.terms).map(\.key)
    #expect(Set(LineType.named("diagnostic").keys) == Set(keys) && Set(keys).count == keys.count)
    // The first of several deciding keys decides, in the order of the forms.
    let deciding = ExpectationForm.all.map(\.name).filter { keys.contains($0) || $0 == form.name }
    #expect(deciding.first == form.name && deciding.count > 1)
  }
}
