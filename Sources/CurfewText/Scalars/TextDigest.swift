/// Sixteen hex digits that stand for a text.
///
/// FNV-1a, because it is eight lines and the same everywhere; it tells texts apart that differ by
/// accident, and protects from nobody.
package struct TextDigest: Sendable {
  private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  private var hash = TextDigest.offsetBasis

  /// Of no text yet.
  package init() {}

  /// Goes on with `text`.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* TextDigest.prime }
  }

  /// The digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
