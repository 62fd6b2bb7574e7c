import CurfewEngine
import CurfewText

/// What one policy file writes itself, or a chain of them: values by path, not yet known to be complete.
struct PolicyLayer: Sendable {
  /// Values by path.
  var entries: [String: PolicyEntry] = [:]
  /// Where each mapping of values first stands: `tasks`, `wakes`, `wakes.fetch`.
  var groups: [String: SourcePlace] = [:]
  /// The texts that short keys stand for.
  var sources: [String: String] = [:]

  /// A file's own values; `inherited` explains the short keys of its parents.
  init(of root: SourceNode, inherited: [String: String]) {
    sources = inherited
    for pair in root["sources"]?.pairs ?? [] { sources[pair.key] = pair.value.text }
    read(root, PolicySchema.values, path: "", Provenance.of(root, around: Provenance(), sources: sources))
  }

  /// These values over the parent's: one by one, not mapping by mapping.
  func over(_ parent: PolicyLayer) -> PolicyLayer {
    var result = self
    result.entries.merge(parent.entries) { own, _ in own }
    result.groups.merge(parent.groups) { own, _ in own }
    return result
  }

  private mutating func read(_ node: SourceNode, _ record: Record, path: String, _ outer: Provenance) {
    for pair in node.pairs {
      guard let field = record.field(pair.key) else { continue }
      let path = path + pair.key
      switch field.shape {
      case .record(let inner):
        groups[path] = pair.keyPlace
        read(pair.value, inner, path: path + ".", Provenance.of(pair.value, around: outer, sources: sources))
      case .dictionary(.words(let words, _, _), .record(let row)):
        groups[path] = pair.keyPlace
        let outer = Provenance.of(pair.value, around: outer, sources: sources)
        for pair in pair.value.pairs where words.contains(pair.key) {
          let path = path + "." + pair.key
          groups[path] = pair.keyPlace
          read(pair.value, row, path: path + ".", Provenance.of(pair.value, around: outer, sources: sources))
        }
      case .sourced:
        guard let text = pair.value.canonical(field.shape) else { continue }
        let value = pair.value["value"] ?? pair.value
        let provenance = Provenance.of(pair.value, around: outer, sources: sources)
        entries[path] = PolicyEntry(
          path: path, text: text.isEmpty ? "none" : text, place: value.place, source: provenance.source, confidence: provenance.confidence)
      default:
        continue
      }
    }
  }
}
