public import CurfewPolicy
public import CurfewText

extension Workload {
  /// Reads the workload file at `path`, the policy that it names unless there is an `override`,
  /// and the files that it names.
  ///
  /// - Parameter settings: Values that stand in the place of the file's: `device.memory` is the key
  ///   `memory` of the mapping `device`, `daily.0.at` the first element's. What `text` means
  ///   is what a file has after the key.
  /// - Throws: Everything that is wrong with any of them. The place of what is set has the path as
  ///   its file: `device.memory:1:1`.
  public static func load(
    _ path: String, policy override: PolicyFile? = nil, settings: [ValueSetting] = []
  ) throws(FileErrors) -> Workload {
    try decode(try SourceFile.read(path), policy: override, settings: settings)
  }

  /// Reads the workload in `source`, whose name is where relative paths start.
  public static func decode(
    _ source: SourceFile, policy override: PolicyFile? = nil, settings: [ValueSetting] = []
  ) throws(FileErrors) -> Workload {
    var reader = WorkloadReader(source, policy: override, settings: settings)
    do { return try reader.read() } catch { throw error.quoting(source) }
  }

  /// The workload that every copy of Curfew carries: a phone with forty apps that is used all day.
  public static func shippedPhone(policy override: PolicyFile? = nil) throws(FileErrors) -> Workload
  {
    guard let source = try shippedSource(named: "phone") else {
      preconditionFailure("No workload 'phone' was shipped")
    }
    return try decode(source, policy: override)
  }

  /// The text of a built-in workload; nil where there is none of that name.
  package static func shippedSource(named name: String) throws(FileErrors) -> SourceFile? {
    let path = "Policies/Workloads/\(name).yaml"
    guard let bytes = ShippedFiles.bytes(of: path) else { return nil }
    return try SourceFile(name: path, bytes: bytes)
  }

  /// Whether a file says that it is a workload, whatever else is wrong with it.
  package static func isWorkload(_ source: SourceFile) -> Bool { source.says("workload/") }

  /// The JSON Schema of workload files, written from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(WorkloadSchema.file, title: "Curfew workload")
  }
}

extension Scenario {
  /// Whether a file says that it is a scenario, whatever else is wrong with it.
  package static func isScenario(_ source: SourceFile) -> Bool { source.says("scenario/") }
}

extension SourceFile {
  fileprivate func says(_ format: String) -> Bool {
    var findings = Findings()
    return SourceDocument.parse(self, &findings)?["curfew"]?.text?.hasPrefix(format) ?? false
  }
}
