import CurfewEngine
import CurfewText

/// Makes a chain's values complete, in the language's order, with what need not be written.
struct PolicyResolution {
  /// The values of the whole chain.
  let layer: PolicyLayer
  /// The file whose policy this is, and where it starts.
  let root: SourcePlace
  /// Whether there is a parent.
  let hasParent: Bool

  private(set) var entries: [PolicyEntry] = []
  /// What does not fit together.
  private(set) var conflicts = Findings()
  /// What is not there.
  private(set) var gaps = Findings()
  private var missing: [(path: String, place: SourcePlace)] = []

  init(_ layer: PolicyLayer, root: SourcePlace, hasParent: Bool) {
    self.layer = layer
    self.root = root
    self.hasParent = hasParent
    for field in PolicySchema.values.fields { add(field) }
    reportMissing()
    conflicts = PolicyConflicts(entries, root: root).findings
  }

  private mutating func add(_ field: Field) {
    switch field.shape {
    case .record(let record):
      add(record, path: field.name)
    case .dictionary(.words(let words, _, _), .record(let row)):
      for word in words where layer.groups["\(field.name).\(word)"] != nil { add(row, path: "\(field.name).\(word)") }
    default:
      add(field.name, path: field.name, around: root)
    }
  }

  private mutating func add(_ record: Record, path: String) {
    for field in record.fields {
      guard case .sourced = field.shape else { continue }
      add(field.name, path: "\(path).\(field.name)", around: place(of: path))
    }
  }

  /// Where a gap in the mapping at `path` is to be filled: in this very file, whoever began the mapping.
  private func place(of path: String) -> SourcePlace {
    let candidates = [layer.groups[path], path == "tasks" ? layer.entries["multitasking"]?.place : nil]
    return candidates.compactMap(\.self).first { $0.file == root.file } ?? root
  }

  private mutating func add(_ key: String, path: String, around place: SourcePlace) {
    if let entry = layer.entries[path] { return entries.append(entry) }
    if path.hasPrefix("tasks."), let flag = layer.entries["multitasking"], flag.text == "false" {
      return fill(path, PolicySchema.noTasks[key] ?? "none", flag.place)
    }
    if let text = PolicySchema.absent(path) {
      let group = path.split(separator: ".").dropLast().joined(separator: ".")
      return fill(path, text, layer.groups[group] ?? place)
    }
    missing.append((path, place))
  }

  private mutating func fill(_ path: String, _ text: String, _ place: SourcePlace) {
    entries.append(PolicyEntry(path: path, text: text, place: place, source: nil, confidence: nil))
  }

  /// One error for each mapping that lacks something, naming all of it.
  private mutating func reportMissing() {
    var places: [SourcePlace] = []
    for item in missing where !places.contains(item.place) { places.append(item.place) }
    for place in places {
      let paths = missing.filter { $0.place == place }.map { "'\($0.path)'" }
      gaps.error(at: place, "missing \(paths.joined(separator: ", ")); \(reason(for: paths))")
    }
  }

  private func reason(for paths: [String]) -> String {
    if !hasParent { return "a policy without 'extends' needs every value" }
    if paths.allSatisfy({ $0.hasPrefix("'tasks.") }) { return "where 'multitasking' is true, tasks need every value" }
    return "a row that no parent has needs every value"
  }
}
