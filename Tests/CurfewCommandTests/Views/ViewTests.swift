import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// An explanation is a single value. The embedding API, a recorded trace, the timeline and `--json`
/// show views of this value.
@Suite(.inTurn) struct ViewTests {
  @Test(arguments: Campaign.some(12, of: ViewCase.all))
  func
    `D1 API, trace, timeline and JSON explain a reason equally, with its place or the lack of one`(
      _ item: ViewCase
    ) throws
  {
    let folder = try TemporaryFolder()
    try folder.write(item.scenario, to: "run.yaml")
    if let own = item.ownPolicy { try folder.write(own, to: "own.yaml") }
    let scenario = try Scenario.load(folder.url.appendingPathComponent("run.yaml").path)

    let run = EmbeddedRun(scenario)
    let said = try #require(
      run.explanations.last { $0.reason == item.reason }, "\(item.scenario)\(run.trace.lines)")
    #expect(said.fact.owner == item.owner && said.fact.key == item.key, "\(said)")
    #expect(item.words.isEmpty || said.because.contains(item.words), "\(said)")
    #expect(said.app == "app" || said.app == nil)

    switch item.owner {
    case .policy: #expect(ViewTests.isLocated(said.place))
    case .manifest: #expect(said.place == .unwritten)
    case .device: #expect(said.place == (said.fact.value == nil ? .nowhere : .unwritten))
    case .user, .app, .host: #expect(said.place == .nowhere)
    }

    // The recorded lines, explained with the state at their instants.
    var follower = TraceExplanations(policy: scenario.policy, header: run.trace.header)
    let followed = run.trace.lines.flatMap { follower.explanations(of: $0) }
    #expect(followed.contains(said), "\(followed)")

    // In a scenario, places in the file stand for places in a program.
    let expected = ViewTests.located(said, scenario, folder)
    let timeline = try CurfewProcess.run("simulate", "run.yaml", "--no-lines", in: folder)
    let lines = timeline.output.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let place = try #require(
      lines.lastIndex { ViewTests.isHeadline($0, of: item.reason) },
      "\(timeline.output)\(timeline.messages)")
    let notes = lines[(place + 1)...].prefix {
      $0.contains("because ") || $0.contains(": ") && $0.contains("to ")
    }
    #expect(
      notes.contains { $0 == "because \(expected)" || $0 == "\(item.reason): because \(expected)" },
      "\(notes) lack \(expected)")
    if let remedy = said.remedy {
      #expect(notes.contains { $0.hasSuffix(": \(remedy)") }, "\(notes) lack \(remedy)")
    }

    let json = try CurfewProcess.run("simulate", "run.yaml", "--json", in: folder)
    let object = try #require(
      ViewTests.entry(item.reason, try JSONSerialization.jsonObject(with: Data(json.output.utf8))),
      "\(json.output)")
    #expect(object["because"] as? String == expected)
    #expect(object["remedy"] as? String == said.remedy)
    try ViewTests.compare(object, said, folder)
  }

  @Test func `D1 the cases cover the whole vocabulary`() {
    let met = Set(ViewCase.all.map(\.reason))
    let denials = DenialReasons.all.map { Explanation.Reason.denial(Denials($0)) }
    let ends = TerminationReason.allCases.map(Explanation.Reason.termination)
    let refusals = TaskRequestError.allCases.map(Explanation.Reason.refusal)
    let words =
      denials + ends + refusals + Diagnostic.allCases.map(Explanation.Reason.diagnostic) + [
        .memoryWarning
      ]
    #expect(met == Set(words))
    #expect(Set(ViewCase.all.map(\.owner)) == Set(Explanation.Owner.allCases))
  }

  /// The text of `said` with places in the scenario, because a program has no places.
  private static func located(_ said: Explanation, _ scenario: Scenario, _ folder: TemporaryFolder)
    -> String
  {
    let app =
      said.reason == .diagnostic(.illegalEvent)
      ? scenario.timeline[scenario.timeline.count - 1].step.place : scenario.apps[0].place
    let place = said.fact.owner == .device ? "run.yaml" : "run.yaml:\(app.line):\(app.column)"
    if said.reason == .diagnostic(.illegalEvent) {
      return said.because.replacingOccurrences(of: "(no value says so)", with: "(\(place))")
    }
    return said.because.replacingOccurrences(of: folder.url.path + "/", with: "")
      .replacingOccurrences(
        of: "(in no file)", with: "(\(place))")
  }

  private static func isLocated(_ place: Explanation.Place) -> Bool {
    if case .at = place { true } else { false }
  }

  private static func isHeadline(_ line: String, of reason: Explanation.Reason) -> Bool {
    switch reason {
    case .denial(let reason):
      line.contains("✗") && line.contains("denied: ") && line.contains(reason.description)
    case .refusal(let error):
      line.contains("✗ request") && line.hasSuffix("refused: \(error.fileName)")
    case .termination(let reason): line.contains("✗ terminated: \(reason.fileName)")
    case .diagnostic(let diagnostic): line.contains("! \(diagnostic.fileName)")
    case .memoryWarning: line.hasSuffix("applicationDidReceiveMemoryWarning:")
    }
  }

  private static func entry(_ reason: Explanation.Reason, _ summary: Any) -> [String: Any]? {
    let summary = summary as? [String: Any]
    func list(_ key: String) -> [[String: Any]] { summary?[key] as? [[String: Any]] ?? [] }
    let entries =
      switch reason {
      case .denial: list("denials").flatMap { $0["reasons"] as? [[String: Any]] ?? [] }
      case .refusal: list("refusals")
      case .termination: list("terminations")
      case .diagnostic: list("remarks")
      case .memoryWarning: list("warnings")
      }
    return entries.last { $0["reason"] as? String == "\(reason)" }
  }

  /// Compares the value, its place, its certainty and the other properties.
  private static func compare(
    _ object: [String: Any], _ said: Explanation, _ folder: TemporaryFolder
  ) throws {
    let facts = object["facts"] as? [[String: Any]] ?? []
    let others = (said.fact.owner == .policy ? [] : [said.fact]) + said.others
    #expect(facts.map { $0["key"] as? String } == others.map(\.key))
    #expect(facts.map { $0["owner"] as? String } == others.map(\.owner.rawValue))
    #expect(facts.map { $0["value"] as? String } == others.map(\.value))
    #expect(facts.allSatisfy { $0["file"] != nil }, "each has a place, or null for none")
    guard said.fact.owner == .policy else {
      #expect(object["policy"] == nil)
      return
    }
    let policy = try #require(object["policy"] as? [String: Any])
    #expect(policy["path"] as? String == said.fact.key)
    #expect(policy["value"] as? String == said.fact.value)
    #expect(policy["confidence"] as? String == said.fact.confidence?.rawValue)
    guard case .at(let place) = said.place else {
      return #expect(Bool(false), "\(said.fact) has no place")
    }
    #expect(
      policy["file"] as? String
        == place.file.replacingOccurrences(of: folder.url.path + "/", with: ""))
    #expect(policy["line"] as? Int == place.line && policy["column"] as? Int == place.column)
  }
}
