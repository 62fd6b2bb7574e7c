import CurfewConsole
import CurfewText

/// The source line of a message, with marks under the part in question, for a person at a terminal:
///
///       12 |   warning: 45s
///          |            ^^^
enum Excerpt {
  /// Returns both lines, no wider than `columns`, in the screen's characters; empty if `columns`
  /// is too narrow.
  static func lines(_ quote: SourceQuote, line: Int, columns: Int, _ screen: Screen) -> [String] {
    let margin = "\(line)".count + 2
    let width = columns - margin - 3
    guard width >= 16 else { return [] }
    let scalars = Array(quote.text.unicodeScalars)
    func shown(_ range: Range<Int>) -> String {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[range.clamped(to: 0..<scalars.count)])
      return screen.plain(String(text))
    }
    let end = quote.start + quote.length
    var before = shown(0..<quote.start)
    let token = shown(quote.start..<end).prefix(columns: width / 2)
    // The text before the mark is shortened first: the mark must stay visible.
    if before.displayWidth + token.displayWidth > width {
      before = screen.fitted(before, to: width / 2)
    }
    let text = (before + token + shown(end..<max(end, scalars.count))).prefix(columns: width)
    let mark =
      String(repeating: " ", count: before.displayWidth)
      + String(repeating: "^", count: max(1, token.displayWidth))
    return ["  \(line) | \(text)", String(repeating: " ", count: margin) + " | " + mark]
  }
}
