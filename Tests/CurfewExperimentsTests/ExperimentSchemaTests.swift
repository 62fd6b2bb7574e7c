import CurfewExperiments
import Foundation
import TestRuns
import Testing

/// To rewrite the schema file after a change to the
/// declarations: `CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests`
@Suite(.inTurn) struct ExperimentSchemaTests {
  @Test func `the schema in the documentation is the one that the declarations give`() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("Documentation/schemas/experiment.schema.json")
    if ProcessInfo.processInfo.environment["CURFEW_WRITE_SCHEMAS"] != nil {
      try Data(Experiment.jsonSchema.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(
      written == Experiment.jsonSchema,
      "CURFEW_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes it again")
  }

  /// Reads the shipped experiments, with all files that they name.
  @Test func `shipped experiments are sound and warn of nothing`() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = repository.appendingPathComponent("Policies/Experiments")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yaml")
    }.sorted()
    #expect(files.count >= 6)
    for file in files {
      let experiment = try Experiment.load(folder.appendingPathComponent(file).path)
      #expect(experiment.question?.hasSuffix("?") ?? false, "\(file)")
      #expect(
        !experiment.published.isEmpty && experiment.warnings.isEmpty,
        "\(file): \(experiment.warnings)")
    }
  }
}
