import CurfewText
import Foundation
import GRDB
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// The page about results makes only true statements.
@Suite(.inTurn) struct ResultsPageTests {
  private static func page(_ name: String) throws -> String {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: repository.appendingPathComponent("Documentation/formats/\(name).md"),
      encoding: .utf8)
  }

  @Test func `every query on the page returns rows`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    // An app whose fetches are denied, so that there are denials.
    let experiment = try small.experiment([("seed: 5", "seed: 5\npolicy: denying.yaml")])
    _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
    let queries = try Self.page("results").components(separatedBy: "```sql\n").dropFirst()
      .compactMap {
        $0.components(separatedBy: "```").first
      }
    #expect(queries.count == 6)
    let results = try ResultsFile.read(small.path("results"))
    for query in queries {
      let rows = try results.read { try Row.fetchAll($0, sql: query) }
      #expect(!rows.isEmpty, "\(query)")
    }
  }

  @Test func `the pages name every table, view, column, key and verdict`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let results = try ResultsFile.open(small.path("results"), for: small.experiment())
    let page = try Self.page("results")
    let names = try results.read { database in
      try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        + String.fetchAll(
          database,
          sql: """
            SELECT column.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS column
            WHERE s.type = 'view' OR s.name IN ('experiment', 'setting') AND column.name <> 'id' AND column.name <> 'variant'
            """)
    }
    for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    let format = try Self.page("experiment")
    for field in ExperimentSchema.file.keys where field != "curfew" {
      #expect(format.contains("`\(field)`"), "\(field)")
    }
    for verdict in Verdict.names { #expect(format.contains("`\(verdict)`"), "\(verdict)") }
  }
}
