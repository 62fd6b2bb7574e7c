/// The rows of a JSON Lines file: one object on each line. Only the wanted keys are kept, and empty
/// lines are skipped.
///
/// A JSON library would make a dictionary for each line, with Strings for all unwanted values,
/// and would not report the column of a value.
struct JSONRows: UsageRows {
  let bytes: [UInt8]
  private let keys: [(slot: UsageRow.Slot, path: [UInt8])]
  var at: Int
  private var line = 1
  /// The end of the current line.
  var end = 0
  /// The keys that lead to the current value, joined by dots.
  var path: [UInt8] = []
  /// The latest text, without escapes.
  var text: [UInt8] = []
  /// The paths of all plain values of a row; nil if they are not collected.
  private var seen: [String]?

  /// The limit on nested objects and arrays, since each level takes stack space.
  static let greatestDepth = 64

  /// The rows of `bytes`, from offset `start` on.
  init(_ bytes: [UInt8], from start: Int, keys: [(slot: UsageRow.Slot, key: String)]) {
    (self.bytes, at) = (bytes, start)
    self.keys = keys.map { ($0.slot, Array($0.key.utf8)) }
  }

  /// The keys of the next row that is an object, joined by dots for nested objects; empty if there
  /// is no such row.
  func keysOfNextRow() -> [String] {
    var (rows, row) = (self, UsageRow())
    while true {
      rows.seen = []
      switch rows.next(into: &row) {
      case .row: return rows.seen ?? []
      case .bad: continue
      case .end: return []
      }
    }
  }

  mutating func next(into row: inout UsageRow) -> UsageStep {
    while at < bytes.count {
      var (isBlank, bits) = (true, UInt8(0))
      row.begin(at: at, line: line)
      end = at
      while end < bytes.count, case let byte = bytes[end], byte != 0x0A {
        if byte != 0x20, byte != 0x09, byte != 0x0D { isBlank = false }
        bits |= byte
        end += 1
      }
      let next = min(end + 1, bytes.count)
      if end > at, bytes[end - 1] == 0x0D { end -= 1 }
      row.range = at..<end
      line += 1
      defer { at = next }
      if isBlank { continue }
      if bits >= 0x80, let fault = UsageRow.textFault(of: bytes[row.range]) { return .bad(fault) }
      do throws(UsageFault) {
        try readLine(of: &row)
      } catch {
        return .bad(error)
      }
      return .row
    }
    return .end
  }

  private mutating func readLine(of row: inout UsageRow) throws(UsageFault) {
    path.removeAll(keepingCapacity: true)
    guard peek() == UInt8(ascii: "{") else { throw fault("a row must be an object in braces") }
    try readObject(depth: 1, isNamed: true, &row)
    if peek() != nil { throw fault("text follows the object") }
  }

  // MARK: Values

  /// - Parameter isNamed: Whether a path of keys leads to the value. No path leads into an array.
  private mutating func readValue(depth: Int, isNamed: Bool, _ row: inout UsageRow)
    throws(UsageFault)
  {
    let first = peek()
    let place = at
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < JSONRows.greatestDepth else {
        throw fault("over \(JSONRows.greatestDepth) nested objects and arrays")
      }
      if isNamed { for key in keys where key.path == path { row.remove(key.slot) } }
      if first == UInt8(ascii: "{") {
        try readObject(depth: depth + 1, isNamed: isNamed, &row)
      } else {
        try readArray(depth: depth + 1, &row)
      }
    default:
      try readPlain(first)
      guard isNamed else { return }
      for key in keys where key.path == path { row.set(key.slot, text[...], at: place) }
      if seen != nil, seen!.count < DelimitedRows.greatestWidth {
        seen?.append(String(decoding: path, as: UTF8.self))
      }
    }
  }

  private mutating func readObject(depth: Int, isNamed: Bool, _ row: inout UsageRow)
    throws(UsageFault)
  {
    at += 1
    if skip(UInt8(ascii: "}")) { return }
    let outer = path.count
    repeat {
      guard peek() == UInt8(ascii: "\"") else { throw fault("a key in quotes is missing") }
      try readText()
      if isNamed {
        if !path.isEmpty { path.append(UInt8(ascii: ".")) }
        path += text
      }
      guard skip(UInt8(ascii: ":")) else { throw fault("':' is missing after a key") }
      try readValue(depth: depth, isNamed: isNamed, &row)
      path.removeSubrange(outer...)
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw fault("the object is not closed") }
  }

  private mutating func readArray(depth: Int, _ row: inout UsageRow) throws(UsageFault) {
    at += 1
    if skip(UInt8(ascii: "]")) { return }
    repeat { try readValue(depth: depth, isNamed: false, &row) } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw fault("the array is not closed") }
  }
}
