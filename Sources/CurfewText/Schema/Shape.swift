/// What a value of a file may be. One declaration checks files and writes their JSON Schema.
package indirect enum Shape: Sendable {
  /// `30s`
  case duration
  /// `120MiB`
  case size
  /// A size up to a limit; `what` is what messages call that.
  case sizeUpTo(Int64, what: String)
  /// `80%`
  case percentage
  /// `150%`: a share of one processor core, of which there may be several.
  case share(upTo: UInt32)
  /// `true` or `false`
  case boolean
  /// `0x8badf00d`
  case code
  /// Digits, within a range.
  case wholeNumber(ClosedRange<Int64>)
  /// `1.2`, within a range.
  case decimal(ClosedRange<Int64>)
  /// Any text that is not empty.
  case text
  /// One of these words; `what` is what messages call it: "mode", "kind".
  case word([String], what: String)
  /// A name: one of these, or another that some file makes known. Whoever reads the file looks
  /// whether it is.
  case name([String], what: String)
  /// A value of such a shape, or a span of them: `3`, `3..5`, `3..`, `..5`.
  case span(Shape)
  /// Words of a small language of its own.
  case phrase(Phrase)
  /// A list of such values.
  case list(Shape)
  /// A mapping with these keys.
  case record(Record)
  /// A mapping with keys of one sort and values of one shape.
  case dictionary(Keys, Shape)
  /// Any of these.
  case either([Shape])
  /// The value, or a mapping of the value and what is said about it.
  case sourced(Shape, with: [Field])
  /// A mapping whose keys depend on a word in it.
  case variants(Variants)
  /// A mapping whose keys depend on which of several it has.
  case forms(Forms)
  /// A shape under a name, so that shapes may contain themselves.
  case named(String, @Sendable () -> Shape)

  /// The keys of a dictionary.
  package enum Keys: Sendable {
    /// Any text; `what` is what messages call it.
    case any(what: String)
    /// These words; `besides` are keys with shapes of their own.
    case words([String], what: String, besides: [Field] = [])
    /// These names, and any other; `besides` are keys with shapes of their own.
    case names([String], what: String, besides: [Field] = [])
  }
}

/// A text that says several things in one line: `10m in 2h`.
package struct Phrase: Sendable {
  /// What messages call it: "a budget".
  let what: String
  /// Some such texts.
  package let examples: [String]
  /// What editors check, a regular expression.
  let pattern: String
  /// The text as it is always written. Throws what it does not mean.
  let canonical: @Sendable (String) throws(Refusal) -> String

  package init(
    _ what: String, examples: [String], pattern: String,
    canonical: @escaping @Sendable (String) throws(Refusal) -> String
  ) {
    (self.what, self.examples) = (what, examples)
    self.pattern = pattern
    self.canonical = canonical
  }
}

/// A mapping with known keys.
package struct Record: Sendable {
  package var description: String
  package var fields: [Field]

  package init(_ description: String, _ fields: [Field]) {
    self.description = description
    self.fields = fields
  }

  package var keys: [String] { fields.map(\.name) }

  package func field(_ name: String) -> Field? { fields.first { $0.name == name } }
}

/// A key of a record.
package struct Field: Sendable {
  package var name: String
  package var shape: Shape
  package var presence: Presence
  package var description: String

  package init(name: String, shape: Shape, presence: Presence, description: String) {
    (self.name, self.shape, self.presence, self.description) = (name, shape, presence, description)
  }

  /// Whether a key must be there.
  package enum Presence: Sendable { case required, optional }

  /// A key that must be there.
  package static func required(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .required, description: description)
  }

  /// A key that may be left out.
  package static func optional(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .optional, description: description)
  }
}

/// A mapping in which the word under `tag` decides which other keys there are.
package struct Variants: Sendable {
  /// The deciding key.
  package var tag: String
  /// What messages call the word.
  package var what: String
  /// Keys that every variant has.
  package var common: [Field]
  /// The variants, each a record of its own keys.
  package var cases: [Variant]
  /// What to say about words that are known, but not here.
  package var elsewhere: [String: String]

  package init(
    tag: String, what: String, common: [Field], cases: [Variant], elsewhere: [String: String] = [:]
  ) {
    self.tag = tag
    self.what = what
    self.common = common
    self.cases = cases
    self.elsewhere = elsewhere
  }

  /// What one word takes.
  package struct Variant: Sendable {
    package var word: String
    package var record: Record

    package init(_ word: String, _ description: String, _ fields: [Field] = []) {
      self.word = word
      self.record = Record(description, fields)
    }
  }
}

extension Shape {
  /// What messages say is needed.
  package var expected: String {
    switch self {
    case .duration: "a duration such as 30s"
    case .size, .sizeUpTo: "a size such as 120MiB"
    case .percentage: "a percentage such as 80%"
    case .share: "a share such as 80%"
    case .boolean: "true or false"
    case .code: "a code such as 0x8badf00d"
    case .wholeNumber: "a whole number"
    case .decimal: "a number such as 1.2"
    case .text: "text"
    case .word(let words, let what): words.count == 1 ? "'\(words[0])'" : "a \(what)"
    case .name(_, let what): "a \(what)"
    case .span(let shape): "\(shape.expected), or a span of two with '..' between them"
    case .phrase(let phrase): "\(phrase.what) such as '\(phrase.examples[0])'"
    case .list: "a list"
    case .record, .dictionary, .variants, .forms: "a mapping"
    case .either(let shapes): shapes.map(\.expected).joined(separator: " or ")
    case .sourced(let shape, _): shape.expected
    case .named(_, let shape): shape().expected
    }
  }
}

extension Field {
  /// The keys of a mapping that stands for a value.
  package static func of(_ value: Shape, with others: [Field]) -> [Field] {
    [.required("value", value, "The value itself.")] + others
  }
}
