import CurfewEngine
import CurfewText

/// What one tree of values says over its parent's: every value, in the language's order, with what
/// need not be written.
struct PolicyResolution {
  /// The values of the whole chain.
  let layer: PolicyLayer
  private(set) var entries: [PolicyEntry] = []
  /// The values as the engine takes them. They mean something where nothing is missing and
  /// nothing wrong.
  private(set) var policy = Policy.unwritten

  /// Where the tree whose policy this is starts.
  private let root: SourcePlace
  private let hasParent: Bool
  private let tables: [PolicyTable]
  private var missing: [(path: String, place: SourcePlace)] = []

  init(_ root: SourceNode, over parent: PolicyLayer?) {
    let own = PolicyLayer(of: root, inherited: parent?.sources ?? [:])
    layer = parent.map(own.over) ?? own
    self.root = root.place
    hasParent = parent != nil
    policy.names = layer.own.names
    policy.groups = policy.names.groups.map { _ in GroupRules() }
    tables = PolicyTable.all(layer.own)
    for table in tables where table.kind == nil || layer.groups[table.path] != nil {
      let place = place(of: table.path)
      for key in table.keys { add(key, of: table, around: place) }
    }
  }

  /// Throws what was found in the tree before, what is missing and what does not fit together.
  func check(_ found: Findings) throws(FileErrors) {
    var findings = found
    findings.add(PolicyNaming.findings(layer, tables, root: root))
    // A key that is misspelt is not missing as well.
    if findings.isSound { addGaps(to: &findings) }
    findings.add(PolicyConflicts(entries, tables, root: root).findings)
    try findings.throwIfAny(in: root.file)
  }

  /// Where a gap in the mapping at `path` is to be filled: in this very file, whoever began
  /// the mapping.
  private func place(of path: String) -> SourcePlace {
    let candidates = [
      layer.groups[path], path == "tasks" ? layer.entries["multitasking"]?.place : nil,
    ]
    return candidates.compactMap(\.self).first { $0.file == root.file } ?? root
  }

  private mutating func add(
    _ key: PolicyKey<Policy>, of table: PolicyTable, around place: SourcePlace
  ) {
    if let entry = layer.entries[key.path] { return add(entry, key) }
    if table.path == "tasks", let flag = layer.entries["multitasking"], flag.text == "false" {
      fill(key, key.write(.unwritten, policy.names), flag.place)
    } else if let text = key.absent {
      fill(key, text, layer.groups[table.path] ?? place)
    } else {
      missing.append((key.path, place))
    }
  }

  private mutating func fill(_ key: PolicyKey<Policy>, _ text: String, _ place: SourcePlace) {
    add(PolicyEntry(path: key.path, text: text, place: place, source: nil, confidence: nil), key)
  }

  private mutating func add(_ entry: PolicyEntry, _ key: PolicyKey<Policy>) {
    entries.append(entry)
    key.read(entry.text, &policy, policy.names)
  }

  /// One error for each mapping that lacks something, naming all of it.
  private func addGaps(to findings: inout Findings) {
    var places: [SourcePlace] = []
    for item in missing where !places.contains(item.place) { places.append(item.place) }
    for place in places {
      let paths = missing.filter { $0.place == place }.map { "'\($0.path)'" }
      findings.error(at: place, "missing \(paths.joined(separator: ", ")); \(reason(for: paths))")
    }
  }

  private func reason(for paths: [String]) -> String {
    if !hasParent { return "a policy without 'extends' needs every value" }
    if paths.allSatisfy({ $0.hasPrefix("'facts.") }) { return "a fact is the device's or an app's" }
    if paths.allSatisfy({ $0.hasPrefix("'tasks.") }) {
      return "where 'multitasking' is true, tasks need every value"
    }
    return "a row that no parent has needs every value"
  }
}
