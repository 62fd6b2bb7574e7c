import CurfewFiles
import Foundation
import Testing

/// To write the schema files again after a change of the declarations:
/// `CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests`
@Suite struct SchemaTests {
  @Test(arguments: JSONSchema.allCases) func `the schema in the documentation is the one that the declarations give`(_ schema: JSONSchema)
    throws
  {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("Documentation/schemas/\(schema.rawValue).schema.json")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_SCHEMAS"] != nil {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(schema.text.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(written == schema.text, "CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes it again")
  }

  @Test(arguments: JSONSchema.allCases) func `a schema is JSON and refuses keys that it does not know`(_ schema: JSONSchema) throws {
    let value = try JSONSerialization.jsonObject(with: Data(schema.text.utf8))
    let object = try #require(value as? [String: Any])
    #expect(object["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    #expect(object["additionalProperties"] as? Bool == false)
  }

  @Test func `a schema is the same each time`() {
    #expect(JSONSchema.scenario.text == JSONSchema.scenario.text)
  }
}
