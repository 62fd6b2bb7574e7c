/// A mapping in which one of several keys decides which other keys are allowed.
package struct Forms: Sendable {
  /// The name of such a mapping in messages.
  package var what: String
  /// The forms. If a mapping has several of the keys, the first form decides.
  package var cases: [Form]

  package init(what: String, _ cases: [Form]) { (self.what, self.cases) = (what, cases) }

  /// The form of a mapping with one of the keys.
  package struct Form: Sendable {
    package var key: String
    /// The shape of a mapping with this key: a record, or variants whose tag is the key.
    package var shape: Shape

    package init(_ key: String, _ shape: Shape) { (self.key, self.shape) = (key, shape) }
  }

  /// The form of a mapping with these keys.
  package func form(of pairs: [SourceNode.Pair]) -> Form? {
    cases.first { form in pairs.contains { $0.key == form.key } }
  }

  /// The keys of all forms.
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
