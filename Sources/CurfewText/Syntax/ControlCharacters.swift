extension Unicode.Scalar {
  /// Whether texts that are shown must not have this: a control character, one of the line
  /// separators that YAML counts as line breaks and editors do not, a byte order mark, or no
  /// character at all.
  package var isControl: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  /// Whether it turns the direction of what follows it around, which a name or a message is not to
  /// do to the rest of its line.
  var turnsText: Bool {
    switch value {
    case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// `U+001B`
  package var codePoint: String { "U+" + hex(uppercase: true) }

  /// At least four digits.
  package func hex(uppercase: Bool = false) -> String {
    let digits = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  /// This, with `\u{1b}` in place of a control character, so that no file can command the terminal
  /// that shows a message about it.
  package var escapingControls: String {
    guard unicodeScalars.contains(where: { $0.isControl || $0.turnsText }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl || scalar.turnsText {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
