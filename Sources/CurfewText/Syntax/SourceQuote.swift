/// A line of a file, and the part of the line under which a diagnostic shows a caret.
package struct SourceQuote: Hashable, Sendable {
  /// The line without its end; for a very long line, the part around the place.
  package let text: String
  /// The start of the part in `text`, counted from 0 in Unicode scalars.
  package let start: Int
  /// The length of the part in Unicode scalars, at least one.
  package let length: Int

  /// The length of the text that is kept before and after a place: more than the width of
  /// any terminal.
  private static let reach = 500

  /// Creates a quote of the word or the value that begins at `column` of `line`.
  init(of line: Substring, column: Int) {
    let scalars = line.unicodeScalars
    let place =
      scalars.index(scalars.startIndex, offsetBy: column - 1, limitedBy: scalars.endIndex)
      ?? scalars.endIndex
    let first =
      scalars.index(place, offsetBy: -SourceQuote.reach, limitedBy: scalars.startIndex)
      ?? scalars.startIndex
    let last =
      scalars.index(place, offsetBy: SourceQuote.reach, limitedBy: scalars.endIndex)
      ?? scalars.endIndex
    text = String(Substring(scalars[first..<last]))
    start = scalars.distance(from: first, to: place)
    let token = SourceQuote.token(
      scalars[place..<last], isInFlow: SourceQuote.opensFlow(scalars[first..<place]))
    length = max(1, token)
  }

  /// The length of the scalar or the key at the beginning of `text`; for a list or a mapping,
  /// the length of its bracket.
  private static func token(_ text: Substring.UnicodeScalarView, isInFlow: Bool) -> Int {
    guard let first = text.first, !"[]{},".unicodeScalars.contains(first) else { return 1 }
    var length = 0
    if first == "\"" || first == "'" {
      var isEscaped = false
      for scalar in text {
        length += 1
        if length > 1, scalar == first, !isEscaped { return length }
        isEscaped = scalar == "\\" && first == "\"" && !isEscaped
      }
      return length
    }
    var (kept, previous) = (0, Unicode.Scalar(" "))
    for (index, scalar) in zip(text.indices, text) {
      let next = text[text.index(after: index)...].first
      if scalar == ":",
        next == nil || next == " " || isInFlow && ",[]{}".unicodeScalars.contains(next ?? " ")
      {
        break
      }
      if scalar == "#", previous == " ", length > 0 { break }
      if isInFlow, ",[]{}".unicodeScalars.contains(scalar) { break }
      length += 1
      if scalar != " " { kept = length }
      previous = scalar
    }
    return kept
  }

  /// Whether a bracket is open at the end of `text`. If it is, a comma ends a value.
  private static func opensFlow(_ text: Substring.UnicodeScalarView) -> Bool {
    var (depth, quote) = (0, Unicode.Scalar?.none)
    for scalar in text {
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == "[" || scalar == "{" {
        depth += 1
      } else if scalar == "]" || scalar == "}" {
        depth -= 1
      }
    }
    return depth > 0
  }
}

extension FileErrors {
  /// Returns these errors, with the line for each place in `source`. Existing quotes are kept.
  ///
  /// - Complexity: O(n) in the length of the file.
  package func quoting(_ source: SourceFile) -> FileErrors {
    let places = diagnostics.filter { $0.quote == nil }.compactMap(\.place).filter {
      $0.file == source.name
    }
    let lines = source.lines(Set(places.map(\.line)))
    return FileErrors(
      diagnostics.map { diagnostic in
        guard diagnostic.quote == nil, let place = diagnostic.place, place.file == source.name,
          let line = lines[place.line]
        else {
          return diagnostic
        }
        var quoted = diagnostic
        quoted.quote = SourceQuote(of: line, column: place.column)
        return quoted
      })
  }
}

extension SourceFile {
  /// The lines with these numbers, counted from 1, without their ends.
  fileprivate func lines(_ wanted: Set<Int>) -> [Int: Substring] {
    guard let last = wanted.max() else { return [:] }
    var (lines, number, start, index) = ([Int: Substring](), 1, text.startIndex, text.startIndex)
    let bytes = text.utf8
    func keep() { if wanted.contains(number) { lines[number] = text[start..<index] } }
    while index < bytes.endIndex, number <= last {
      let byte = bytes[index]
      guard byte == 0x0A || byte == 0x0D else {
        index = bytes.index(after: index)
        continue
      }
      keep()
      index = bytes.index(after: index)
      if byte == 0x0D, index < bytes.endIndex, bytes[index] == 0x0A {
        index = bytes.index(after: index)
      }
      (number, start) = (number + 1, index)
    }
    keep()
    return lines
  }
}
