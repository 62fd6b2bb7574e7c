import Foundation

/// Compares a line with one that was derived by hand, which has only the keys that lines had at
/// that time.
///
/// A key that no derived trace has in lines of its type was added later, and is ignored. Every
/// other key must be present or absent as derived.
enum DerivedLine {
  static func isSame(_ found: String, _ derived: String) -> Bool {
    if found == derived { return true }
    guard let found = object(found), let derived = object(derived),
      let type = derived["type"] as? String
    else { return false }
    return NSDictionary(dictionary: found.filter { known[type]?.contains($0.key) ?? false })
      == NSDictionary(dictionary: derived)
  }

  /// The keys of each line type in derived traces. They are read when a line differs.
  private static let known: [String: Set<String>] = RuleCase.all.reduce(into: [:]) { known, rule in
    for line in (try? rule.expectedLines().lines) ?? [] {
      guard let line = object(line), let type = line["type"] as? String else { continue }
      known[type, default: []].formUnion(line.keys)
    }
  }

  private static func object(_ line: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
  }
}
