internal import CurfewText
internal import Foundation

/// The plain values of a trace line's JSON object, by key.
struct PlainObject {
  /// The keys that determine the type of a line. All other keys belong to values of the tables.
  enum Key: Int, CaseIterable { case t, app, type, `do` }

  static let keys = KnownTexts(
    Key.allCases.map { "\($0)" } + LineType.all.flatMap(\.values).map(\.name)
      + InputVerb.rows.flatMap { $0.values + $0.traced }.map(\.name))

  private let keys = PlainObject.keys
  /// For each key, its value in the last line that had the key, and that line's number. The value
  /// is nil if it is not plain.
  private var values = [(plain: Plain?, line: Int)](
    repeating: (nil, 0), count: PlainObject.keys.count)
  /// The number of lines so far.
  private var lineNumber = 0
  /// The texts of all lines, so that equal texts of different lines share one string.
  private var texts = KnownTexts()

  /// The value of the key with this number; nil inside the optional means a value that is
  /// not plain.
  subscript(_ key: Int) -> Plain?? {
    values[key].line == lineNumber ? .some(values[key].plain) : nil
  }

  /// The text of `key`.
  func text(_ key: Key) throws(Refusal) -> String? {
    guard let value = self[key.rawValue] else { return nil }
    guard case .text(let text) = value else { throw PlainObject.mistyped }
    return text
  }

  /// The whole number of `key`.
  func number(_ key: Key) throws(Refusal) -> Int64? {
    guard let value = self[key.rawValue] else { return nil }
    guard case .number(let number) = value else { throw PlainObject.mistyped }
    return number
  }

  func need<Value>(_ value: Value?, _ key: Key) throws(Refusal) -> Value {
    guard let value else { throw PlainObject.missing("\(key)") }
    return value
  }

  static func missing(_ key: String) -> Refusal { Refusal("the key '\(key)' is missing") }
  /// The error for a value that no known key may have; the reader adds the line.
  static let mistyped = Refusal("not a trace line")

  // MARK: Reading

  /// Reads a line of plain values. Returns false for any other line, which a JSON library
  /// must read.
  ///
  /// - Parameter isCutOff: Set to true if the line stops in the middle, and to false otherwise.
  mutating func scan(_ bytes: [UInt8], isCutOff: inout Bool) -> Bool {
    lineNumber += 1
    guard var scan = FlatObjectScan(bytes) else { return false }
    while true {
      switch scan.next(keys, &texts) {
      case .end: return true
      case .member(let key?, let value):
        // The first value of a duplicate key counts.
        if values[key].line < lineNumber { values[key] = (value, lineNumber) }
      case .member: continue
      case .other:
        isCutOff = scan.reached == bytes.count
        return false
      }
    }
  }

  /// Stores the values that a JSON library read from a line with escapes, or with more than
  /// plain values.
  mutating func take(_ loose: [String: LooseValue]) {
    lineNumber += 1
    for key in 0..<keys.count {
      if let value = loose[keys[key]] { values[key] = (value.plain, lineNumber) }
    }
  }
}

/// Reads the values of a row from lines, each by the number of its key.
struct LineReader<Root>: Sendable {
  private struct Value {
    let key: Int
    let isRequired: Bool
    let read: @Sendable (inout Root, Plain) throws(Refusal) -> Bool
  }

  private let values: [Value]

  init(_ attributes: [Attribute<Root>]) {
    let numbers = Dictionary(
      uniqueKeysWithValues: (0..<PlainObject.keys.count).map { (PlainObject.keys[$0], $0) })
    values = attributes.map { attribute in
      guard let key = numbers[attribute.name] else {
        preconditionFailure("No line has the key '\(attribute.name)'")
      }
      return Value(
        key: key, isRequired: attribute.field.presence == .required, read: attribute.read)
    }
  }

  /// Stores the values of the keys in `root`.
  func read(_ object: PlainObject, into root: inout Root) throws(Refusal) {
    for value in values {
      guard let plain = object[value.key] else {
        if value.isRequired { throw PlainObject.missing(PlainObject.keys[value.key]) }
        continue
      }
      guard let plain, try value.read(&root, plain) else { throw PlainObject.mistyped }
    }
  }
}

/// A JSON value of any kind; only plain ones are kept.
struct LooseValue: Decodable {
  let plain: Plain?

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer() {
      if let text = try? container.decode(String.self) {
        plain = .text(text)
      } else if let flag = try? container.decode(Bool.self) {
        plain = .flag(flag)
      } else if let number = try? container.decode(Int64.self) {
        plain = .number(number)
      } else {
        plain = (try? container.decode([String].self)).map(Plain.texts)
      }
    } else {
      plain = nil
    }
  }
}

extension [String: LooseValue] {
  /// Stores the values of the attributes' keys in `root`.
  func read<Root>(_ attributes: [Attribute<Root>], into root: inout Root) throws(Refusal) {
    for attribute in attributes {
      guard let value = self[attribute.name] else {
        if attribute.field.presence == .required { throw PlainObject.missing(attribute.name) }
        continue
      }
      guard let plain = value.plain, try attribute.read(&root, plain) else {
        throw PlainObject.mistyped
      }
    }
  }
}
