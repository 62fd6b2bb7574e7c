import CurfewText

/// The line of a file that a message is about, with a mark under what of it, for a person at
/// a terminal:
///
///       12 |   warning: 45s
///          |            ^^^
enum Excerpt {
  /// Both lines, no wider than `columns`, in the characters that the screen has; none where that
  /// is too narrow to show anything.
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
    // What stands before gives way first: the mark has to be seen.
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
