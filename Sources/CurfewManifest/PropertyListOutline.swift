/// The keys of a property list's root dictionary as written in the file.
///
/// A reader of values misses duplicate keys, because two equal keys are one entry of its
/// dictionary. It also misses everything after the end of the list, which it does not read.
struct PropertyListOutline {
  /// A line and a column, counted from 1; columns in Unicode scalars.
  struct Position: Hashable {
    var line: Int
    var column: Int
  }

  /// A key and its position; a binary list has no positions.
  struct Key {
    var name: String
    var position: Position?
  }

  /// The bytes after the end, which readers ignore.
  enum Rest: Hashable {
    /// Text after the end, which begins here.
    case text(Position)
    /// The number of bytes between the table and the end of a binary list.
    case bytes(Int)
  }

  /// All keys, with duplicates, in the order of the file.
  var keys: [Key] = []
  var rest: Rest?

  /// Returns this outline with the keys of Foundation's dictionary, which has lost duplicates
  /// and positions.
  func unplaced(_ names: some Sequence<String>) -> PropertyListOutline {
    PropertyListOutline(keys: names.sorted().map { Key(name: $0) })
  }

  /// Whether a reader found exactly these keys. If so, their positions are reliable.
  func agrees(with names: some Sequence<String>) -> Bool { Set(keys.map(\.name)) == Set(names) }
}

/// Scans UTF-8 text once and counts lines and columns.
struct TextCursor {
  private let bytes: [UInt8]
  private(set) var index = 0
  /// The offset up to which lines are counted.
  private var counted = 0
  private var position = PropertyListOutline.Position(line: 1, column: 1)

  /// Starts at the first character, after the byte order mark if there is one.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (index, counted) = (3, 3) }
  }

  /// The byte at the cursor; nil at the end.
  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  func isAt(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard count <= bytes.count - index else { return false }
    return (0..<count).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
  }

  /// The position of the cursor.
  /// - Complexity: O(bytes since the last call).
  mutating func here() -> PropertyListOutline.Position {
    while counted < index {
      let byte = bytes[counted]
      counted += 1
      // CR LF is one line break.
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

  /// Returns the bytes up to `word`, or up to the end if it does not occur, and moves past `word`.
  mutating func take(past word: StaticString) -> ArraySlice<UInt8> {
    let start = index
    let first = word.utf8Start[0]
    while index < bytes.count, bytes[index] != first || !isAt(word) { index += 1 }
    let end = index
    index = min(end + word.utf8CodeUnitCount, bytes.count)
    return bytes[start..<end]
  }

  /// Returns the bytes up to the next `end`, and stops in front of it.
  mutating func take(upTo end: UInt8) -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, bytes[index] != end { index += 1 }
    return bytes[start..<index]
  }

  mutating func skipBlanks() { while index < bytes.count, bytes[index].isBlank { index += 1 } }
}

extension UInt8 {
  /// Whether this is a blank in XML.
  var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
