public import CurfewPolicy
public import CurfewText

extension Scenario {
  /// Reads the scenario file at `path`, and its policy unless there is an `override`.
  ///
  /// - Throws: All errors in either file.
  public static func load(_ path: String, policy override: PolicyFile? = nil) throws(FileErrors)
    -> Scenario
  {
    try decode(try SourceFile.read(path), policy: override)
  }

  /// Reads the scenario in `source`. The policy's path is relative to the name of `source`.
  public static func decode(_ source: SourceFile, policy override: PolicyFile? = nil)
    throws(FileErrors) -> Scenario
  {
    var reader = ScenarioReader(source, policy: override)
    do { return try reader.read() } catch { throw error.quoting(source) }
  }

  /// The policy that the scenario in `source` names; nil if the policy cannot be read, which
  /// `decode` reports as an error.
  package static func policy(namedIn source: SourceFile) -> PolicyFile? {
    var findings = Findings()
    guard let node = SourceDocument.parse(source, &findings)?["policy"], let name = node.text,
      !name.isEmpty
    else { return nil }
    return try? PolicyFile.load(name, at: node.place)
  }

  /// The JSON Schema of scenario files, written from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(ScenarioSchema.file, title: "Curfew scenario")
  }

  /// The scenario that is built into Curfew: a phone's day.
  public static func shippedDay(policy override: PolicyFile? = nil) throws(FileErrors) -> Scenario {
    try decode(try shippedDaySource(), policy: override)
  }

  /// The text of the built-in scenario.
  package static func shippedDaySource() throws(FileErrors) -> SourceFile {
    let path = "Policies/day.yaml"
    guard let bytes = ShippedFiles.bytes(of: path) else {
      preconditionFailure("The built-in scenario is missing")
    }
    return try SourceFile(name: path, bytes: bytes)
  }
}
