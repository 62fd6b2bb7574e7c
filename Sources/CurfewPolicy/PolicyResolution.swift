import CurfewEngine
import CurfewText

/// The values of one tree merged over its parent's values: every value, in the language's order,
/// including the values that no file needs to write.
struct PolicyResolution {
  /// The values of the whole chain.
  let layer: PolicyLayer
  private(set) var entries: [PolicyEntry] = []
  /// The values as the engine takes them. They are valid only if no value is missing or wrong.
  private(set) var policy = Policy.unwritten

  /// The place where the tree of this policy starts.
  private let root: SourcePlace
  /// The places where this tree and those that are checked with it start.
  private let roots: [SourcePlace]
  private let hasParent: Bool
  private let tables: [PolicyTable]
  private var missing: [(path: String, place: SourcePlace)] = []

  /// - Parameter earlier: The trees that `parent` contains and that are checked only now.
  init(_ root: SourceNode, over parent: PolicyLayer?, besides earlier: [SourcePlace] = []) {
    let own = PolicyLayer(of: root, inherited: parent?.sources ?? [:])
    layer = parent.map(own.over) ?? own
    self.root = root.place
    roots = earlier.filter { $0.file != root.place.file } + [root.place]
    hasParent = parent != nil
    policy.names = layer.own.names
    policy.groups = policy.names.groups.map { _ in GroupRules() }
    tables = PolicyTable.all(layer.own)
    for table in tables where table.kind == nil || layer.groups[table.path] != nil {
      let place = place(of: table.path)
      for key in table.keys { add(key, of: table, around: place) }
    }
  }

  /// Throws the errors that were found in the tree, the missing values, and the conflicts.
  func check(_ found: Findings) throws(FileErrors) {
    var findings = found
    for root in roots { findings.add(PolicyNaming.findings(layer, tables, root: root)) }
    // A misspelt key is not also reported as missing.
    if findings.isSound { addGaps(to: &findings) }
    findings.add(PolicyConflicts(entries, tables, roots: roots).findings)
    try findings.throwIfAny(in: root.file)
  }

  /// The place in this file where a gap in the mapping at `path` can be filled, even if another
  /// file began the mapping.
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

  /// Reports one error for each incomplete mapping, with the names of all its missing values.
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
    if paths.allSatisfy({ $0.hasPrefix("'facts.") }) {
      return "a fact belongs to the device or to an app"
    }
    if paths.allSatisfy({ $0.hasPrefix("'tasks.") }) {
      return "where 'multitasking' is true, tasks need every value"
    }
    let row = tables.first { $0.keys.contains { paths.contains("'\($0.path)'") } }
    let needed = row?.keys.filter { $0.absent == nil }.map(\.path) ?? []
    return PolicyNaming.needs(
      of: needed.compactMap { $0.split(separator: ".").last.map(String.init) })
  }
}
