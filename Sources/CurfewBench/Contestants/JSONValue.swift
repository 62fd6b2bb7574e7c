/// A value of a JSON line that a contestant has written.
///
/// An answer about a million timers has a million pairs, for which Foundation's reader takes
/// seconds and a gigabyte.
package enum JSONValue: Hashable, Sendable {
  case object([String: JSONValue])
  case array([JSONValue])
  /// An array of whole numbers only, which may be empty.
  case numbers([Int64])
  case text(String)
  case number(Int64)
  /// A number with a fraction or an exponent, or outside of `Int64`.
  case decimal(Double)
  case flag(Bool)
  case null

  /// Reads a line; nil if it is not exactly one JSON value.
  package init?(_ bytes: [UInt8]) {
    var scan = Scan(bytes: bytes)
    guard let value = scan.value(depth: 0), scan.isAtEnd else { return nil }
    self = value
  }

  package subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The reason why a key has no value of the right type, such as `'began' is text, and has to be
  /// a whole number`.
  package func complaint(about key: String, expected: String) -> String {
    let found =
      switch self[key] {
      case nil: "missing"
      case .object: "an object"
      case .array: "a list"
      case .numbers: "a list of numbers"
      case .text: "text"
      case .number: "a number"
      case .decimal: "a number with a fraction or with more than 64 bits"
      case .flag: "true or false"
      case .null: "null"
      }
    return "'\(key)' is \(found), and has to be \(expected)"
  }

  package var number: Int64? {
    if case .number(let number) = self { number } else { nil }
  }

  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  package var numbers: [Int64]? {
    if case .numbers(let numbers) = self { numbers } else { nil }
  }

  /// The elements of any array.
  package var elements: [JSONValue]? {
    switch self {
    case .array(let elements): elements
    case .numbers(let numbers): numbers.map(JSONValue.number)
    default: nil
    }
  }
}

/// A recursive reader of JSON, as RFC 8259 defines it.
private struct Scan {
  let bytes: [UInt8]
  private var at = 0
  /// The deepest nesting: an answer has three levels.
  private static let deepest = 16

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return at == bytes.count
    }
  }

  mutating func value(depth: Int) -> JSONValue? {
    skipSpace()
    guard at < bytes.count, depth <= Scan.deepest else { return nil }
    switch bytes[at] {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string().map(JSONValue.text)
    case UInt8(ascii: "t"): return word("true", .flag(true))
    case UInt8(ascii: "f"): return word("false", .flag(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> JSONValue? {
    at += 1
    var members: [String: JSONValue] = [:]
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\""), let key = string(), take(":"),
        let value = value(depth: depth + 1)
      else { return nil }
      members[key] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array(_ depth: Int) -> JSONValue? {
    at += 1
    var (numbers, others) = ([Int64](), [JSONValue]())
    if take("]") { return .numbers([]) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      if others.isEmpty, case .number(let number) = value {
        numbers.append(number)
      } else {
        if others.isEmpty { others = numbers.map(JSONValue.number) }
        others.append(value)
      }
    } while take(",")
    guard take("]") else { return nil }
    return others.isEmpty ? .numbers(numbers) : .array(others)
  }

  private mutating func number() -> JSONValue? {
    let start = at
    while at < bytes.count, Scan.isPartOfNumber(bytes[at]) { at += 1 }
    let isWhole = bytes[start..<at].allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != 0x65 }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard let first = digits.first, first >= 0x30, first <= 0x39,
      !(first == 0x30 && (digits.dropFirst().first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false))
    else { return nil }
    if isWhole, let number = Int64(text) { return .number(number) }
    return Double(text).map(JSONValue.decimal)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".") || byte | 0x20 == 0x65
  }

  private mutating func string() -> String? {
    at += 1
    var text: [UInt8] = []
    while at < bytes.count, case let byte = bytes[at], byte >= 0x20 {
      at += 1
      if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escaped = escape() else { return nil }
      text += Array(String(escaped).utf8)
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard at < bytes.count else { return nil }
    defer { at += 1 }
    switch bytes[at] {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return Unicode.Scalar(bytes[at])
    case UInt8(ascii: "u"):
      guard at + 4 < bytes.count,
        let code = UInt32(String(decoding: bytes[at + 1...at + 4], as: UTF8.self), radix: 16)
      else { return nil }
      at += 4
      // Half of a surrogate pair; versions and sentences of contestants have none.
      return Unicode.Scalar(code) ?? "\u{fffd}"
    default: return nil
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
    guard bytes[at...].starts(with: word.utf8) else { return nil }
    at += word.utf8.count
    return value
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    skipSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: sign) else { return false }
    at += 1
    return true
  }

  private mutating func skipSpace() {
    while at < bytes.count,
      bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0D || bytes[at] == 0x0A
    { at += 1 }
  }
}
