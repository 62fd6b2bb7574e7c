import CurfewEngine
import Foundation
import TestRuns
import Testing

/// To rewrite the page after a change to the transition table or its
/// texts: `CURFEW_WRITE_STATES=1 swift test --filter StatesPageTests`
@Suite(.inTurn) struct StatesPageTests {
  @Test func `the page of states agrees with the transition table`() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("Documentation/states.md")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_STATES"] != nil {
      try Data(StatesPage.text.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(
      written == StatesPage.text,
      "CURFEW_WRITE_STATES=1 swift test --filter StatesPageTests writes it again")
  }

  @Test func `the page has every transition, and a reason for every pair without one`() {
    #expect(StatesPage.legal.compactMap(\.row) == Transition.allCases)
    for pair in StatesPage.pairs {
      #expect((pair.row == nil) == (StatesPage.obstacle(pair) != nil), "\(pair.from) → \(pair.to)")
    }
  }

  @Test func `T9, the way back from suspension, consists of legal transitions`() {
    let rows = zip(StatesPage.wayBack, StatesPage.wayBack.dropFirst()).map { $0.transition(to: $1) }
    #expect(rows == [.t8, .t6, .t3])
  }
}
