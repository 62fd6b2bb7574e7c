extension Unicode.Scalar {
  /// Whether displayed texts must not contain this scalar: a control character, a line separator
  /// that is a line break in YAML but not in editors, a byte order mark, or a noncharacter.
  package var isControl: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  /// Whether the scalar changes the direction of the following text. A name or a message must
  /// not do that to the rest of its line.
  var turnsText: Bool {
    switch value {
    case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// `U+001B`
  package var codePoint: String { "U+" + hex(uppercase: true) }

  /// The value in at least four hex digits.
  package func hex(uppercase: Bool = false) -> String {
    let digits = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  /// This text with `\u{1b}` in place of a control character, so that a message about a file cannot
  /// control the terminal that shows it.
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
