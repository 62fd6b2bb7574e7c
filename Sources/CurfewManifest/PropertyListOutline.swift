/// The keys of a property list's root dictionary as they stand in the file.
///
/// A reader of values knows neither: a key that is there twice is one entry of its dictionary,
/// and what follows the end is never looked at.
struct PropertyListOutline {
  /// A line and a column, counted from 1; columns in Unicode scalars.
  struct Position: Hashable {
    var line: Int
    var column: Int
  }

  /// A key, and where it stands; a binary list has no places.
  struct Key {
    var name: String
    var position: Position?
  }

  /// What a file holds that no reader looks at.
  enum Rest: Hashable {
    /// Text after the end, which begins here.
    case text(Position)
    /// So many bytes between the table and the end of a binary list.
    case bytes(Int)
  }

  /// All keys, duplicates too, in the order of the file.
  var keys: [Key] = []
  var rest: Rest?

  /// This with the keys of the dictionary that Foundation made of the text, which has lost
  /// duplicates and places.
  func unplaced(_ names: some Sequence<String>) -> PropertyListOutline {
    PropertyListOutline(keys: names.sorted().map { Key(name: $0) })
  }

  /// Whether these are the keys that a reader found, so that the places can be believed.
  func agrees(with names: some Sequence<String>) -> Bool { Set(keys.map(\.name)) == Set(names) }
}

/// Goes once through a text of UTF-8 and counts lines and columns.
struct TextCursor {
  private let bytes: [UInt8]
  private(set) var index = 0
  /// Up to here lines are counted.
  private var counted = 0
  private var position = PropertyListOutline.Position(line: 1, column: 1)

  /// At the text's first character; a byte order mark is none.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (index, counted) = (3, 3) }
  }

  /// The byte here; nil at the end.
  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  func isAt(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard count <= bytes.count - index else { return false }
    return (0..<count).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
  }

  /// Where this is.
  /// - Complexity: O(bytes since the last time).
  mutating func here() -> PropertyListOutline.Position {
    while counted < index {
      let byte = bytes[counted]
      counted += 1
      // The line ends once in CR LF.
      if byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
          && (counted == bytes.count || bytes[counted] != UInt8(ascii: "\n"))
      {
        position = PropertyListOutline.Position(line: position.line + 1, column: 1)
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
    }
    return position
  }

  mutating func step() { index += 1 }

  /// What stands between here and `word`, which is gone past; all the rest where there is none.
  mutating func take(past word: StaticString) -> ArraySlice<UInt8> {
    let start = index
    let first = word.utf8Start[0]
    while index < bytes.count, bytes[index] != first || !isAt(word) { index += 1 }
    let end = index
    index = min(end + word.utf8CodeUnitCount, bytes.count)
    return bytes[start..<end]
  }

  /// What stands between here and the next `end`, which is not gone past.
  mutating func take(upTo end: UInt8) -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, bytes[index] != end { index += 1 }
    return bytes[start..<index]
  }

  mutating func skipBlanks() { while index < bytes.count, bytes[index].isBlank { index += 1 } }
}

extension UInt8 {
  /// A blank of XML's.
  var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
