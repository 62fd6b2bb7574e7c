/// The shape of a value in a file. One declaration checks files and writes their JSON Schema.
package indirect enum Shape: Sendable {
  /// `30s`
  case duration
  /// `120MiB`
  case size
  /// A size up to a limit. `what` is the name of the limit in messages.
  case sizeUpTo(Int64, what: String)
  /// `80%`
  case percentage
  /// `150%`: a share of one processor core. A device may have several cores.
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
  /// One of these words. `what` is its name in messages: "mode", "kind".
  case word([String], what: String)
  /// A name: one of these, or another that a file declares. The code that reads the file checks
  /// other names.
  case name([String], what: String)
  /// A value of this shape, or a span: `3`, `3..5`, `3..`, `..5`.
  case span(Shape)
  /// A phrase in a small language.
  case phrase(Phrase)
  /// A list of values of this shape.
  case list(Shape)
  /// A mapping with these keys.
  case record(Record)
  /// A mapping with keys of one sort and values of one shape.
  case dictionary(Keys, Shape)
  /// Any of these.
  case either([Shape])
  /// The value, or a mapping of the value and its source.
  case sourced(Shape, with: [Field])
  /// A mapping in which a word decides which keys are allowed.
  case variants(Variants)
  /// A mapping in which one of several keys decides which other keys are allowed.
  case forms(Forms)
  /// A named shape, so that shapes may contain themselves.
  case named(String, @Sendable () -> Shape)

  /// The keys of a dictionary.
  package enum Keys: Sendable {
    /// Any text. `what` is its name in messages.
    case any(what: String)
    /// These words; the keys in `besides` have their own shapes.
    case words([String], what: String, besides: [Field] = [])
    /// These names, and any other; the keys in `besides` have their own shapes.
    case names([String], what: String, besides: [Field] = [])
  }
}

/// Text with several parts on one line: `10m in 2h`.
package struct Phrase: Sendable {
  /// The name in messages: "a budget".
  let what: String
  /// Examples of such texts.
  package let examples: [String]
  /// The regular expression that editors check.
  let pattern: String
  /// The text in canonical form. Throws if the text is invalid.
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

  /// Whether a key is required.
  package enum Presence: Sendable { case required, optional }

  /// A required key.
  package static func required(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .required, description: description)
  }

  /// An optional key.
  package static func optional(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .optional, description: description)
  }
}

/// A mapping in which the word under `tag` decides which other keys are allowed.
package struct Variants: Sendable {
  /// The deciding key.
  package var tag: String
  /// The name of the word in messages.
  package var what: String
  /// Keys that every variant has.
  package var common: [Field]
  /// The variants, each with a record of its own keys.
  package var cases: [Variant]
  /// Messages about words that are known, but not allowed here.
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

  /// The keys for one word.
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
  /// The expected value, as messages describe it.
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
    case .word(let words, let what): words.count == 1 ? "'\(words[0])'" : Shape.indefinite(what)
    case .name(_, let what): Shape.indefinite(what)
    case .span(let shape): "\(shape.expected), or two joined by '..'"
    case .phrase(let phrase): "\(phrase.what) such as '\(phrase.examples[0])'"
    case .list: "a list"
    case .record, .dictionary, .variants, .forms: "a mapping"
    case .either(let shapes): shapes.map(\.expected).joined(separator: " or ")
    case .sourced(let shape, _): shape.expected
    case .named(_, let shape): shape().expected
    }
  }

  /// A noun with its article: `a mode`, `an app`, `a unit`.
  private static func indefinite(_ noun: String) -> String {
    "\(noun.first.map("aeio".contains) ?? false ? "an" : "a") \(noun)"
  }
}

extension Field {
  /// The keys of a mapping that replaces a value.
  package static func of(_ value: Shape, with others: [Field]) -> [Field] {
    [.required("value", value, "The value itself.")] + others
  }
}
