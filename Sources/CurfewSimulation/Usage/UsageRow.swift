import CurfewText

/// One row of a log, and in it the fields that are asked for.
///
/// A reader of rows has one of these and fills it anew for each row, so that no row makes a String
/// or an array of its own.
struct UsageRow {
  /// What a field is. Its number is its place in `values`.
  enum Slot: Int, CaseIterable {
    case time, user, app
    /// The rank, the event or the duration.
    case mark
  }

  /// Where in the file the row stands, without its line break.
  var range = 0..<0
  /// The line that it begins on, counted from 1.
  var line = 1

  private var bytes: [UInt8] = []
  private var values = [Range<Int>](repeating: 0..<0, count: Slot.allCases.count)
  private var places = [Int](repeating: -1, count: Slot.allCases.count)

  /// Begins a row at `place` of the file.
  mutating func begin(at place: Int, line: Int) {
    (range, self.line) = (place..<place, line)
    bytes.removeAll(keepingCapacity: true)
    for slot in places.indices { (places[slot], values[slot]) = (-1, 0..<0) }
  }

  /// What the field says, without quotes and escapes.
  subscript(slot: Slot) -> ArraySlice<UInt8> { bytes[values[slot.rawValue]] }

  /// Where in the file the field begins; nil where the row has none.
  func place(_ slot: Slot) -> Int? { places[slot.rawValue] < 0 ? nil : places[slot.rawValue] }

  /// Sets a field, which begins at `place` of the file.
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

  /// Takes a field away: it stands there twice, and the second time it is no plain value.
  mutating func remove(_ slot: Slot) { places[slot.rawValue] = -1 }
}

/// What a reader of rows finds next.
enum UsageStep {
  case row
  /// A row that cannot be read.
  case bad(UsageFault)
  case end
}

/// What is wrong with a row.
struct UsageFault: Error {
  var reason: UsageLog.BadRow
  /// Where in the file it is wrong.
  var place: Int
  /// What is wrong; one sentence, without a full stop. Made when it is told: of millions of bad
  /// rows a hundred are.
  var message: @Sendable () -> String
}

/// A file's rows one after the other.
protocol UsageRows {
  /// The whole file.
  var bytes: [UInt8] { get }
  /// Fills `row` with the next one. A bad one has its range and its line, too.
  mutating func next(into row: inout UsageRow) -> UsageStep
}

extension UsageRow {
  /// The fault of a row that is not UTF-8; nil where it is.
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

  /// The line and the column of a byte of this row, as people are told.
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
