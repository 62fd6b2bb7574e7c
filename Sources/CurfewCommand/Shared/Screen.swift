import CurfewSystem
import CurfewText

/// The properties of an output that text for a person is laid out for: its columns, its characters,
/// and whether it shows emphasis.
struct Screen {
  /// The greatest width of drawings.
  let width: Int
  /// The value of `COLUMNS`, also for a pipe.
  let columns: Int?
  /// The column at which text is wrapped; nil in a pipe, whose reader expects whole lines.
  let textWidth: Int?
  /// Whether characters beyond ASCII can be shown.
  let isUnicode: Bool
  let style: TextStyle
  /// Whether the output is a terminal.
  let isTerminal: Bool

  /// The fewest columns that text is laid out for.
  private static let leastWidth = 40
  /// The assumed width of a pipe or a file.
  private static let usualWidth = 80

  /// Reads the properties. `COLUMNS` of the environment comes first, then the terminal's own width;
  /// drawings in a pipe have 80 columns. The locale is the first of `LC_ALL`, `LC_CTYPE` and `LANG`
  /// that is set; without one it is C, which has only ASCII.
  init(of output: Descriptor, environment: [String: String]) {
    let columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap {
      $0 > 0 ? max($0, Screen.leastWidth) : nil
    }
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      ?? "C"
    let isColorful =
      output.isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
    self.init(
      columns: columns, terminal: output.columns.map { max($0, Screen.leastWidth) },
      isUnicode: locale.lowercased().replacing("-", with: "").contains("utf8"),
      style: isColorful ? .ansi : .plain,
      isTerminal: output.isTerminal)
  }

  init(
    columns: Int?, terminal: Int? = nil, isUnicode: Bool = true, style: TextStyle = .plain,
    isTerminal: Bool = false
  ) {
    textWidth = columns ?? terminal
    width = textWidth ?? Screen.usualWidth
    (self.columns, self.isUnicode, self.style, self.isTerminal) = (
      columns, isUnicode, style, isTerminal
    )
  }

  /// The text with control characters escaped, in the available characters.
  func plain(_ text: String) -> String { inCharacters(text.escapingControls) }

  /// The text in the available characters: characters that Curfew itself writes have ASCII
  /// replacements, others are escaped by number.
  func inCharacters(_ text: String) -> String {
    guard !isUnicode, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.unicodeScalars.map { scalar in
      scalar.isASCII
        ? String(scalar) : Screen.likes[scalar] ?? "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
  }

  private static let likes: [Unicode.Scalar: String] = [
    "▸": ">", "→": "->", "✗": "x", "…": "...", "·": ".", "█": "#", "▓": "%", "▒": "=", "░": "-",
    "–": "-", "—": "-", "×": "x", "≥": ">=",
    "≤": "<=",
    "µ": "u", "✓": "+", "±": "+-", "’": "'", "“": "\"", "”": "\"",
  ]

  /// The words of `text`, wrapped at `columns`. A longer word is split, after a punctuation mark
  /// if possible.
  static func wrapped(_ text: String, to columns: Int?) -> [String] {
    guard let columns, text.displayWidth > columns else { return [text] }
    var (lines, line, used) = ([String](), "", 0)
    for word in text.split(separator: " ").flatMap({ torn($0, to: columns) }) {
      let width = word.displayWidth
      if !line.isEmpty, used + 1 + width > columns {
        lines.append(line)
        (line, used) = (String(word), width)
      } else {
        line += (line.isEmpty ? "" : " ") + word
        used += (used == 0 ? 0 : 1) + width
      }
    }
    return lines + [line]
  }

  /// A word, split into pieces of at most `columns`.
  private static func torn(_ word: Substring, to columns: Int) -> [Substring] {
    var (rest, pieces) = (word, [Substring]())
    while rest.displayWidth > columns {
      let most = rest.prefix(columns: columns)
      let stop = most.dropFirst(most.count / 3).lastIndex { ":/.,".contains($0) }
      let piece = stop.map { rest[...$0] } ?? most
      pieces.append(piece)
      rest = rest[piece.endIndex...]
    }
    return pieces + [rest]
  }

  /// The text wrapped with a margin before all lines but the first.
  static func wrapped(_ text: String, margin: Int, to width: Int?) -> String {
    wrapped(text, to: width.map { max($0 - margin, 16) }).joined(
      separator: "\n" + String(repeating: " ", count: margin))
  }

  /// The name, or its end after an ellipsis if it is too long: identifiers of one vendor
  /// begin alike.
  func fitted(_ name: String, to columns: Int) -> String {
    guard name.displayWidth > columns else { return name }
    let ellipsis = plain("…")
    let rest = String(name.reversed()).prefix(columns: columns - ellipsis.displayWidth)
    return ellipsis + String(rest.reversed())
  }
}

enum Alignment { case left, right }

func pad(_ text: String, _ width: Int, _ alignment: Alignment) -> String {
  let space = String(repeating: " ", count: max(0, width - text.displayWidth))
  return alignment == .left ? text + space : space + text
}

/// Emphasis, or none.
enum TextStyle {
  case plain, ansi

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func red(_ text: String) -> String { wrap(text, "31") }
  func yellow(_ text: String) -> String { wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .ansi: text.isEmpty ? text : "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
  }
}
