import CurfewText

/// Rows and columns, with a caption. The first column names the row.
package struct Table: Sendable {
  /// The caption.
  package var caption: String
  /// The columns.
  package var columns: [Column]
  /// The rows; each has a cell for each column.
  package var rows: [[String]]
  /// The maximum number of rows that are written. If rows are left out, a note says so.
  package var mostRows: Int
  /// The number by which each cell is sorted; nil for cells that come last. The table cannot be
  /// sorted if there are none.
  package var sortKeys: [[Double?]]?

  /// A column.
  package struct Column: Sendable {
    let name: String
    let isNumeric: Bool

    /// A column of words.
    package static func words(_ name: String) -> Column { Column(name: name, isNumeric: false) }
    /// A column of numbers, which are right-aligned.
    package static func numbers(_ name: String) -> Column { Column(name: name, isNumeric: true) }
  }

  /// A table of these parts.
  package init(_ caption: String, _ columns: [Column], _ rows: [[String]], mostRows: Int = 300) {
    precondition(
      rows.allSatisfy { $0.count == columns.count },
      "Each row of '\(caption)' needs \(columns.count) cells")
    (self.caption, self.columns, self.rows, self.mostRows) = (caption, columns, rows, mostRows)
  }

  /// The table with columns that a reader can sort by. Words are sorted by their text, and numbers
  /// by `keys`.
  /// - Precondition: There are keys for each row, and at most 12 columns.
  package func sortable(by keys: [[Double?]]) -> Table {
    precondition(
      keys.count == rows.count && columns.count <= Table.mostSorted,
      "'\(caption)' has \(rows.count) rows, \(keys.count) keys and \(columns.count) columns")
    var table = self
    table.sortKeys = keys
    return table
  }

  func write(_ page: inout Markup) {
    if let sortKeys { return writeSortable(sortKeys, &page) }
    let name = page.identifier()
    // A table that is wider than the screen scrolls in its own box, with the keyboard too.
    page.element(
      "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-labelledby": name]
    ) { box in
      box.element("table", ["data-rows": "\(rows.count)"]) { table in
        table.element("caption", ["id": name], text: caption)
        table.element("thead") { head in
          head.element("tr") { row in
            for column in columns {
              row.element(
                "th", ["scope": "col", "class": column.isNumeric ? "n" : nil], text: column.name)
            }
          }
        }
        table.element("tbody") { body in
          for cells in rows.prefix(mostRows) { Table.row(cells, columns, &body) }
        }
      }
    }
    if rows.count > mostRows {
      page.element(
        "p", ["class": "note"],
        text:
          "The first \(HumanCount.text(mostRows)) of \(HumanCount.text(rows.count, "row")) are shown."
      )
    }
  }

  private static func row(_ cells: [String], _ columns: [Column], _ body: inout Markup) {
    body.element("tr") { row in
      for (place, (cell, column)) in zip(cells, columns).enumerated() {
        // A `bdi` element keeps names in right-to-left scripts from reversing the columns.
        let write = { (cell: inout Markup, text: String) in
          if column.isNumeric { cell.write(text) } else { cell.element("bdi", text: text) }
        }
        if place == 0 {
          row.element("th", ["scope": "row", "class": column.isNumeric ? "n" : nil]) {
            write(&$0, cell)
          }
        } else {
          row.element("td", ["class": column.isNumeric ? "n" : nil]) { write(&$0, cell) }
        }
      }
    }
    body.literal("\n")
  }

  /// Writes the data of a chart into a collapsed element below it.
  func writeFolded(_ page: inout Markup) {
    page.element("details", ["class": "data"]) { details in
      details.element("summary") {
        $0.write("The data as a table")
        $0.element("span", ["class": "hidden"], text: ": \(caption)")
      }
      write(&details)
    }
  }
}
