import CurfewPolicy
import CurfewSimulation
import Foundation
import TestRuns
import Testing

/// To rewrite the schema files after a change to the
/// declarations: `CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests`
@Suite(.inTurn) struct SchemaTests {
  /// The kinds of files with a schema.
  enum Kind: String, CaseIterable {
    case policy, scenario, workload

    var schema: String {
      switch self {
      case .policy: PolicyFile.jsonSchema
      case .scenario: Scenario.jsonSchema
      case .workload: Workload.jsonSchema
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `the schema in the documentation is the one that the declarations give`(_ kind: Kind)
    throws
  {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent(
      "Documentation/schemas/\(kind.rawValue).schema.json")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_SCHEMAS"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(kind.schema.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(
      written == kind.schema,
      "CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes it again")
  }

  @Test(arguments: Kind.allCases) func `a schema is JSON and refuses unknown keys`(
    _ kind: Kind
  ) throws {
    let value = try JSONSerialization.jsonObject(with: Data(kind.schema.utf8))
    let object = try #require(value as? [String: Any])
    #expect(object["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    #expect(object["additionalProperties"] as? Bool == false)
  }

  @Test func `a workload's columns may be numbers, which editors do not read as text`() throws {
    let value = try JSONSerialization.jsonObject(with: Data(Workload.jsonSchema.utf8))
    func member(_ value: Any?, _ path: String...) -> [String: Any] {
      path.reduce(value as? [String: Any] ?? [:]) { $0[$1] as? [String: Any] ?? [:] }
    }
    func types(_ column: [String: Any]) -> [String] {
      (column["anyOf"] as? [[String: Any]] ?? []).compactMap { $0["type"] as? String }
    }
    let columns = member(value, "properties", "usage", "properties", "columns", "properties")
    for name in ["time", "user", "app", "event", "rank"] {
      #expect(types(member(columns, name)) == ["string", "integer"], "\(name)")
    }
    let duration = member(columns, "duration")
    #expect(types(duration) == ["string", "integer", "object"])
    let record = (duration["anyOf"] as? [[String: Any]])?.last
    #expect(types(member(record, "properties", "column")) == ["string", "integer"])
  }

  @Test func `a schema is the same each time`() {
    #expect(Scenario.jsonSchema == Scenario.jsonSchema)
  }
}
