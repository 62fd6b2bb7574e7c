import CurfewEngine

/// What a value of a file may be. One declaration checks files and writes their JSON Schema.
indirect enum Shape: Sendable {
  /// `30s`
  case duration
  /// `120MiB`
  case size
  /// A size that an app can take up: one tebibyte at most.
  case footprint
  /// `80%`
  case percentage
  /// `150%`: a share of one processor core, of which there may be a hundred.
  case share
  /// `true` or `false`
  case boolean
  /// `0x8badf00d`
  case code
  /// Digits, within a range.
  case wholeNumber(ClosedRange<Int64>)
  /// Any text that is not empty.
  case text
  /// One of these words; `what` is what messages call it: "mode", "kind".
  case word([String], what: String)
  /// A list of such values.
  case list(Shape)
  /// A mapping with these keys.
  case record(Record)
  /// A mapping with keys of one sort and values of one shape.
  case dictionary(Keys, Shape)
  /// Any of these.
  case either([Shape])
  /// The value, or a mapping of the value and where it comes from.
  case sourced(Shape)
  /// A mapping whose keys depend on a word in it.
  case variants(Variants)
  /// A shape under a name, so that shapes may contain themselves.
  case named(String, @Sendable () -> Shape)

  /// The keys of a dictionary.
  enum Keys: Sendable {
    /// Any text; `what` is what messages call it.
    case any(what: String)
    /// These words; `besides` are keys with shapes of their own.
    case words([String], what: String, besides: [Field] = [])
  }
}

/// A mapping with known keys.
struct Record: Sendable {
  var description: String
  var fields: [Field]

  init(_ description: String, _ fields: [Field]) {
    self.description = description
    self.fields = fields
  }

  var keys: [String] { fields.map(\.name) }

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }
}

/// A key of a record.
struct Field: Sendable {
  var name: String
  var shape: Shape
  var presence: Presence
  var description: String

  /// Whether a key must be there.
  enum Presence: Sendable { case required, optional }

  /// A key that must be there.
  static func required(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .required, description: description)
  }

  /// A key that may be left out.
  static func optional(_ name: String, _ shape: Shape, _ description: String) -> Field {
    Field(name: name, shape: shape, presence: .optional, description: description)
  }
}

/// A mapping in which the word under `tag` decides which other keys there are.
struct Variants: Sendable {
  /// The deciding key.
  var tag: String
  /// What messages call the word.
  var what: String
  /// Keys that every variant has.
  var common: [Field]
  /// The variants, each a record of its own keys.
  var cases: [Variant]
  /// What to say about words that are known, but not here.
  var elsewhere: [String: String] = [:]

  /// What one word takes.
  struct Variant: Sendable {
    var word: String
    var record: Record

    init(_ word: String, _ description: String, _ fields: [Field] = []) {
      self.word = word
      self.record = Record(description, fields)
    }
  }
}

extension Shape {
  /// What messages say is needed.
  var expected: String {
    switch self {
    case .duration: "a duration such as 30s"
    case .size, .footprint: "a size such as 120MiB"
    case .percentage: "a percentage such as 80%"
    case .share: "a share such as 80%"
    case .boolean: "true or false"
    case .code: "a code such as 0x8badf00d"
    case .wholeNumber: "a whole number"
    case .text: "text"
    case .word(let words, let what): words.count == 1 ? "'\(words[0])'" : "a \(what)"
    case .list: "a list"
    case .record, .dictionary, .variants: "a mapping"
    case .either(let shapes): shapes.map(\.expected).joined(separator: " or ")
    case .sourced(let shape): shape.expected
    case .named(_, let shape): shape().expected
    }
  }
}
