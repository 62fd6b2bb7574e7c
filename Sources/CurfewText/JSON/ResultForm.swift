/// An object in the result that a command writes as JSON: its description, and its keys in order.
/// One declaration writes the object and adds it to the result's schema.
package struct ResultForm<Root>: Sendable {
  let about: String
  let keys: [ResultKey<Root>]

  package init(_ about: String, _ keys: [ResultKey<Root>]) {
    (self.about, self.keys) = (about, keys)
  }

  /// The object.
  package func json(_ root: Root) -> JSONLine {
    var line = JSONLine()
    write(root, to: &line)
    return line
  }

  /// Writes the keys into an object that may have other keys.
  package func write(_ root: Root, to line: inout JSONLine) {
    for key in keys { key.write(root, &line) }
  }

  /// The JSON Schema of the result, draft 2020-12. The schema allows additional keys.
  package func schema(title: String) -> String {
    let head = [
      ("$schema", JSONText.string("https://json-schema.org/draft/2020-12/schema")),
      ("title", .string(title)),
    ]
    return JSONText.object(head + members).written + "\n"
  }

  /// The members of the schema.
  var members: [(String, JSONText)] {
    let members = keys.flatMap(\.members)
    let required = members.filter { !$0.isOptional }.map { JSONText.string($0.name) }
    return (about.isEmpty ? [] : [("description", .string(about))]) + [
      ("type", .string("object")),
      ("properties", .object(members.map { ($0.name, .object($0.schema)) })),
      ("required", .array(required)),
    ]
  }
}

/// A key of a result and its value. The key is left out if it has no value.
package struct ResultKey<Root>: Sendable {
  let members: [ResultMember]
  let write: @Sendable (Root, inout JSONLine) -> Void

  private init(
    _ name: String, _ about: String, _ isOptional: Bool, _ schema: [(String, JSONText)],
    _ write: @escaping @Sendable (Root, inout JSONLine) -> Void
  ) {
    let described = schema.filter { $0.0 != "description" }
    let about =
      about.isEmpty
      ? schema.filter { $0.0 == "description" } : [("description", JSONText.string(about))]
    members = [ResultMember(name: name, isOptional: isOptional, schema: about + described)]
    self.write = write
  }

  private init(
    _ members: [ResultMember], _ write: @escaping @Sendable (Root, inout JSONLine) -> Void
  ) {
    (self.members, self.write) = (members, write)
  }

  // MARK: Values

  /// The format and its version.
  package static func format(_ version: String) -> ResultKey {
    ResultKey("curfew", "The format and its version.", false, [("const", .string(version))]) {
      _, line in line.add("curfew", version)
    }
  }

  /// A string, or one of these words.
  package static func text(
    _ name: String, _ about: String = "", optional: Bool = false, words: [String]? = nil,
    _ value: @escaping @Sendable (Root) -> String?
  ) -> ResultKey {
    let schema =
      words.map { [("enum", JSONText.array($0.map(JSONText.string)))] } ?? [
        ("type", .string("string"))
      ]
    return ResultKey(name, about, optional, schema) { root, line in line.add(name, value(root)) }
  }

  /// A string, or null.
  package static func nullableText(
    _ name: String, _ about: String, _ value: @escaping @Sendable (Root) -> String?
  ) -> ResultKey {
    ResultKey(name, about, false, [("type", .array([.string("string"), .string("null")]))]) {
      root, line in
      if let value = value(root) { line.add(name, value) } else { line.add(name, json: "null") }
    }
  }

  package static func texts(
    _ name: String, _ about: String = "", optional: Bool = false,
    _ value: @escaping @Sendable (Root) -> [String]?
  ) -> ResultKey {
    let schema = [
      ("type", JSONText.string("array")), ("items", .object([("type", .string("string"))])),
    ]
    return ResultKey(name, about, optional, schema) { root, line in line.add(name, value(root)) }
  }

  package static func flag(
    _ name: String, _ about: String = "", optional: Bool = false,
    _ value: @escaping @Sendable (Root) -> Bool?
  ) -> ResultKey {
    ResultKey(name, about, optional, [("type", .string("boolean"))]) { root, line in
      if let value = value(root) { line.add(name, value) }
    }
  }

  /// A whole number, not negative unless `signed`.
  package static func count<Number: BinaryInteger & SendableMetatype>(
    _ name: String, _ about: String = "", optional: Bool = false, signed: Bool = false,
    _ value: @escaping @Sendable (Root) -> Number?
  ) -> ResultKey {
    let schema = [("type", JSONText.string("integer"))] + (signed ? [] : [("minimum", .number(0))])
    return ResultKey(name, about, optional, schema) { root, line in line.add(name, value(root)) }
  }

  /// Whole numbers.
  package static func counts<Number: BinaryInteger & SendableMetatype>(
    _ name: String, _ about: String = "", _ value: @escaping @Sendable (Root) -> [Number]
  ) -> ResultKey {
    let schema = [
      ("type", JSONText.string("array")), ("items", .object([("type", .string("integer"))])),
    ]
    return ResultKey(name, about, false, schema) { root, line in
      line.add(name, json: "[" + value(root).map { String($0) }.joined(separator: ",") + "]")
    }
  }

  /// A number with at most `places` decimals; null for a value that is not finite.
  package static func number(
    _ name: String, _ about: String = "", optional: Bool = false, places: Int = 3,
    _ value: @escaping @Sendable (Root) -> Double?
  ) -> ResultKey {
    ResultKey(name, about, optional, [("type", .array([.string("number"), .string("null")]))]) {
      root, line in
      if let value = value(root) {
        line.add(name, json: value.isFinite ? HumanNumber.decimal(value, places: places) : "null")
      }
    }
  }

  /// A measured value, with as many digits as distinguish it from every other value; left out if it
  /// is not finite.
  package static func measured(
    _ name: String, _ about: String = "", optional: Bool = false,
    _ value: @escaping @Sendable (Root) -> Double?
  ) -> ResultKey {
    ResultKey(name, about, optional, [("type", .string("number"))]) { root, line in
      guard let value = value(root), value.isFinite else { return }
      line.add(name, json: HumanNumber.exact(value))
    }
  }

  /// Measured values, as `measured` writes them, without those that are not finite.
  package static func numbers(
    _ name: String, _ about: String = "", _ values: @escaping @Sendable (Root) -> [Double]
  ) -> ResultKey {
    let schema = [
      ("type", JSONText.string("array")), ("items", .object([("type", .string("number"))])),
    ]
    return ResultKey(name, about, false, schema) { root, line in
      let digits = values(root).filter(\.isFinite).map(HumanNumber.exact)
      line.add(name, json: "[" + digits.joined(separator: ",") + "]")
    }
  }

  /// A value that is already written as a decimal number; null if it is empty. An integer above
  /// 2^53 is written as a string, because many readers would misread it.
  package static func decimal(
    _ name: String, _ about: String = "", _ digits: @escaping @Sendable (Root) -> String
  ) -> ResultKey {
    ResultKey(
      name, about, false,
      [("type", .array([.string("number"), .string("string"), .string("null")]))]
    ) { root, line in
      let digits = digits(root)
      if let whole = Int64(digits), whole.magnitude > 1 << 53 {
        line.add(name, digits)
      } else {
        line.add(name, json: digits.isEmpty ? "null" : digits)
      }
    }
  }

  /// An instant, or a duration of engine time. The nanoseconds are written as a string,
  /// because many readers misread a number of more than 53 bits. A second key, whose name ends
  /// in `Seconds`, has the seconds to the microsecond.
  package static func time(
    _ name: String, _ about: String, optional: Bool = false,
    _ nanoseconds: @escaping @Sendable (Root) -> Int64?
  ) -> ResultKey {
    let seconds = name + "Seconds"
    let digits = [
      ("description", JSONText.string(about + ", in nanoseconds")), ("type", .string("string")),
      ("pattern", .string("^[0-9]+$")),
    ]
    let members = [
      ResultMember(name: name, isOptional: optional, schema: digits),
      ResultMember(
        name: seconds, isOptional: optional,
        schema: [("type", .string("number")), ("minimum", .number(0))]),
    ]
    return ResultKey(members) { root, line in
      guard let nanoseconds = nanoseconds(root) else { return }
      line.add(name, String(nanoseconds))
      line.add(
        seconds,
        json: HumanNumber.decimal(
          nanoseconds / 1_000 + (nanoseconds % 1_000 >= 500 ? 1 : 0), of: 1_000_000))
    }
  }

  // MARK: Objects

  package static func object<Part>(
    _ name: String, _ form: ResultForm<Part>, _ about: String = "", optional: Bool = false,
    _ value: @escaping @Sendable (Root) -> Part?
  ) -> ResultKey {
    ResultKey(name, about, optional, form.members) { root, line in
      if let value = value(root) { line.add(name, json: form.json(value).closed) }
    }
  }

  package static func objects<Part>(
    _ name: String, _ form: ResultForm<Part>, _ about: String = "", optional: Bool = false,
    _ value: @escaping @Sendable (Root) -> [Part]?
  ) -> ResultKey {
    ResultKey(
      name, about, optional, [("type", .string("array")), ("items", .object(form.members))]
    ) { root, line in
      if let value = value(root) {
        line.add(name, json: JSONLine.array(value.map { form.json($0) }))
      }
    }
  }

  /// An object with a key for each of `words` that has a value.
  package static func table<Part>(
    _ name: String, _ form: ResultForm<Part>, _ about: String = "", words: [String],
    _ value: @escaping @Sendable (Root, String) -> Part?
  ) -> ResultKey {
    ResultKey(name, about, false, ResultKey.table(words, .object(form.members))) { root, line in
      var object = JSONLine()
      for word in words {
        if let part = value(root, word) { object.add(word, json: form.json(part).closed) }
      }
      line.add(name, json: object.closed)
    }
  }

  /// An object whose keys are names that a file may declare, in the order of `names`.
  package static func table<Part>(
    _ name: String, _ form: ResultForm<Part>, _ about: String = "",
    names: @escaping @Sendable (Root) -> [String],
    _ value: @escaping @Sendable (Root, String) -> Part?
  ) -> ResultKey {
    ResultKey(name, about, false, ResultKey.openTable(.object(form.members))) { root, line in
      var object = JSONLine()
      for name in names(root) {
        if let part = value(root, name) { object.add(name, json: form.json(part).closed) }
      }
      line.add(name, json: object.closed)
    }
  }

  /// Like `table(names:)`, with whole numbers.
  package static func tally<Number: BinaryInteger & SendableMetatype>(
    _ name: String, _ about: String = "",
    _ values: @escaping @Sendable (Root) -> [(name: String, count: Number)]
  ) -> ResultKey {
    ResultKey(name, about, false, ResultKey.openTable(.object([("type", .string("integer"))]))) {
      root, line in
      var object = JSONLine()
      for (name, count) in values(root) { object.add(name, count) }
      line.add(name, json: object.closed)
    }
  }

  /// Like `table(words:)`, with strings. The object is left out if no word has a string.
  package static func texts(
    _ name: String, _ about: String = "", words: [String],
    _ value: @escaping @Sendable (Root, String) -> String?
  ) -> ResultKey {
    ResultKey(name, about, true, ResultKey.table(words, .object([("type", .string("string"))]))) {
      root, line in
      var object = JSONLine()
      for word in words { object.add(word, value(root, word)) }
      if !object.isEmpty { line.add(name, json: object.closed) }
    }
  }

  /// Like `table(words:)`, with whole numbers.
  package static func tally<Number: BinaryInteger & SendableMetatype>(
    _ name: String, _ about: String = "", words: [String],
    _ value: @escaping @Sendable (Root, String) -> Number?
  ) -> ResultKey {
    ResultKey(name, about, false, ResultKey.table(words, .object([("type", .string("integer"))]))) {
      root, line in
      var object = JSONLine()
      for word in words { object.add(word, value(root, word)) }
      line.add(name, json: object.closed)
    }
  }

  /// A value that no other function covers. The caller writes the object and supplies the members
  /// of its schema.
  package static func other(
    _ name: String, _ about: String = "", optional: Bool = false, members: [(String, JSONText)],
    _ value: @escaping @Sendable (Root) -> JSONLine?
  ) -> ResultKey {
    ResultKey(name, about, optional, [("type", .string("object"))] + members) { root, line in
      if let value = value(root) { line.add(name, json: value.closed) }
    }
  }

  private static func table(_ words: [String], _ value: JSONText) -> [(String, JSONText)] {
    [
      ("type", .string("object")),
      ("propertyNames", .object([("enum", .array(words.map(JSONText.string)))])),
      ("additionalProperties", value),
    ]
  }

  private static func openTable(_ value: JSONText) -> [(String, JSONText)] {
    [("type", .string("object")), ("additionalProperties", value)]
  }

  /// A name: one of `known`, or a name that a policy declares.
  package static func name(
    _ name: String, _ about: String = "", optional: Bool = false, known: [String],
    _ value: @escaping @Sendable (Root) -> String?
  ) -> ResultKey {
    let schema = [
      (
        "anyOf",
        JSONText.array([
          .object([("enum", .array(known.map(JSONText.string)))]),
          .object([("type", .string("string"))]),
        ])
      )
    ]
    return ResultKey(name, about, optional, schema) { root, line in line.add(name, value(root)) }
  }

  /// The keys of another form, for a part of this value.
  package static func all<Part>(
    of form: ResultForm<Part>, optional: Bool = false, _ part: @escaping @Sendable (Root) -> Part?
  ) -> ResultKey {
    let members = form.keys.flatMap(\.members).map { member in
      var member = member
      member.isOptional = member.isOptional || optional
      return member
    }
    return ResultKey(members) { root, line in
      if let part = part(root) { form.write(part, to: &line) }
    }
  }
}

/// A key of a result's schema.
struct ResultMember: Sendable {
  var name: String
  var isOptional: Bool
  var schema: [(String, JSONText)]
}
