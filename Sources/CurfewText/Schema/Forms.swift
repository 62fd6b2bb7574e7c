/// A mapping in which one of several keys decides which other keys there are.
package struct Forms: Sendable {
  /// What messages call such a mapping.
  package var what: String
  /// Where a mapping has several of the keys, the first of these decides.
  package var cases: [Form]

  package init(what: String, _ cases: [Form]) { (self.what, self.cases) = (what, cases) }

  /// What one key takes.
  package struct Form: Sendable {
    package var key: String
    /// A mapping with this key in it: a record, or variants of which it is the tag.
    package var shape: Shape

    package init(_ key: String, _ shape: Shape) { (self.key, self.shape) = (key, shape) }
  }

  /// The form that a mapping with these keys has.
  package func form(of pairs: [SourceNode.Pair]) -> Form? {
    cases.first { form in pairs.contains { $0.key == form.key } }
  }

  /// The keys that there are in any of them.
  var allKeys: Set<String> {
    cases.reduce(into: []) { keys, form in
      switch form.shape {
      case .record(let record): keys.formUnion(record.keys)
      case .variants(let variants):
        keys.formUnion(variants.common.map(\.name) + variants.cases.flatMap(\.record.keys))
      default: break
      }
    }
  }
}
