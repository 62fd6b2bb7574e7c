/// The scan of blanks, comments, and plain, quoted and block scalars.
extension SubsetScan {
  package func peek(_ ahead: Int = 0) -> UInt8? {
    index + ahead < bytes.count ? bytes[index + ahead] : nil
  }

  /// Whether the byte `ahead` separates words: a space, a tab, or the end of a line or of the file.
  package func isBlankOrEnd(_ ahead: Int) -> Bool {
    switch peek(ahead) {
    case nil, UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  package func isLineEnd() -> Bool {
    switch peek() {
    case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  package static func isBracketOrComma(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"):
      true
    default: false
    }
  }

  package mutating func advance(by count: Int = 1) {
    for _ in 0..<count {
      guard let byte = peek() else { return }
      index += 1
      let isFirstHalf = byte == UInt8(ascii: "\r") && peek() == UInt8(ascii: "\n")
      if (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")) && !isFirstHalf {
        (line, column, atLineStart) = (line + 1, 1, true)
      } else if peek().map({ $0 & 0xC0 != 0x80 }) ?? true {
        column += 1  // at the last byte of a character
      }
    }
  }

  /// Skips blanks, line breaks and comments.
  package mutating func skipToToken() {
    var isSeparated = atLineStart || index == 0 || isBlankOrEnd(-1)
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        isSeparated = true
      case UInt8(ascii: "\t"):
        refuseTab()
        isSeparated = true
      case UInt8(ascii: "#") where isSeparated:
        plainMayGoOn = false
        while !isLineEnd() { advance() }
        continue
      default:
        return
      }
      advance()
    }
  }

  /// Reports only the first tab of each line.
  package mutating func refuseTab() {
    guard lastTabLine != line else { return }
    lastTabLine = line
    refuse("a tab; indent and separate with spaces")
  }

  /// Scans plain text to its end or to the end of its line; returns whether there was any.
  package mutating func scanPlain() -> Bool {
    let start = index
    while let byte = peek(), !isLineEnd() {
      if byte == UInt8(ascii: ":") {
        if isBlankOrEnd(1) { return index > start }
        if flowDepth > 0, let next = peek(1), SubsetScan.isBracketOrComma(next) {
          return index > start
        }
      }
      if flowDepth > 0, SubsetScan.isBracketOrComma(byte) { return index > start }
      if byte == UInt8(ascii: "#"), index > 0, isBlankOrEnd(-1) { return index > start }
      if byte == UInt8(ascii: "\t") { refuseTab() }
      advance()
    }
    plainMayGoOn = true
    return index > start
  }

  package mutating func scanQuoted(_ quote: UInt8) {
    advance()
    while let byte = peek() {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        refuseEscapedControl()
        advance(by: 2)
      } else if byte == quote {
        advance()
        guard quote == UInt8(ascii: "'"), peek() == quote else { break }
        advance()
      } else {
        advance()
      }
    }
    atLineStart = false
  }

  /// Scans `|` or `>` and every line that belongs to it: blank lines, and lines indented deeper
  /// than the parent.
  package mutating func scanBlockText() {
    while !isLineEnd() { advance() }
    advance()
    let parent = indents.last ?? 0
    while peek() != nil {
      let start = (index, column)
      while peek() == UInt8(ascii: " ") { advance() }
      if !isLineEnd(), column <= parent {
        (index, column) = start
        break
      }
      if peek() == UInt8(ascii: "\t"), column <= parent + 1 { refuseTab() }
      while !isLineEnd() { advance() }
      advance()
    }
    atLineStart = true
  }
}
