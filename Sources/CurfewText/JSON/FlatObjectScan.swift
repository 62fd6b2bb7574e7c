/// Reads a JSON object whose values are whole numbers, booleans and strings without escapes.
/// In most traces every line except the first is such an object, and a trace may have millions
/// of lines. A JSON library takes ten times as long.
///
/// Any other object is left to a JSON library, which also gives better error messages.
package struct FlatObjectScan {
  private let bytes: [UInt8]
  private var at = 0
  private var isFirst = true

  /// The offset up to which the bytes were read. If the object is cut off, this is the end
  /// of the bytes.
  package private(set) var reached = 0

  /// Returns nil if `bytes` do not begin an object.
  package init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard skip(UInt8(ascii: "{")) else { return nil }
  }

  package enum Step {
    /// A key and its value. `key` is the number of the key among the keys that the caller knows;
    /// nil for any other key.
    case member(key: Int?, Plain)
    case end
    /// The object is not plain, or not JSON.
    case other
  }

  /// Reads the next key and its value. A string value is added to `texts`.
  package mutating func next(_ keys: KnownTexts, _ texts: inout KnownTexts) -> Step {
    defer { reached = at }
    if skip(UInt8(ascii: "}")) { return isAtEnd ? .end : .other }
    if !isFirst, !skip(UInt8(ascii: ",")) { return .other }
    isFirst = false
    guard let key = text(), skip(UInt8(ascii: ":")), let value = value(&texts) else {
      return .other
    }
    return .member(key: keys.number(key, in: bytes), value)
  }

  private mutating func value(_ known: inout KnownTexts) -> Plain? {
    skipSpace()
    guard at < bytes.count else { return nil }
    switch bytes[at] {
    case UInt8(ascii: "\""): return text().map { .text(known.text($0, in: bytes)) }
    case UInt8(ascii: "t"): return skip(word: "true") ? .flag(true) : nil
    case UInt8(ascii: "f"): return skip(word: "false") ? .flag(false) : nil
    case UInt8(ascii: "["): return texts(&known).map(Plain.texts)
    default: return number().map(Plain.number)
    }
  }

  private mutating func texts(_ known: inout KnownTexts) -> [String]? {
    guard skip(UInt8(ascii: "[")) else { return nil }
    var texts: [String] = []
    if skip(UInt8(ascii: "]")) { return texts }
    repeat {
      guard let text = text() else { return nil }
      texts.append(known.text(text, in: bytes))
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "]")) ? texts : nil
  }

  private mutating func text() -> KnownTexts.Bytes? {
    guard skip(UInt8(ascii: "\"")) else { return nil }
    var (end, hash) = (at, UInt32(0))
    while end < bytes.count, case let byte = bytes[end], byte >= 0x20, byte != UInt8(ascii: "\\") {
      if byte == UInt8(ascii: "\"") {
        defer { at = end + 1 }
        return KnownTexts.Bytes(range: at..<end, hash: hash)
      }
      hash = KnownTexts.hash(hash, byte)
      end += 1
    }
    at = end
    return nil
  }

  private mutating func number() -> Int64? {
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let start = at
    var number: Int64 = 0
    while at < bytes.count, case let digit = bytes[at] &- UInt8(ascii: "0"), digit < 10 {
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowToo) = product.subtractingReportingOverflow(Int64(digit))
      guard !overflow, !overflowToo else { return nil }
      number = sum
      at += 1
    }
    let count = at - start
    guard count > 0, count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    // Builds a negative number, because `Int64.min` has no positive counterpart. If a fraction
    // or an exponent follows, the caller stops, because it expects a comma.
    guard !isNegative else { return number }
    return number == .min ? nil : -number
  }

  // MARK: Bytes

  private var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return at == bytes.count
    }
  }

  private mutating func skipSpace() {
    while at < bytes.count,
      bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0D || bytes[at] == 0x0A
    { at += 1 }
  }

  private mutating func skip(_ sign: UInt8) -> Bool {
    skipSpace()
    guard at < bytes.count, bytes[at] == sign else { return false }
    at += 1
    return true
  }

  private mutating func skip(word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount {
      guard at < bytes.count, bytes[at] == word.utf8Start[index] else { return false }
      at += 1
    }
    return true
  }
}
