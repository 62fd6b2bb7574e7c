import CurfewText

/// An object of a results file. One declaration writes its keys, describes them in the schema,
/// and reads them again.
///
/// A reader skips keys that it does not know, because results of a later build may have more.
struct RecordForm<Root: Sendable>: Sendable {
  typealias Check = @Sendable (Root, SourceNode, inout Findings) -> Void

  let result: ResultForm<Root>
  private let keys: [RecordKey<Root>]
  private let check: Check

  /// - Parameter check: Adds the errors in which keys contradict each other.
  init(_ about: String, _ keys: [RecordKey<Root>], check: @escaping Check = { _, _, _ in }) {
    (self.keys, self.check) = (keys, check)
    result = ResultForm(about, keys.map(\.result))
  }

  /// Reads the keys of an object into `root`.
  func read(_ node: SourceNode, into root: inout Root, _ findings: inout Findings) {
    guard case .mapping = node.content else {
      return findings.error(at: node.place, "expected an object, found \(node.found)")
    }
    let known = findings.errorCount
    for key in keys { key.read(node, &root, &findings) }
    if findings.errorCount == known { check(root, node, &findings) }
  }
}

/// A key of a results file.
struct RecordKey<Root: Sendable>: Sendable {
  let result: ResultKey<Root>
  let read: @Sendable (SourceNode, inout Root, inout Findings) -> Void

  typealias Path<Value> = WritableKeyPath<Root, Value> & Sendable

  /// Creates a key from its written form and a conversion of its node. The conversion returns nil
  /// if the node has another type; `expected` describes the right one.
  private init<Value>(
    _ name: String, _ path: any Path<Value>, _ result: ResultKey<Root>, isOptional: Bool,
    _ expected: String, _ convert: @escaping @Sendable (SourceNode) -> Value?
  ) {
    self.result = result
    read = { node, root, findings in
      guard let found = node[name] else {
        if !isOptional { findings.error(at: node.place, "missing key '\(name)'") }
        return
      }
      if let value = convert(found) {
        root[keyPath: path] = value
      } else {
        findings.error(
          at: found.place, "expected \(expected) under '\(name)', found \(found.found)")
      }
    }
  }

  // MARK: Values

  static func text(_ name: String, _ path: any Path<String>, _ about: String = "") -> RecordKey {
    RecordKey(
      name, path, .text(name, about) { $0[keyPath: path].onOneLine }, isOptional: false, "text",
      \.quotedText)
  }

  /// Text, or nothing.
  static func text(_ name: String, optional path: any Path<String?>, _ about: String = "")
    -> RecordKey
  {
    RecordKey(
      name, path, .text(name, about, optional: true) { $0[keyPath: path]?.onOneLine },
      isOptional: true, "text", { $0.quotedText.map { .some($0) } })
  }

  /// One of the words of an enumeration.
  static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any Path<Word>, _ about: String = ""
  ) -> RecordKey {
    let words = Word.allCases.map(\.rawValue)
    return RecordKey(
      name, path, .text(name, about, words: words) { $0[keyPath: path].rawValue },
      isOptional: false, "one of \(words.joined(separator: ", "))",
      { $0.quotedText.flatMap(Word.init) })
  }

  static func texts(_ name: String, _ path: any Path<[String]>, _ about: String = "")
    -> RecordKey
  {
    RecordKey(
      name, path, .texts(name, about) { $0[keyPath: path].map(\.onOneLine) }, isOptional: false,
      "a list of texts", { $0.all(\.quotedText) })
  }

  static func flag(_ name: String, _ path: any Path<Bool>, _ about: String = "") -> RecordKey {
    RecordKey(
      name, path, .flag(name, about) { $0[keyPath: path] }, isOptional: false, "true or false",
      { node in node.bareText.flatMap(Bool.init) })
  }

  /// A whole number that is not negative.
  static func count<Number: FixedWidthInteger & Sendable>(
    _ name: String, _ path: any Path<Number>, in range: ClosedRange<Number> = 0...Number.max,
    _ about: String = ""
  ) -> RecordKey {
    let bounds =
      range == 0...Number.max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
    return RecordKey(
      name, path, .count(name, about) { $0[keyPath: path] }, isOptional: false,
      "a whole number\(bounds)",
      { $0.bareText.flatMap { Number($0) }.flatMap { range.contains($0) ? $0 : nil } })
  }

  /// A whole number that is not negative, as text, because many readers misread a number of more
  /// than 53 bits.
  static func digits<Number: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ path: any Path<Number>, _ about: String = ""
  ) -> RecordKey {
    RecordKey(
      name, path, .text(name, about) { String($0[keyPath: path]) }, isOptional: false,
      "a whole number in quotes",
      { $0.quotedText.flatMap { Number($0) }.flatMap { $0 < 0 ? nil : $0 } })
  }

  /// A number, or nothing.
  static func measured(
    _ name: String, optional path: any Path<Double?>, in range: ClosedRange<Double>,
    _ about: String = ""
  ) -> RecordKey {
    let bounds = [range.lowerBound, range.upperBound].map(HumanNumber.exact)
    return RecordKey(
      name, path, .measured(name, about, optional: true) { $0[keyPath: path] }, isOptional: true,
      "a number from \(bounds[0]) to \(bounds[1])", { $0.number(in: range).map { .some($0) } })
  }

  // MARK: Objects

  static func object<Part>(
    _ name: String, _ form: RecordForm<Part>, _ path: any Path<Part>, _ about: String = ""
  ) -> RecordKey {
    RecordKey(result: .object(name, form.result, about) { $0[keyPath: path] }) {
      node, root, findings in
      guard let found = node[name] else {
        return findings.error(at: node.place, "missing key '\(name)'")
      }
      form.read(found, into: &root[keyPath: path], &findings)
    }
  }

  /// - Parameter unique: The name of an element, which no other element of the list may have.
  static func objects<Part: Sendable>(
    _ name: String, _ form: RecordForm<Part>, of blank: Part, _ path: any Path<[Part]>,
    _ about: String = "", unique: (@Sendable (Part) -> String)? = nil
  ) -> RecordKey {
    RecordKey(result: .objects(name, form.result, about) { $0[keyPath: path] }) {
      node, root, findings in
      guard let found = node[name] else {
        return findings.error(at: node.place, "missing key '\(name)'")
      }
      guard case .list(let elements) = found.content else {
        return findings.error(
          at: found.place, "expected a list under '\(name)', found \(found.found)")
      }
      var known: Set<String> = []
      for element in elements {
        var part = blank
        form.read(element, into: &part, &findings)
        if let unique, !known.insert(unique(part)).inserted {
          findings.error(at: element.place, "'\(unique(part))' is in '\(name)' twice")
        }
        root[keyPath: path].append(part)
      }
    }
  }

  /// A key that no other function covers, or one that is only written.
  init(
    result: ResultKey<Root>,
    read: @escaping @Sendable (SourceNode, inout Root, inout Findings) -> Void = { _, _, _ in }
  ) {
    (self.result, self.read) = (result, read)
  }
}

extension String {
  /// The text on one line and without control characters, which readers refuse: a contestant may
  /// print anything.
  var onOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ").escapingControls
  }
}

extension SourceNode {
  /// The text of a scalar in quotes.
  var quotedText: String? { scalar.flatMap { $0.isQuoted ? $0.text : nil } }

  /// The text of a scalar without quotes.
  var bareText: String? { scalar.flatMap { $0.isQuoted ? nil : $0.text } }

  /// A number of a range.
  func number(in range: ClosedRange<Double>) -> Double? {
    bareText.flatMap(Double.init).flatMap { range.contains($0) ? $0 : nil }
  }

  /// The elements of a list; nil if one of them cannot be converted.
  func all<Value>(_ convert: (SourceNode) -> Value?) -> [Value]? {
    guard case .list(let elements) = content else { return nil }
    let values = elements.compactMap(convert)
    return values.count == elements.count ? values : nil
  }
}
