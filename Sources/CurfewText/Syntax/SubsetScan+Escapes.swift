/// Scans escapes. The file itself has no control characters, so only an escape can put one into
/// a double-quoted text.
extension SubsetScan {
  /// Refuses the escape here if it means a control character, which would reach the terminals
  /// that show the text. Line breaks and tabs are refused too, because names and labels are shown
  /// in lines and columns; block text may contain them.
  package mutating func refuseEscapedControl() {
    guard let scalar = escape(at: index)?.scalar, scalar.isControl else { return }
    refuse("text must not contain control characters: \(scalar.codePoint)")
  }

  /// The text of a quoted scalar without its quotes.
  func unquoted(_ quote: UInt8, _ range: Range<Int>) -> String {
    guard quote == UInt8(ascii: "\"") else {
      return String(decoding: bytes[range], as: UTF8.self).replacing("''", with: "'")
    }
    var text = String.UnicodeScalarView()
    var (index, plain) = (range.lowerBound, range.lowerBound)
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\"), let escape = escape(at: index) else {
        index += 1
        continue
      }
      text.append(contentsOf: String(decoding: bytes[plain..<index], as: UTF8.self).unicodeScalars)
      text.append(escape.scalar)
      index += escape.length
      plain = index
    }
    text.append(
      contentsOf: String(decoding: bytes[plain..<range.upperBound], as: UTF8.self).unicodeScalars)
    return String(text)
  }

  /// The meaning and the length of the escape at `index`; nil for an escape that YAML does
  /// not have, which the parser refuses.
  private func escape(at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    guard index + 1 < bytes.count else { return nil }
    let scalar: Unicode.Scalar
    switch Unicode.Scalar(bytes[index + 1]) {
    case "0": scalar = "\0"
    case "a": scalar = "\u{07}"
    case "b": scalar = "\u{08}"
    case "t", "\t": scalar = "\t"
    case "n": scalar = "\n"
    case "v": scalar = "\u{0B}"
    case "f": scalar = "\u{0C}"
    case "r": scalar = "\r"
    case "e": scalar = "\u{1B}"
    case "_": scalar = "\u{A0}"
    case "N": scalar = "\u{85}"
    case "L": scalar = "\u{2028}"
    case "P": scalar = "\u{2029}"
    case " ", "\"", "/", "\\": scalar = Unicode.Scalar(bytes[index + 1])
    case "x": return hexEscape(at: index, digits: 2)
    case "u": return hexEscape(at: index, digits: 4)
    case "U": return hexEscape(at: index, digits: 8)
    default: return nil
    }
    return (scalar, 2)
  }

  private func hexEscape(at index: Int, digits: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    guard index + 2 + digits <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[index + 2..<index + 2 + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return Unicode.Scalar(value).map { ($0, 2 + digits) }
  }
}
