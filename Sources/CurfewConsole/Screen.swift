package import CurfewSystem
import CurfewText

/// The properties of an output that text for a person is laid out for: its columns, its characters,
/// and whether it shows emphasis.
package struct Screen {
  /// The maximum width of drawings.
  package let width: Int
  /// The value of `COLUMNS`, which also applies to a pipe.
  package let columns: Int?
  /// The column at which text is wrapped; nil in a pipe, whose reader expects whole lines.
  package let textWidth: Int?
  /// Whether characters beyond ASCII can be shown.
  package let isUnicode: Bool
  package let style: TextStyle
  /// Whether the output is a terminal.
  package let isTerminal: Bool

  /// The minimum number of columns that text is laid out for.
  private static let leastWidth = 40
  /// The assumed width of a pipe or a file.
  private static let usualWidth = 80

  /// Reads the properties. The environment variable `COLUMNS` takes precedence over the terminal's
  /// own width; drawings in a pipe have 80 columns. The locale is the first of `LC_ALL`, `LC_CTYPE`
  /// and `LANG` that is set; if none is set, the locale is C, which has only ASCII.
  package init(of output: Descriptor, environment: [String: String]) {
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

  package init(
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
  package func plain(_ text: String) -> String { inCharacters(text.escapingControls) }

  /// The text in the available characters: characters that Curfew itself writes have ASCII
  /// replacements; others are escaped by their number.
  package func inCharacters(_ text: String) -> String {
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

  /// The minimum number of columns for wrapped text, whatever its margin.
  private static let leastText = 16

  /// The text in lines that fit into `columns`. Lines break at spaces; the spaces at a break
  /// are dropped, and all other spaces stay. A longer word is split, after a punctuation mark
  /// if possible.
  ///
  /// - Parameters:
  ///   - lead: The columns before the first line, which the caller fills.
  ///   - margin: The spaces before all other lines.
  package static func wrapped(
    _ text: String, after lead: Int = 0, margin: Int = 0, to columns: Int?
  )
    -> [String]
  {
    var (pieces, rest) = ([Piece](), text[...])
    while !rest.isEmpty {
      let gap = rest.prefix { $0 == " " }
      let word = rest[gap.endIndex...].prefix { $0 != " " }
      pieces.append(Piece(gap: String(gap), word: word))
      rest = rest[word.endIndex...]
    }
    return filled(pieces, lead, margin, columns)
  }

  /// The phrases with two spaces between them, in lines that fit into `columns`. Lines break
  /// between phrases only.
  package static func wrapped(phrases: [String], after lead: Int, margin: Int, to columns: Int?)
    -> [String]
  {
    let pieces = phrases.enumerated().map { Piece(gap: $0 == 0 ? "" : "  ", word: $1[...]) }
    return filled(pieces, lead, margin, columns)
  }

  /// A part of a text that is not broken, with the spaces before it.
  private struct Piece {
    let gap: String
    let word: Substring
  }

  private static func filled(_ pieces: [Piece], _ lead: Int, _ margin: Int, _ columns: Int?)
    -> [String]
  {
    let first = columns.map { max($0 - lead, leastText) } ?? .max
    let others = columns.map { max($0 - margin, leastText) } ?? .max
    let indent = String(repeating: " ", count: margin)
    var (lines, line, used) = ([String](), "", 0)
    var isEmpty = true
    for piece in pieces {
      // The spaces at the beginning of the text are its own margin.
      let isFirst = lines.isEmpty && isEmpty
      let gap = isEmpty && !isFirst ? 0 : piece.gap.count
      let room = lines.isEmpty ? first : others
      let width = piece.word.displayWidth
      if used + gap + width <= room {
        line += piece.gap.prefix(gap) + piece.word
        (used, isEmpty) = (used + gap + width, false)
        continue
      }
      var rest = piece.word
      if rest.isEmpty { continue }  // spaces at the end
      if isEmpty {
        line += piece.gap.prefix(gap)
        used += gap
      } else {
        lines.append(line)
        (line, used, isEmpty) = (indent, 0, true)
      }
      while case let room = (lines.isEmpty ? first : others) - used, rest.displayWidth > room {
        let part = torn(rest, to: max(1, room))
        lines.append(line + part)
        (line, used) = (indent, 0)
        rest = rest[part.endIndex...]
      }
      line += rest
      (used, isEmpty) = (used + rest.displayWidth, false)
    }
    return lines + [line]
  }

  /// The beginning of a word that fits, with at least one character.
  private static func torn(_ word: Substring, to columns: Int) -> Substring {
    let fitting = word.prefix(columns: columns)
    let most = fitting.isEmpty ? word.prefix(1) : word[..<fitting.endIndex]
    let stop = most.dropFirst(most.count / 3).lastIndex { ":/.,".contains($0) }
    return stop.map { word[...$0] } ?? most
  }

  /// The name, or an ellipsis and its end if it is too long: all identifiers of one vendor
  /// begin alike.
  package func fitted(_ name: String, to columns: Int) -> String {
    guard name.displayWidth > columns else { return name }
    let ellipsis = plain("…")
    let rest = String(name.reversed()).prefix(columns: columns - ellipsis.displayWidth)
    return ellipsis + String(rest.reversed())
  }
}

package enum Alignment { case left, right }

package func pad(_ text: String, _ width: Int, _ alignment: Alignment) -> String {
  let space = String(repeating: " ", count: max(0, width - text.displayWidth))
  return alignment == .left ? text + space : space + text
}

/// Emphasis, or none.
package enum TextStyle {
  case plain, ansi

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func dim(_ text: String) -> String { wrap(text, "2") }
  package func red(_ text: String) -> String { wrap(text, "31") }
  package func yellow(_ text: String) -> String { wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .ansi: text.isEmpty ? text : "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
  }
}
