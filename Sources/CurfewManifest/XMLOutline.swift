/// Finds the keys of an XML property list's root dictionary, and the text after the list.
///
/// Foundation has already read the text. Like Foundation, the scan ignores attributes and ends
/// a tag at a `>`.
struct XMLOutline {
  private var text: TextCursor
  private var outline = PropertyListOutline()
  private var depth = 0
  /// Whether the dictionary is inside `<plist>`.
  private var isEnveloped = false

  /// - Complexity: O(bytes).
  static func outline(of bytes: [UInt8]) -> PropertyListOutline {
    var scan = XMLOutline(text: TextCursor(bytes))
    while scan.goOn() {}
    scan.findRest()
    return scan.outline
  }

  private init(text: TextCursor) { self.text = text }

  /// Reads the next tag; returns false after the last tag of the list.
  private mutating func goOn() -> Bool {
    _ = text.take(upTo: UInt8(ascii: "<"))
    guard text.byte != nil else { return false }
    if skipAside() { return true }
    let position = text.here()
    text.step()
    let tag = text.take(past: ">")
    let isClosing = tag.first == UInt8(ascii: "/")
    let name = tag.drop { $0 == UInt8(ascii: "/") }.prefix {
      !$0.isBlank && $0 != UInt8(ascii: "/")
    }
    let isWhole = tag.last == UInt8(ascii: "/") && !isClosing
    if name.elementsEqual("plist".utf8) {
      isEnveloped = true
      return !isClosing && !isWhole
    }
    if isClosing {
      depth -= 1
    } else if name.elementsEqual("key".utf8), depth == 1 {
      outline.keys.append(
        PropertyListOutline.Key(name: isWhole ? "" : content(), position: position))
    }
    if !isClosing, !isWhole { depth += 1 }
    return depth > 0 || isEnveloped
  }

  /// Skips a comment, a CDATA section, an instruction or a declaration.
  private mutating func skipAside() -> Bool {
    if text.isAt("<!--") {
      _ = text.take(past: "-->")
    } else if text.isAt("<![CDATA[") {
      _ = text.take(past: "]]>")
    } else if text.isAt("<?") {
      _ = text.take(past: "?>")
    } else if text.isAt("<!") {
      _ = text.take(past: ">")
    } else {
      return false
    }
    return true
  }

  /// The text up to the next tag.
  private mutating func content() -> String {
    var content = ""
    while true {
      content += XMLOutline.unescaped(
        String(decoding: text.take(upTo: UInt8(ascii: "<")), as: UTF8.self))
      guard text.isAt("<![CDATA[") else { return content }
      _ = text.take(past: "[CDATA[")
      content += String(decoding: text.take(past: "]]>"), as: UTF8.self)
    }
  }

  /// Returns the text with its entities and character references replaced. Only the predefined
  /// entities of XML are known.
  private static func unescaped(_ text: String) -> String {
    let names = ["lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&"]
    let pieces = text.split(separator: "&", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(String(pieces[0])) { text, piece in
      let (name, rest) = (piece.prefix { $0 != ";" }, piece.drop { $0 != ";" }.dropFirst())
      let digits = name.drop { "#x".contains($0) }
      let scalar =
        name.hasPrefix("#")
        ? UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10).flatMap(Unicode.Scalar.init) : nil
      return text
        + ((names[String(name)] ?? scalar.map { String($0) }).map { $0 + rest } ?? "&" + piece)
    }
  }

  private mutating func findRest() {
    while text.byte != nil {
      text.skipBlanks()
      guard text.isAt("<!--") || text.isAt("<?") else { break }
      _ = skipAside()
    }
    if text.byte != nil { outline.rest = .text(text.here()) }
  }
}
