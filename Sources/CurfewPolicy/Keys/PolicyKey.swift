import CurfewEngine
import CurfewText

/// A key of a policy and the value of `Table` that it sets. One declaration checks, completes,
/// reads and writes it, and adds it to the schema.
struct PolicyKey<Table>: Sendable {
  let name: String
  /// The keys, outermost first: `wakes.fetch.length`.
  private(set) var path: String
  let shape: Shape
  /// The meaning in one sentence.
  let about: String
  /// The text of the value if no file of a chain writes it; nil if a file must write it.
  private(set) var absent: String?
  /// For a key of a wake's row: the starts with which the key is allowed; nil for all. With other
  /// starts the key would have no effect.
  let starts: [WakeStart]?
  /// Whether a zero time or size is an error.
  private(set) var isPositive = false
  /// The sort of the names in the value, if a policy may declare such names.
  let naming: PolicyNaming?
  /// Sets the value from a canonical text.
  let read: @Sendable (String, inout Table, PolicyNames) -> Void
  /// Returns the value's canonical text.
  let write: @Sendable (Table, PolicyNames) -> String

  /// A key that a file or its parent must write.
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable,
    _ notation: Notation<Value>, _ about: String
  ) {
    self.init(name, path, notation, nil, nil, about)
  }

  /// A key whose value is `absent` if no file writes it.
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable,
    _ notation: Notation<Value>, absent: Value,
    of starts: [WakeStart]? = nil, _ about: String
  ) {
    self.init(name, path, notation, notation.write(absent).canonical, starts, about)
  }

  private init<Value>(
    _ name: String, _ path: any WritableKeyPath<Table, Value> & Sendable,
    _ notation: Notation<Value>, _ absent: String?,
    _ starts: [WakeStart]?, _ about: String
  ) {
    self.init(name, notation.shape, absent, starts, nil, about) { text, table, _ in
      guard let value = try? notation.read(Plain(canonical: text)) else {
        preconditionFailure(
          "'\(name)' was checked to be \(notation.shape.expected), and is '\(text)'")
      }
      table[keyPath: path] = value
    } write: { table, _ in
      notation.write(table[keyPath: path]).canonical
    }
  }

  private init(
    _ name: String, _ shape: Shape, _ absent: String?, _ starts: [WakeStart]?,
    _ naming: PolicyNaming?, _ about: String,
    read: @escaping @Sendable (String, inout Table, PolicyNames) -> Void,
    write: @escaping @Sendable (Table, PolicyNames) -> String
  ) {
    (self.name, self.path, self.shape, self.about, self.absent, self.starts) = (
      name, name, shape, about, absent, starts
    )
    (self.naming, self.read, self.write) = (naming, read, write)
  }

  /// Returns this key with zero as an error.
  var positive: PolicyKey {
    var key = self
    key.isPositive = true
    return key
  }

  /// Returns this key with `text` as the value if no file writes it; nil means that a file must.
  func absent(_ text: String?) -> PolicyKey {
    var key = self
    key.absent = text
    return key
  }
}

extension PolicyKey {
  /// Modes of which the manifest must declare one; none if no file writes them.
  static func modes(
    _ name: String, _ path: any WritableKeyPath<Table, BackgroundModes> & Sendable, _ about: String
  ) -> PolicyKey {
    PolicyKey(name, names(BackgroundModes.standardNames, "mode"), "none", nil, .mode, about) {
      text, table, names in
      table[keyPath: path] = text.listed.compactMap(names.mode).reduce(into: []) {
        $0.formUnion($1)
      }
    } write: { table, names in
      names.names(of: table[keyPath: path]).canonical
    }
  }

  /// Facts; none if no file writes them.
  static func facts(
    _ name: String, _ path: any WritableKeyPath<Table, FactSet> & Sendable, _ about: String
  ) -> PolicyKey {
    PolicyKey(name, names(FactSet.standardNames, "fact"), "none", nil, .fact, about) {
      text, table, names in
      table[keyPath: path] = text.listed.compactMap(names.fact).reduce(into: []) {
        $0.formUnion($1)
      }
    } write: { table, names in
      names.names(of: table[keyPath: path]).canonical
    }
  }

  /// Budgets, each in a few words; none if no file writes them.
  static func budgets(
    _ name: String, _ path: any WritableKeyPath<Table, [Budget]> & Sendable, _ about: String
  ) -> PolicyKey {
    let budget = Shape.phrase(BudgetText.phrase)
    let shape = Shape.either([budget, .word(["none"], what: "budget"), .list(budget)])
    return PolicyKey(name, shape, "none", nil, .group, about) { text, table, names in
      table[keyPath: path] = text.listed.compactMap { try? BudgetText.read($0, names) }
    } write: { table, names in
      table[keyPath: path].map { BudgetText.write($0, names) }.canonical
    }
  }

  /// A name, a list of them, or `none`.
  private static func names(_ known: [String], _ what: String) -> Shape {
    .either([.name(known + ["none"], what: what), .list(.name(known, what: what))])
  }
}

extension String {
  /// The names in a canonical text.
  fileprivate var listed: [String] {
    self == "none" ? [] : split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
  }
}

extension [String] {
  fileprivate var canonical: String { isEmpty ? "none" : joined(separator: ", ") }
}

extension PolicyKey {
  /// Returns this key of the table at `place` as a key of a whole policy, under `prefix` in files.
  func at(_ place: any WritableKeyPath<Policy, Table> & Sendable, under prefix: String)
    -> PolicyKey<Policy>
  {
    PolicyKey<Policy>(self, path: prefix + name) { [read] text, policy, names in
      read(text, &policy[keyPath: place], names)
    } write: { [write] policy, names in
      write(policy[keyPath: place], names)
    }
  }

  private init<Other>(
    _ key: PolicyKey<Other>, path: String,
    read: @escaping @Sendable (String, inout Table, PolicyNames) -> Void,
    write: @escaping @Sendable (Table, PolicyNames) -> String
  ) {
    (name, self.path, shape, about, absent, starts) = (
      key.name, path, key.shape, key.about, key.absent, key.starts
    )
    (isPositive, naming, self.read, self.write) = (key.isPositive, key.naming, read, write)
  }
}

extension Plain {
  /// Creates the value of a canonical text. Values of policies are never free texts, so a text that
  /// looks like a number or a boolean is one.
  init(canonical text: String) {
    if let flag = try? BooleanText.read(text) {
      self = .flag(flag)
    } else if let number = Int64(text) {
      self = .number(number)
    } else {
      self = .text(text)
    }
  }

  /// The text of a value as in lists and digests.
  var canonical: String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .texts(let texts): texts.joined(separator: ", ")
    }
  }
}
