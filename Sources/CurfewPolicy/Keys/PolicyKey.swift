import CurfewEngine
import CurfewText

/// A key of a policy and the value of `Table` that it stands for. One declaration checks it, completes it, reads it, writes it and puts it into the schema.
struct PolicyKey<Table>: Sendable {
  let name: String
  /// Its keys from the outside in: `wakes.fetch.length`.
  private(set) var path: String
  let shape: Shape
  /// What it means: one sentence.
  let about: String
  /// The value's text where no file of a chain writes it; nil where one has to.
  let absent: String?
  /// The kinds of wake that it is about; nil for all. In the row of another it would have no effect.
  let kinds: [AssertionKind]?
  /// Whether no time at all, or no size, is an error.
  private(set) var isPositive = false
  /// Puts what a canonical text means into its place.
  let read: @Sendable (String, inout Table) -> Void
  /// The canonical text.
  let write: @Sendable (Table) -> String

  /// A key that a file has to write, or its parent.
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable, _ notation: Notation<Value>, _ about: String
  ) {
    self.init(name, path, notation, nil, nil, about)
  }

  /// A key that is `absent` where nobody writes it.
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable, _ notation: Notation<Value>, absent: Value,
    of kinds: [AssertionKind]? = nil, _ about: String
  ) {
    self.init(name, path, notation, notation.write(absent).canonical, kinds, about)
  }

  private init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable, _ notation: Notation<Value>, _ absent: String?,
    _ kinds: [AssertionKind]?, _ about: String
  ) {
    (self.name, self.path, self.shape, self.about, self.absent, self.kinds) = (name, name, notation.shape, about, absent, kinds)
    read = { text, table in
      guard let value = try? notation.read(Plain(canonical: text)) else {
        preconditionFailure("'\(name)' was checked to be \(notation.shape.expected), and is '\(text)'")
      }
      table[keyPath: path] = value
    }
    write = { notation.write($0[keyPath: path]).canonical }
  }

  /// The same key, of which nothing at all is an error.
  var positive: PolicyKey {
    var key = self
    key.isPositive = true
    return key
  }
}

extension PolicyKey {
  /// This key of the table that stands at `place` of a whole policy, under `prefix` in files.
  func at(_ place: any WritableKeyPath<Policy, Table> & Sendable, under prefix: String) -> PolicyKey<Policy> {
    PolicyKey<Policy>(self, path: prefix + name) { [read] text, policy in
      read(text, &policy[keyPath: place])
    } write: { [write] in
      write($0[keyPath: place])
    }
  }

  private init<Other>(
    _ key: PolicyKey<Other>, path: String, read: @escaping @Sendable (String, inout Table) -> Void,
    write: @escaping @Sendable (Table) -> String
  ) {
    (name, self.path, shape, about, absent, kinds) = (key.name, path, key.shape, key.about, key.absent, key.kinds)
    (isPositive, self.read, self.write) = (key.isPositive, read, write)
  }
}

extension Plain {
  /// What the canonical text of a policy's value says. No policy has free texts as values, so that a number and a switch show.
  init(canonical text: String) {
    if let flag = try? BooleanText.read(text) {
      self = .flag(flag)
    } else if let number = Int64(text) {
      self = .number(number)
    } else {
      self = .text(text)
    }
  }

  /// The text of a value as lists and digests have it.
  var canonical: String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .texts(let texts): texts.joined(separator: ", ")
    }
  }
}
