import CurfewText

/// Builds the text of a page: HTML and SVG. Every value is escaped, so data never becomes markup.
struct Markup {
  private(set) var text = ""
  private var identifiers = 0

  /// Writes an element with the content that `body` writes.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<String, String?> = [:],
    _ body: (inout Markup) -> Void
  ) {
    open(name, attributes)
    body(&self)
    close(name)
  }

  /// Writes an element that contains only text.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<String, String?> = [:], text: String
  ) {
    open(name, attributes)
    write(text)
    close(name)
  }

  /// Writes an empty element of SVG, or a void element of HTML: `<path …/>`, `<meta …/>`.
  mutating func empty(_ name: StaticString, _ attributes: KeyValuePairs<String, String?>) {
    begin(name, attributes)
    text += "/>"
  }

  /// Writes text, escaped.
  mutating func write(_ words: String) { text += Markup.escaped(words) }

  /// Writes constant markup unescaped: a style sheet, a line break.
  mutating func literal(_ markup: StaticString) { text += "\(markup)" }

  /// A new identifier for an element that others refer to. Identifiers are the same in every run.
  mutating func identifier() -> String {
    identifiers += 1
    return "i\(identifiers)"
  }

  private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<String, String?>) {
    begin(name, attributes)
    text += ">"
  }

  private mutating func close(_ name: StaticString) { text += "</\(name)>" }

  private mutating func begin(_ name: StaticString, _ attributes: KeyValuePairs<String, String?>) {
    text += "<\(name)"
    for case (let key, let value?) in attributes { text += " \(key)=\"\(Markup.escaped(value))\"" }
  }

  /// Escapes text. Control characters and characters that change the text direction are written as
  /// numbers: HTML forbids control characters, and a name must not change the text direction.
  static func escaped(_ words: String) -> String {
    let words = words.escapingControls
    guard words.utf8.contains(where: { special.contains($0) }) else { return words }
    var result = ""
    result.reserveCapacity(words.utf8.count + 16)
    for character in words.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static let special: [UInt8] = Array("&<>\"'".utf8)
}

/// Places in a drawing.
enum MarkupPlace {
  /// A share of the width: `0.125` is `12.5%`.
  static func percent(_ share: Double) -> String {
    HumanNumber.decimal(share * 100, places: 3) + "%"
  }

  /// A number of pixels.
  static func pixels(_ value: Double) -> String { HumanNumber.decimal(value, places: 1) }
}
