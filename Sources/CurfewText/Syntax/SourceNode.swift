/// A value in a file as written: a mapping, a list or a scalar, with its place.
package struct SourceNode: Sendable {
  package var place: SourcePlace
  package var content: Content

  /// The content of a node.
  package enum Content: Sendable {
    /// Keys and values in the order of the file; no key occurs twice.
    case mapping([Pair])
    case list([SourceNode])
    case scalar(Scalar)
  }

  /// A key and its value.
  package struct Pair: Sendable {
    package var key: String
    package var keyPlace: SourcePlace
    package var value: SourceNode
  }

  /// A scalar's text. Quotes matter only to words that would mean something else without them.
  package struct Scalar: Hashable, Sendable {
    package var text: String
    package var isQuoted: Bool

    /// Whether it is empty, or one of YAML's null values.
    package var isNothing: Bool { !isQuoted && (text.isEmpty || text == "~" || text == "null") }
    /// Whether it is a word that some readers of YAML take for a boolean.
    package var isBareSwitch: Bool {
      !isQuoted && ["yes", "no", "on", "off"].contains(text.lowercased())
    }
  }

  /// The keys and values, if this is a mapping; otherwise empty.
  package var pairs: [Pair] {
    if case .mapping(let pairs) = content { pairs } else { [] }
  }

  /// The elements, if this is a list; otherwise empty.
  package var elements: [SourceNode] {
    if case .list(let elements) = content { elements } else { [] }
  }

  /// The scalar, if this is one.
  package var scalar: Scalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  /// The text, if this is a scalar.
  package var text: String? { scalar?.text }

  /// The value of a mapping's key; nil if there is none.
  package subscript(key: String) -> SourceNode? { pairs.first { $0.key == key }?.value }

  /// The value as messages describe it: `'30'`, `a list`, `nothing`.
  package var found: String {
    switch content {
    case .mapping: "a mapping"
    case .list: "a list"
    case .scalar(let scalar): scalar.isNothing ? "nothing" : "'\(scalar.text.prefix(80))'"
    }
  }
}
