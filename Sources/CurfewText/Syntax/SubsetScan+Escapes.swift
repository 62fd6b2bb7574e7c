/// The scan's look at escapes. The text itself has no control characters, so a double-quoted text can get them by an escape only.
extension SubsetScan {
  /// Refuses the escape that stands here if it means a control character: it would reach the terminals that show the text. Line breaks and
  /// tabs too, because names and labels are shown in lines and columns; block text is the place for them.
  package mutating func refuseEscapedControl() {
    guard let scalar = escapedScalar(), scalar.isControl else { return }
    refuse("a text has no control characters: \(scalar.codePoint)")
  }

  /// What the escape that stands here means, if that may be a control character. YAML knows no others; its parser refuses the rest.
  private func escapedScalar() -> Unicode.Scalar? {
    switch peek(1).map(Unicode.Scalar.init) {
    case "0": "\0"
    case "a": "\u{07}"
    case "b": "\u{08}"
    case "t", "\t": "\t"
    case "n": "\n"
    case "v": "\u{0B}"
    case "f": "\u{0C}"
    case "r": "\r"
    case "e": "\u{1B}"
    case "N": "\u{85}"
    case "L": "\u{2028}"
    case "P": "\u{2029}"
    case "x": hexScalar(digits: 2)
    case "u": hexScalar(digits: 4)
    case "U": hexScalar(digits: 8)
    default: nil
    }
  }

  private func hexScalar(digits: Int) -> Unicode.Scalar? {
    var value: UInt32 = 0
    for ahead in 2..<2 + digits {
      guard let digit = peek(ahead).flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return Unicode.Scalar(value)
  }
}
