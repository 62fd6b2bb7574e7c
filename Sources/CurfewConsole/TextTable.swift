import CurfewText

/// A table for a person: a bold header, the first column aligned left, numbers aligned right.
package struct TextTable {
  package let header: [String]
  package let rows: [[String]]
  /// Whether the last column is a sentence, which is not padded.
  package var endsInText: Bool

  package init(header: [String], rows: [[String]], endsInText: Bool = false) {
    (self.header, self.rows, self.endsInText) = (header, rows, endsInText)
  }

  /// Its lines; empty if it has no rows.
  package func lines(on screen: Screen) -> [String] {
    guard !rows.isEmpty else { return [] }
    let cells = [header] + rows.map { $0.map(screen.plain) }
    let widths = header.indices.map { column in cells.map { $0[column].displayWidth }.max() ?? 0 }
    return cells.enumerated().map { index, row in
      let line = row.enumerated().map { column, cell in
        endsInText && column == header.count - 1
          ? cell : pad(cell, widths[column], column == 0 ? .left : .right)
      }.joined(separator: "  ")
      return index == 0 ? screen.style.bold(line) : line
    }
  }
}
