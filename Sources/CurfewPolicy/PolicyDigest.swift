import CurfewText

/// Computes the sixteen hex digits that identify a policy's values.
enum PolicyDigest {
  /// The digest of `path=value` for each entry, a line each.
  static func of(_ entries: [PolicyEntry]) -> String {
    var digest = TextDigest()
    for entry in entries { digest.add("\(entry.path)=\(entry.text)\n") }
    return digest.digits
  }
}
