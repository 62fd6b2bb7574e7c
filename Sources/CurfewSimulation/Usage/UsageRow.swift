import CurfewText

/// One row of a log, with the wanted fields.
///
/// A reader reuses one `UsageRow` for all rows, so that no row allocates a String or an array.
struct UsageRow {
  /// The wanted fields; the raw value is the index in `values`.
  enum Slot: Int, CaseIterable {
    case time, user, app
    /// The rank, the event or the duration.
    case mark
  }

  /// The range of the row in the file, without its line break.
  var range = 0..<0
  /// The number of its first line, from 1.
  var line = 1

  private var bytes: [UInt8] = []
  private var values = [Range<Int>](repeating: 0..<0, count: Slot.allCases.count)
  private var places = [Int](repeating: -1, count: Slot.allCases.count)

  /// Begins a row at offset `place` of the file.
  mutating func begin(at place: Int, line: Int) {
    (range, self.line) = (place..<place, line)
    bytes.removeAll(keepingCapacity: true)
    for slot in places.indices { (places[slot], values[slot]) = (-1, 0..<0) }
  }

  /// The bytes of the field, without quotes and escapes.
  subscript(slot: Slot) -> ArraySlice<UInt8> { bytes[values[slot.rawValue]] }

  /// The offset of the field in the file; nil if the row does not have it.
  func place(_ slot: Slot) -> Int? { places[slot.rawValue] < 0 ? nil : places[slot.rawValue] }

  /// Sets a field, which begins at offset `place` of the file.
  mutating func set(_ slot: Slot, _ value: ArraySlice<UInt8>, at place: Int) {
    let start = bytes.count
    bytes += value
    (values[slot.rawValue], places[slot.rawValue]) = (start..<bytes.count, place)
  }

  /// Sets a quoted field, in which two quotes mean one.
  mutating func set(_ slot: Slot, unquoting value: ArraySlice<UInt8>, at place: Int) {
    let start = bytes.count
    var isSecond = false
    for byte in value {
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      if !isSecond { bytes.append(byte) }
    }
    (values[slot.rawValue], places[slot.rawValue]) = (start..<bytes.count, place)
  }

  /// Removes the field, because its key occurs again with a value that is not plain.
  mutating func remove(_ slot: Slot) { places[slot.rawValue] = -1 }
}

/// The result of reading the next row.
enum UsageStep {
  case row
  /// A row that cannot be read.
  case bad(UsageFault)
  case end
}

/// The fault of a bad row.
struct UsageFault: Error {
  var reason: UsageLog.BadRow
  /// The offset of the fault in the file.
  var place: Int
  /// Makes the message, one sentence without a full stop. It is a closure because a log may have
  /// millions of bad rows, but only about a hundred are reported.
  var message: @Sendable () -> String
}

/// A sequence of the rows of a file.
protocol UsageRows {
  /// The bytes of the whole file.
  var bytes: [UInt8] { get }
  /// Reads the next row into `row`, whose range and line are also set for a bad row.
  mutating func next(into row: inout UsageRow) -> UsageStep
}

extension UsageRow {
  /// The fault of the row if it is not UTF-8; otherwise nil.
  static func textFault(of bytes: ArraySlice<UInt8>) -> UsageFault? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var place = bytes.startIndex
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { place += scalar.count }
    place = min(place, bytes.endIndex - 1)
    let byte = bytes[place]
    return UsageFault(reason: .notText, place: place) {
      "the byte 0x\(String(byte, radix: 16, uppercase: true)) is not UTF-8"
    }
  }

  /// The line and column of a byte of this row, for messages.
  func sourcePlace(of index: Int, in bytes: [UInt8], file: String) -> SourcePlace {
    var (line, column) = (line, 1)
    for byte in bytes[range.lowerBound..<max(index, range.lowerBound)] {
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return SourcePlace(file: file, line: line, column: column)
  }
}
