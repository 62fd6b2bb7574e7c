import CurfewEngine
import CurfewText

extension PolicyFile {
  /// This policy as a file without a parent, with every value that this policy or a parent writes.
  /// Loading the file gives the same digest.
  ///
  /// Values that no file writes, sources and comments are left out. `entries` have the sources;
  /// the original files have the sources and the comments.
  public var text: String {
    var lines = ["curfew: \(PolicySchema.version)", "name: \(name.writtenScalar)"]
    if let about { lines.append("about: \(about.writtenScalar)") }
    if !layer.own.modes.isEmpty { lines += ["", "modes:"] }
    for mode in layer.own.modes.sorted() {
      lines.append("  \(mode): \((layer.modeSentences[mode] ?? mode).writtenScalar)")
    }
    var open: ArraySlice<Substring> = []
    var silent: Set<Substring> = ["sessions", "wakes"]
    for entry in entries where layer.entries[entry.path] != nil || entry.isGroupsRank {
      let keys = entry.path.split(separator: ".")[...]
      let outer = keys.dropLast()
      if outer != open {
        let shared = zip(outer, open).prefix { $0 == $1 }.count
        if shared == 0, !outer.isEmpty { lines.append("") }
        for (depth, key) in outer.enumerated().dropFirst(shared) {
          lines.append(PolicyFile.indent(depth) + "\(key):")
          if depth == 0, silent.remove(key) != nil { lines += removedRows(key) }
        }
        open = outer
      }
      lines.append(PolicyFile.indent(outer.count) + "\(keys.last ?? ""): \(entry.written)")
    }
    for group in silent.sorted() where !removedRows(group).isEmpty {
      lines += ["", "\(group):"] + removedRows(group)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Removed rows of kinds that are not standard. The text keeps their names known, so that
  /// a request for such a kind is denied.
  private func removedRows(_ group: Substring) -> [String] {
    let standard = PolicyNames()
    let names = layer.removed.keys.filter { $0.hasPrefix(group + ".") }.map {
      String($0.dropFirst(group.count + 1))
    }
    return names.filter { standard.kind(KindName(rawValue: $0)) == nil }.sorted().map {
      "  \($0): none"
    }
  }

  private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

  /// Whether a file of the chain, or a program, writes the value of `entry`. If not, the value
  /// is the key's `absent` value.
  package func isWritten(_ entry: PolicyEntry) -> Bool { layer.entries[entry.path] != nil }
}

extension PolicyEntry {
  /// Whether this is a group's rank. A group needs no value, but its rank is always written, so
  /// that the group exists.
  fileprivate var isGroupsRank: Bool { path.hasPrefix("groups.") && path.hasSuffix(".rank") }

  /// The value as a file has it: a list in brackets, a size in its largest unit.
  package var written: String { text.contains(", ") ? "[\(text)]" : SizeText.readable(text) }
}
