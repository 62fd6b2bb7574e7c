/// Computes sixteen hex digits that identify a text.
///
/// It uses FNV-1a, which takes eight lines of code and gives the same result on every platform. The
/// digest distinguishes texts that differ by accident; it does not protect against an attacker.
package struct TextDigest: Sendable {
  private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  private var hash = TextDigest.offsetBasis

  /// Starts with the empty text.
  package init() {}

  /// Appends `text`.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* TextDigest.prime }
  }

  /// Appends a text's bytes in UTF-8.
  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* TextDigest.prime }
  }

  /// The digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
