import CurfewText

extension UsageFormat.Columns {
  /// The columns that a row must have, each with its field.
  var named: [(slot: UsageRow.Slot, key: String)] {
    let all: [(slot: UsageRow.Slot, key: String?)] = [
      (.time, time), (.user, user), (.app, app), (.mark, rows.column),
    ]
    return all.compactMap { column in column.key.map { (column.slot, $0) } }
  }

  /// Throws an error if a column is not among `names`.
  func requireAll(in names: [String], file: String) throws(FileErrors) {
    let missing = named.map(\.key).filter { !names.contains($0) }
    guard !names.isEmpty, !missing.isEmpty else { return }
    let messages = missing.map {
      "no row has a '\($0)'" + NearestName.hint(for: $0, among: names, "the first row has")
    }
    throw FileErrors(messages.map { FileDiagnostic(file: file, $0) })
  }
}

extension DelimitedRows {
  /// Finds the columns in the header row, and consumes that row. If every column is given by
  /// a number, and no text of the first row equals such a number, the file has no header row.
  mutating func findColumns(_ columns: UsageFormat.Columns, file: String) throws(FileErrors) {
    var row = UsageRow()
    let header: [String]
    do throws(UsageFault) {
      header = try firstRow(&row) ?? []
    } catch {
      throw FileErrors(
        [
          FileDiagnostic(
            at: row.sourcePlace(of: error.place, in: bytes, file: file), error.message())
        ]
          + (error.reason == .notText
            ? ForeignEncoding(ofInvalid: bytes[...]).map {
              [FileDiagnostic(file: file, $0.explanation(of: file))]
            } ?? [] : []))
    }
    let wanted = columns.named
    let hasHeader = wanted.contains {
      header.contains($0.key) || DelimitedRows.number($0.key) == nil
    }
    var found: [(slot: UsageRow.Slot, column: Int)] = []
    var missing: [String] = []
    for (slot, name) in wanted {
      if let column = header.firstIndex(of: name) ?? DelimitedRows.number(name).map({ $0 - 1 }),
        header.indices.contains(column)
      {
        found.append((slot, column))
      } else if DelimitedRows.number(name) != nil {
        missing.append(
          "there is no column \(name): the first row has \(HumanCount.text(header.count, "field"))")
      } else {
        missing.append(
          "there is no column '\(name)'"
            + NearestName.hint(for: name, among: header, "the columns are"))
      }
    }
    guard missing.isEmpty else {
      let place = row.sourcePlace(of: row.range.lowerBound, in: bytes, file: file)
      throw FileErrors(missing.map { FileDiagnostic(at: place, $0) })
    }
    if hasHeader { _ = next(into: &row) }
    expect(found, width: header.count)
  }

  /// The index of a column, counted from 1, if its name is a number; otherwise nil.
  private static func number(_ name: String) -> Int? {
    name.utf8.allSatisfy { $0.digit != nil } ? Int(name) : nil
  }
}
