import CurfewEngine
import CurfewText

/// The values that one policy file, or a chain of them, writes, by path. They may be incomplete.
struct PolicyLayer: Sendable {
  /// Values by path.
  var entries: [String: PolicyEntry] = [:]
  /// The place where each mapping of values first occurs: `tasks`, `wakes`, `wakes.fetch`.
  var groups: [String: SourcePlace] = [:]
  /// The place where a parent's row is removed.
  var removed: [String: SourcePlace] = [:]
  /// The names that are declared beside the standard ones.
  var own = OwnNames()
  /// The sentence for each declared mode.
  var modeSentences: [String: String] = [:]
  /// The places of the words of lists, by path and word.
  var words: [String: [String: SourcePlace]] = [:]
  /// The texts behind short keys.
  var sources: [String: String] = [:]

  /// Creates a layer without values.
  init() {}

  /// Creates a file's own layer; `inherited` explains the short keys of its parents.
  init(of root: SourceNode, inherited: [String: String]) {
    sources = inherited
    for pair in root["sources"]?.pairs ?? [] { sources[pair.key] = pair.value.text }
    read(
      root, PolicySchema.values, path: "",
      Provenance.of(root, around: Provenance(), sources: sources))
  }

  /// Returns these values merged over the parent's, value by value and not mapping by mapping.
  func over(_ parent: PolicyLayer) -> PolicyLayer {
    var result = self
    result.entries.merge(parent.entries.filter { !isRemoved($0.key) }) { own, _ in own }
    result.groups.merge(parent.groups.filter { !isRemoved($0.key) }) { own, _ in own }
    result.removed.merge(parent.removed.filter { groups[$0.key] == nil }) { own, _ in own }
    result.own = own.union(parent.own)
    result.modeSentences.merge(parent.modeSentences) { own, _ in own }
    return result
  }

  /// Whether the parent's value at `path` is removed.
  private func isRemoved(_ path: String) -> Bool {
    !removed.isEmpty && removed[path.split(separator: ".").prefix(2).joined(separator: ".")] != nil
  }

  private mutating func read(
    _ node: SourceNode, _ record: Record, path: String, _ outer: Provenance
  ) {
    for pair in node.pairs {
      guard let field = record.field(pair.key) else { continue }
      let path = path + pair.key
      switch field.shape {
      case .record(let inner):
        groups[path] = pair.keyPlace
        read(
          pair.value, inner, path: path + ".",
          Provenance.of(pair.value, around: outer, sources: sources))
      case .dictionary(.names(_, _, let besides), let row):
        groups[path] = pair.keyPlace
        let outer = Provenance.of(pair.value, around: outer, sources: sources)
        for row in pair.value.pairs
        where !besides.contains(where: { $0.name == row.key }) && NameText.isSound(row.key) {
          note(row.key, of: path)
          if path == "modes" { modeSentences[row.key] = row.value.text }
          groups[path + "." + row.key] = row.keyPlace
        }
        guard let record = row.record else { continue }
        for pair in pair.value.pairs where !besides.contains(where: { $0.name == pair.key }) {
          readRow(pair, record, path: path + "." + pair.key, outer)
        }
      case .sourced:
        guard let text = pair.value.canonical(field.shape) else { continue }
        let value = pair.value["value"] ?? pair.value
        let provenance = Provenance.of(pair.value, around: outer, sources: sources)
        for element in value.elements {
          if let word = element.text {
            words[path, default: [:]][element.canonical(field.shape) ?? word] = element.place
          }
        }
        entries[path] = PolicyEntry(
          path: path, text: text.isEmpty ? "none" : text, place: value.place,
          source: provenance.source, confidence: provenance.confidence)
      default:
        continue
      }
    }
  }

  private mutating func readRow(
    _ pair: SourceNode.Pair, _ record: Record, path: String, _ outer: Provenance
  ) {
    if pair.value.text == "none" {
      removed[path] = pair.keyPlace
      groups[path] = nil
    } else {
      read(
        pair.value, record, path: path + ".",
        Provenance.of(pair.value, around: outer, sources: sources))
    }
  }

  /// Records the name of a row or a declaration. A name that is not standard is the policy's own.
  private mutating func note(_ name: String, of group: String) {
    let standard = PolicyNames()
    switch group {
    case "sessions" where standard.kind(KindName(rawValue: name)) == nil: own.sessions.insert(name)
    case "wakes" where standard.kind(KindName(rawValue: name)) == nil: own.wakes.insert(name)
    case "modes" where standard.mode(name) == nil: own.modes.insert(name)
    case "facts" where standard.fact(name) == nil: own.facts.insert(name)
    case "groups": own.groups.insert(name)
    default: break
    }
  }
}

extension Shape {
  /// The mapping of this shape; nil if it has none.
  fileprivate var record: Record? {
    switch self {
    case .record(let record): record
    case .named(_, let shape): shape().record
    case .either(let shapes): shapes.lazy.compactMap(\.record).first
    default: nil
    }
  }
}
