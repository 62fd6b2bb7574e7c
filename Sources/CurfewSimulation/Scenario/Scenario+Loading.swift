public import CurfewPolicy
public import CurfewText
import ShippedPolicies

extension Scenario {
  /// Reads the scenario file at `path`, and the policy that it names unless there is an `override`.
  ///
  /// Throws everything that is wrong with either.
  public static func load(_ path: String, policy override: PolicyFile? = nil) throws(FileErrors) -> Scenario {
    try decode(try SourceFile.read(path), policy: override)
  }

  /// Reads the scenario in `source`, whose name is where the policy's relative path starts.
  public static func decode(_ source: SourceFile, policy override: PolicyFile? = nil) throws(FileErrors) -> Scenario {
    var reader = ScenarioReader(source, policy: override)
    return try reader.read()
  }

  /// The JSON Schema of scenario files, written from the declarations that check them.
  package static var jsonSchema: String { JSONSchema.text(ScenarioSchema.file, title: "Curfew scenario") }

  /// The scenario that every copy of Curfew carries: a phone's day.
  public static func shippedDay(policy override: PolicyFile? = nil) throws(FileErrors) -> Scenario {
    try decode(try SourceFile(name: "Policies/day.yaml", bytes: ShippedPolicies.day), policy: override)
  }
}
