import CurfewAnalysis
import Foundation
import TestRuns
import Testing

@testable import CurfewPolicy

/// To rewrite the page after a change to the
/// table: `CURFEW_WRITE_KEYS=1 swift test --filter PolicyKeysPageTests`
@Suite(.inTurn) struct PolicyKeysPageTests {
  @Test func `the page of keys agrees with the table`() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("Documentation/formats/policy-keys.md")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_KEYS"] != nil {
      try Data(PolicyKeysPage.text.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(
      written == PolicyKeysPage.text,
      "CURFEW_WRITE_KEYS=1 swift test --filter PolicyKeysPageTests writes it again")
  }

  @Test func `the page has every key and every row`() {
    for table in PolicyTable.standard {
      for key in table.keys {
        #expect(PolicyKeysPage.text.contains("| `\(key.name)` | "), "\(key.path)")
      }
      if table.kind != nil {
        #expect(
          PolicyKeysPage.text.contains("`\(table.path.split(separator: ".")[1])`"), "\(table.path)")
      }
    }
  }

  @Test func `the texts of differences name existing keys`() {
    let paths = Set(
      PolicyTable.all(OwnNames(groups: ["rare"])).flatMap(\.keys).map {
        DifferenceWords.pattern($0.path)
      })
    for path in DifferenceWords.phrases.keys.sorted() { #expect(paths.contains(path), "\(path)") }
    for phrase in DifferenceWords.phrases.values.sorted() {
      #expect(phrase.split(separator: "%", omittingEmptySubsequences: false).count == 2)
    }
  }
}
