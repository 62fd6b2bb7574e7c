import CurfewText

/// The text of a page as it grows: HTML and SVG, in which every value is escaped and nothing that
/// was written by others is markup.
struct Markup {
  private(set) var text = ""
  private var identifiers = 0

  /// An element with what `body` writes into it.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<String, String?> = [:],
    _ body: (inout Markup) -> Void
  ) {
    open(name, attributes)
    body(&self)
    close(name)
  }

  /// An element with a text in it.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<String, String?> = [:], text: String
  ) {
    open(name, attributes)
    write(text)
    close(name)
  }

  /// An element of SVG, or one of HTML that has no end: `<path …/>`, `<meta …/>`.
  mutating func empty(_ name: StaticString, _ attributes: KeyValuePairs<String, String?>) {
    begin(name, attributes)
    text += "/>"
  }

  /// A text, escaped.
  mutating func write(_ words: String) { text += Markup.escaped(words) }

  /// What this file's neighbours have written themselves: a style sheet, a line end.
  mutating func literal(_ markup: StaticString) { text += "\(markup)" }

  /// A name for an element that others refer to, the same in every run.
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

  /// Control characters, and those that turn the direction of what follows around, are told by
  /// their numbers: HTML cannot have the ones, and a name must not use the others.
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
enum Place {
  /// Of the width, `0.125` is `12.5%`.
  static func percent(_ share: Double) -> String {
    HumanNumber.decimal(share * 100, places: 3) + "%"
  }

  /// In pixels.
  static func pixels(_ value: Double) -> String { HumanNumber.decimal(value, places: 1) }
}
