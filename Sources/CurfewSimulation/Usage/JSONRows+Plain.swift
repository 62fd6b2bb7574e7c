/// Plain values of JSON lines: texts, numbers, true, false and null.
extension JSONRows {
  /// Reads a plain value, whose first byte is `first`, into `text`. The quotes and escapes of a
  /// text are removed, a number is copied as written, and null makes `text` empty.
  mutating func readPlain(_ first: UInt8?) throws(UsageFault) {
    switch first {
    case nil: throw fault("the line ends where a value is expected")
    case UInt8(ascii: "\""): return try readText()
    case UInt8(ascii: "t"): try readWord("true")
    case UInt8(ascii: "f"): try readWord("false")
    case UInt8(ascii: "n"):
      try readWord("null")
      text.removeAll(keepingCapacity: true)
    default: try readNumber()
    }
  }

  private mutating func readWord(_ word: StaticString) throws(UsageFault) {
    text.removeAll(keepingCapacity: true)
    for index in 0..<word.utf8CodeUnitCount {
      let byte = word.utf8Start[index]
      guard at + index < end, bytes[at + index] == byte else {
        throw fault("not the beginning of a value")
      }
      text.append(byte)
    }
    at += word.utf8CodeUnitCount
  }

  private mutating func readNumber() throws(UsageFault) {
    let start = at
    if at < end, bytes[at] == UInt8(ascii: "-") { at += 1 }
    let whole = at
    guard skipDigits() > 0 else {
      at = start
      throw fault("not the beginning of a value")
    }
    if bytes[whole] == UInt8(ascii: "0"), at > whole + 1 {
      at = start
      throw fault("a number must not begin with 0")
    }
    if at < end, bytes[at] == UInt8(ascii: ".") {
      at += 1
      guard skipDigits() > 0 else { throw fault("a digit is missing") }
    }
    if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < end, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") { at += 1 }
      guard skipDigits() > 0 else { throw fault("a digit is missing") }
    }
    text.removeAll(keepingCapacity: true)
    text += bytes[start..<at]
  }

  private mutating func skipDigits() -> Int {
    let start = at
    while at < end, bytes[at].digit != nil { at += 1 }
    return at - start
  }

  // MARK: Texts

  /// Reads the text whose opening quote is next.
  mutating func readText() throws(UsageFault) {
    text.removeAll(keepingCapacity: true)
    let quote = at
    at += 1
    var start = at
    while at < end {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        text += bytes[start..<at]
        at += 1
        return
      case UInt8(ascii: "\\"):
        text += bytes[start..<at]
        try readEscape()
        start = at
      case ..<0x20: throw fault("a control character is inside quotes")
      default: at += 1
      }
    }
    at = quote
    throw fault("the quote is not closed")
  }

  private mutating func readEscape() throws(UsageFault) {
    let escape = at
    guard at + 1 < end else { throw fault("the line ends in an escape") }
    let sign = bytes[at + 1]
    at += 2
    switch sign {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(sign)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let scalar = readScalar() else {
        at = escape
        throw fault("the escape is not a character")
      }
      text += Array(String(scalar).utf8)
    default:
      at = escape
      throw fault("there is no such escape")
    }
  }

  /// Reads a scalar from its hexadecimal digits: four, or a surrogate pair of two times four with
  /// `\u` between them.
  private mutating func readScalar() -> Unicode.Scalar? {
    guard let first = readHexadecimal() else { return nil }
    guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
    guard at + 1 < end, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
      return nil
    }
    at += 2
    guard let second = readHexadecimal(), 0xDC00..<0xE000 ~= second else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func readHexadecimal() -> UInt32? {
    guard at + 4 <= end else { return nil }
    var number: UInt32 = 0
    for byte in bytes[at..<at + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        return nil
      }
      number = number << 4 + UInt32(digit)
    }
    at += 4
    return number
  }

  // MARK: Signs

  /// The next byte that is not blank, which is not consumed; nil at the end of the line.
  mutating func peek() -> UInt8? {
    while at < end, bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0D { at += 1 }
    return at < end ? bytes[at] : nil
  }

  mutating func skip(_ sign: UInt8) -> Bool {
    guard peek() == sign else { return false }
    at += 1
    return true
  }

  func fault(_ message: String) -> UsageFault {
    UsageFault(reason: .json, place: at) { "invalid JSON: \(message)" }
  }
}
