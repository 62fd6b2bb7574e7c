/// Sixteen hex digits that stand for a policy's values.
///
/// FNV-1a, because it is eight lines and the same everywhere; it tells policies apart that differ by accident, and protects from nobody.
enum PolicyDigest {
  private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  /// The digest of `path=value` for each entry, a line each.
  static func of(_ entries: [PolicyEntry]) -> String {
    var hash = offsetBasis
    for entry in entries {
      for byte in "\(entry.path)=\(entry.text)\n".utf8 { hash = (hash ^ UInt64(byte)) &* prime }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
