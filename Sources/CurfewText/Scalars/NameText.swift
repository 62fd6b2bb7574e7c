/// Names that files declare: kinds, modes, facts, groups.
package enum NameText {
  /// The limit of a name's length. A longer name is a mistake.
  package static let greatestLength = 64

  /// Whether `text` may be a name: a letter, then letters, digits and hyphens.
  package static func isSound(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= greatestLength else {
      return false
    }
    return text.utf8.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
  }

  /// The error for a text that is not a name.
  package static func refusal(of text: String, _ what: String) -> String {
    "a \(what)'s name is a letter, then letters, digits and '-', \(greatestLength) at most; found '\(text.prefix(80))'"
  }

  /// The same rule as a regular expression.
  static let pattern = "^\(bare)$"

  /// The expression without anchors, for use inside a longer expression.
  package static let bare = "[A-Za-z][A-Za-z0-9-]{0,\(greatestLength - 1)}"

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
