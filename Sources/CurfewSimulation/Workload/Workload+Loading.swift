public import CurfewPolicy
public import CurfewText

extension Workload {
  /// Reads the workload file at `path`, its policy unless there is an `override`, and the files
  /// that it refers to.
  ///
  /// - Parameters:
  ///   - path: The path of the workload file.
  ///   - override: The policy to use instead of the one that the file names.
  ///   - settings: Values that replace those of the file. `device.memory` is the key `memory`
  ///     of the mapping `device`, and `daily.0.at` is a key of the first element. `text` is parsed
  ///     like the text after a key in the file.
  /// - Throws: All errors in any of these files. An error in a setting names the setting's path
  ///   instead of a file: `device.memory:1:1`.
  public static func load(
    _ path: String, policy override: PolicyFile? = nil, settings: [ValueSetting] = []
  ) throws(FileErrors) -> Workload {
    try decode(try SourceFile.read(path), policy: override, settings: settings)
  }

  /// Reads the workload in `source`. Relative paths are relative to the name of `source`.
  public static func decode(
    _ source: SourceFile, policy override: PolicyFile? = nil, settings: [ValueSetting] = []
  ) throws(FileErrors) -> Workload {
    var reader = WorkloadReader(source, policy: override, settings: settings)
    do { return try reader.read() } catch { throw error.quoting(source) }
  }

  /// The workload that is built into Curfew: a phone with forty apps that is used all day.
  public static func shippedPhone(policy override: PolicyFile? = nil) throws(FileErrors) -> Workload
  {
    guard let source = try shippedSource(named: "phone") else {
      preconditionFailure("The built-in workload 'phone' is missing")
    }
    return try decode(source, policy: override)
  }

  /// The text of a built-in workload; nil if there is none of that name.
  package static func shippedSource(named name: String) throws(FileErrors) -> SourceFile? {
    let path = "Policies/Workloads/\(name).yaml"
    guard let bytes = ShippedFiles.bytes(of: path) else { return nil }
    return try SourceFile(name: path, bytes: bytes)
  }

  /// Whether a file declares itself a workload, whatever other errors it has.
  package static func isWorkload(_ source: SourceFile) -> Bool { source.says("workload/") }

  /// The JSON Schema of workload files, generated from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(WorkloadSchema.file, title: "Curfew workload")
  }
}

extension Scenario {
  /// Whether a file declares itself a scenario, whatever other errors it has.
  package static func isScenario(_ source: SourceFile) -> Bool { source.says("scenario/") }
}

extension SourceFile {
  fileprivate func says(_ format: String) -> Bool {
    var findings = Findings()
    return SourceDocument.parse(self, &findings)?["curfew"]?.text?.hasPrefix(format) ?? false
  }
}
