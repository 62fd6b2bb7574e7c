import CurfewText

/// Tables that a reader sorts without a script. Each column has a hidden radio button, whose label
/// is the column's heading. The style sheet orders the rows of the checked column by the places
/// that are written here.
extension Table {
  /// The number of columns for which the style sheet has rules.
  static var mostSorted: Int { 12 }

  func writeSortable(_ keys: [[Double?]], _ page: inout Markup) {
    let (name, group) = (page.identifier(), page.identifier())
    let buttons = columns.map { _ in page.identifier() }
    let places = columns.indices.map { sortedPlaces(of: $0, keys) }
    page.element(
      "div",
      ["class": "scroll sorted", "tabindex": "0", "role": "region", "aria-labelledby": name]
    ) { box in
      for (column, button) in buttons.enumerated() {
        box.empty(
          "input",
          ["type": "radio", "class": "hidden s\(column)", "name": group, "id": button])
      }
      // The layout as a grid must not take the table's roles away.
      box.element(
        "table",
        ["role": "table", "data-rows": "\(rows.count)", "style": "--n:\(columns.count)"]
      ) { table in
        table.element("caption", ["id": name], text: caption)
        table.element("thead", ["role": "rowgroup"]) { writeHead(&$0, buttons) }
        table.element("tbody", ["role": "rowgroup"]) { body in
          for (row, cells) in rows.enumerated() {
            let order = places.enumerated().map { "--s\($0):\($1[row])" }.joined(separator: ";")
            body.element("tr", ["role": "row", "style": order]) { line in
              for (column, cell) in cells.enumerated() { writeCell(cell, column, &line) }
            }
            body.literal("\n")
          }
        }
      }
    }
  }

  private func writeHead(_ head: inout Markup, _ buttons: [String]) {
    head.element("tr", ["role": "row"]) { row in
      for (column, button) in zip(columns, buttons) {
        row.element(
          "th",
          ["role": "columnheader", "scope": "col", "class": column.isNumeric ? "n" : nil]
        ) { cell in
          cell.element("label", ["for": button]) { label in
            label.element("span", ["class": "hidden"], text: "sort by ")
            label.write(column.name)
          }
        }
      }
    }
  }

  private func writeCell(_ cell: String, _ column: Int, _ line: inout Markup) {
    let style = columns[column].isNumeric ? "n" : nil
    if column == 0 {
      line.element("th", ["role": "rowheader", "scope": "row", "class": style]) {
        $0.element("bdi", text: cell)
      }
    } else {
      line.element("td", ["role": "cell", "class": style]) { $0.element("bdi", text: cell) }
    }
  }

  /// The place of each row if the table is sorted by this column: by the keys, or by the text if
  /// it is a column of words without keys.
  private func sortedPlaces(of column: Int, _ keys: [[Double?]]) -> [Int] {
    let order = rows.indices.sorted { left, right in
      let (one, two) = (keys[left][column], keys[right][column])
      switch (one, two) {
      case (let one?, let two?): return (one, left) < (two, right)
      case (.some, nil): return true
      case (nil, .some): return false
      case (nil, nil):
        let texts = (rows[left][column], rows[right][column])
        return columns[column].isNumeric || texts.0 == texts.1 ? left < right : texts.0 < texts.1
      }
    }
    var places = [Int](repeating: 0, count: rows.count)
    for (place, row) in order.enumerated() { places[row] = place }
    return places
  }
}
