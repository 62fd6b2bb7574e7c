/// Finds the keys of an old-style property list's root dictionary: `{ key = value; }`, or the same without braces.
///
/// It runs over a text that Foundation has read. Escapes in keys are left, and the outline is then given up; Foundation itself refuses text
/// after the end.
struct OldStyleOutline {
  private var text: TextCursor
  private var outline = PropertyListOutline()
  /// How deep the root's keys stand.
  private var keyDepth = 1
  private var depth = 0
  private var expectsKey = false

  /// - Complexity: O(bytes).
  static func outline(of bytes: [UInt8]) -> PropertyListOutline {
    var scan = OldStyleOutline(text: TextCursor(bytes))
    scan.skipAsides()
    if scan.text.byte != UInt8(ascii: "{") { (scan.keyDepth, scan.expectsKey, scan.outline.isStringsFile) = (0, true, true) }
    while scan.text.byte != nil {
      scan.token()
      scan.skipAsides()
    }
    return scan.outline
  }

  private init(text: TextCursor) { self.text = text }

  private mutating func skipAsides() {
    while true {
      text.skipBlanks()
      if text.isAt("//") {
        _ = text.take { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      } else if text.isAt("/*") {
        _ = text.take(past: "*/")
      } else {
        return
      }
    }
  }

  private mutating func token() {
    guard let byte = text.byte else { return }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "("): open(byte)
    case UInt8(ascii: "}"), UInt8(ascii: ")"):
      depth -= 1
      text.step()
    case UInt8(ascii: ";"):
      if depth == keyDepth { expectsKey = true }
      text.step()
    case UInt8(ascii: "="), UInt8(ascii: ","): text.step()
    case UInt8(ascii: "<"): _ = text.take(past: ">")
    default: word(byte)
    }
  }

  private mutating func open(_ byte: UInt8) {
    depth += 1
    if byte == UInt8(ascii: "{"), depth == keyDepth { expectsKey = true }
    text.step()
  }

  private mutating func word(_ first: UInt8) {
    let position = text.here()
    let word = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") ? quoted(first) : bare()
    guard expectsKey, depth == keyDepth else { return }
    expectsKey = false
    outline.keys.append(PropertyListOutline.Key(name: String(decoding: word, as: UTF8.self), position: position))
  }

  private mutating func quoted(_ quote: UInt8) -> ArraySlice<UInt8> {
    text.step()
    var isEscaped = false
    let content = text.take { byte in
      defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
      return byte == quote && !isEscaped
    }
    if text.byte != nil { text.step() }
    return content
  }

  /// One character at least, so that each token takes the scan on.
  private mutating func bare() -> ArraySlice<UInt8> {
    var isFirst = true
    return text.take { byte in
      defer { isFirst = false }
      return !isFirst && (byte.isBlank || "{}();=,<\"'".utf8.contains(byte))
    }
  }
}
