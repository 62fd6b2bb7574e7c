import CurfewText

/// The rows of a file of comma-separated or tab-separated values (RFC 4180).
///
/// A quoted field may contain separators and line breaks, and two quotes in it mean one. A quote
/// inside an unquoted field is an ordinary character. Lines end with LF or CRLF. Empty lines
/// are skipped.
struct DelimitedRows: UsageRows {
  let bytes: [UInt8]
  private let separator: UInt8
  private var at: Int
  private var line = 1
  /// The number of fields of a row; nil until it is known.
  private var width: Int?
  /// The column of each wanted field.
  private var columns: [(slot: UsageRow.Slot, column: Int)] = []
  /// The fields of the latest row.
  private var fields: [Field] = []
  /// The number of fields of the latest row; at most `greatestWidth` are kept.
  private var count = 0
  /// The bitwise OR of all bytes in the row's fields, to detect bytes outside ASCII.
  private var bits: UInt8 = 0

  private struct Field {
    /// The bytes without the quotes.
    var range: Range<Int>
    var form: Form
    var place: Int { form == .plain ? range.lowerBound : range.lowerBound - 1 }
  }

  private enum Form {
    case plain
    case quoted
    /// The field is quoted and contains doubled quotes.
    case doubled
  }

  /// The limit on columns.
  static let greatestWidth = 4_096
  /// The limit on the line breaks in a quoted field. If a field has more, its closing quote was
  /// forgotten; without a limit, the field would extend to the end of the file.
  static let greatestBreaks = 32

  /// The rows of `bytes`, from offset `start` on.
  init(_ bytes: [UInt8], from start: Int, separator: UInt8) {
    (self.bytes, at, self.separator) = (bytes, start, separator)
  }

  // MARK: Columns

  /// The texts of the first row, which is not consumed; nil if there is none.
  ///
  /// - Parameter row: Receives the range and line of that row.
  func firstRow(_ row: inout UsageRow) throws(UsageFault) -> [String]? {
    var rows = self
    switch rows.next(into: &row) {
    case .end: return nil
    case .bad(let fault): throw fault
    case .row: break
    }
    let count = rows.count
    guard count <= DelimitedRows.greatestWidth else {
      throw UsageFault(reason: .fields, place: row.range.lowerBound) {
        "\(HumanCount.text(count, "column")); the limit is \(HumanCount.text(DelimitedRows.greatestWidth))"
      }
    }
    return rows.fields.map { field in
      rows.set(.mark, to: field, of: &row)
      return String(decoding: row[.mark], as: UTF8.self)
    }
  }

  /// Sets the columns of the wanted fields, and the number of fields of a row.
  mutating func expect(_ columns: [(slot: UsageRow.Slot, column: Int)], width: Int) {
    (self.columns, self.width) = (columns, width)
  }

  // MARK: Rows

  mutating func next(into row: inout UsageRow) -> UsageStep {
    skipEmptyLines()
    row.begin(at: at, line: line)
    guard at < bytes.count else { return .end }
    let start = at
    if let fault = readFields() {
      // The search for the next row continues on the next line, as if nothing had been quoted: that
      // is the better guess if a closing quote was forgotten.
      (at, line) = (start, row.line)
      while at < bytes.count, bytes[at] != 0x0A { at += 1 }
      endLine(&row)
      return .bad(fault)
    }
    endLine(&row)
    if bits >= 0x80, let fault = UsageRow.textFault(of: bytes[row.range]) { return .bad(fault) }
    if let width, count != width {
      let place = width < min(count, fields.count) ? fields[width].place : row.range.upperBound
      return .bad(
        UsageFault(reason: .fields, place: place) { [count] in
          "\(HumanCount.text(count, "field")); the first row has \(width)"
        })
    }
    for (slot, column) in columns { set(slot, to: fields[column], of: &row) }
    return .row
  }

  private func set(_ slot: UsageRow.Slot, to field: Field, of row: inout UsageRow) {
    if field.form == .doubled {
      row.set(slot, unquoting: bytes[field.range], at: field.place)
    } else {
      row.set(slot, bytes[field.range], at: field.place)
    }
  }

  /// Reads up to the line break after the row.
  private mutating func readFields() -> UsageFault? {
    fields.removeAll(keepingCapacity: true)
    (count, bits) = (0, 0)
    while true {
      if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
        if let fault = readQuoted() { return fault }
      } else {
        readPlain()
      }
      guard at < bytes.count, bytes[at] == separator else { return nil }
      at += 1
    }
  }

  private mutating func readPlain() {
    let start = at
    while at < bytes.count, case let byte = bytes[at], byte != separator, byte != 0x0A {
      bits |= byte
      at += 1
    }
    let isLast = at == bytes.count || bytes[at] == 0x0A
    add(
      Field(
        range: start..<(isLast && at > start && bytes[at - 1] == 0x0D ? at - 1 : at), form: .plain))
  }

  private mutating func readQuoted() -> UsageFault? {
    let (quote, start) = (at, at + 1)
    var (form, breaks) = (Form.quoted, 0)
    at = start
    while at < bytes.count, breaks <= DelimitedRows.greatestBreaks {
      let byte = bytes[at]
      bits |= byte
      at += 1
      if byte == 0x0A { breaks += 1 }
      guard byte == UInt8(ascii: "\"") else { continue }
      if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
        form = .doubled
        at += 1
        continue
      }
      add(Field(range: start..<at - 1, form: form))
      line += breaks
      let end = at
      if at < bytes.count, bytes[at] == 0x0D { at += 1 }
      if at == bytes.count || bytes[at] == 0x0A || at == end && bytes[at] == separator {
        return nil
      }
      if breaks > 0 { break }
      return UsageFault(reason: .quoting, place: end) {
        "text follows the closing quote; inside quotes, a quote is written twice"
      }
    }
    // A quote that is closed on a later line and followed by text counts as not closed: the later
    // quote probably opens another field.
    return UsageFault(reason: .quoting, place: quote) { "the quote is not closed" }
  }

  private mutating func add(_ field: Field) {
    count += 1
    if fields.count < DelimitedRows.greatestWidth { fields.append(field) }
  }

  // MARK: Lines

  private mutating func skipEmptyLines() {
    while at < bytes.count {
      let next = bytes[at] == 0x0D ? at + 1 : at
      guard next == bytes.count || bytes[next] == 0x0A else { return }
      (at, line) = (min(next + 1, bytes.count), line + 1)
    }
  }

  /// Ends the row and its line at a line break or at the end of the file.
  private mutating func endLine(_ row: inout UsageRow) {
    let start = row.range.lowerBound
    row.range = start..<(at > start && bytes[at - 1] == 0x0D ? at - 1 : at)
    if at < bytes.count { at += 1 }
    line += 1
  }
}
