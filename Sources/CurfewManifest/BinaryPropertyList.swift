/// Reads the values of a few keys in a binary property list, including lists.
///
/// The format: `bplist00`, the values, a table of their offsets, and 32 bytes that locate the
/// table. A list or a dictionary refers to its elements by their numbers in the table.
///
/// Foundation's reader is not used: on Linux it crashes on a set, and it takes minutes to read
/// a 200-byte file in which each of thirty lists refers to the next list twice, because it builds
/// a billion lists. This reader follows only the requested keys, two levels deep, so long chains
/// and cycles do no harm.
struct BinaryPropertyList {
  /// The first bytes of a binary property list; two version digits follow.
  static let magic = Array("bplist".utf8)
  private static let trailer = 32

  private let bytes: [UInt8]
  /// The offset of the table, at which the values end.
  private let table: Int
  private let offsetWidth: Int
  private let referenceWidth: Int
  private let count: Int
  private let root: Int
  /// The number of bytes that may still be read as values. Values that do not overlap are together
  /// no longer than the file. With overlaps, a file could have a million values of a megabyte each.
  private var budget = 0

  init(_ bytes: [UInt8]) throws(PropertyListRefusal) {
    self.bytes = bytes
    let end = bytes.count - Self.trailer
    guard end > 8 else { throw Self.damaged("it is cut short") }
    // Versions 1 to 17 are other formats, and no tool writes a manifest in them.
    guard bytes[6] == UInt8(ascii: "0") else {
      throw .notPropertyList("the version of its binary format is not 00")
    }
    offsetWidth = Int(bytes[end + 6])
    referenceWidth = Int(bytes[end + 7])
    guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth,
      let count = Self.number(bytes, end + 8, 8), let root = Self.number(bytes, end + 16, 8),
      let table = Self.number(bytes, end + 24, 8),
      9...end ~= table, 1...(end - table + 1) ~= count, count * offsetWidth <= end - table,
      root < count
    else { throw Self.damaged("its last 32 bytes are invalid") }
    (self.count, self.root, self.table) = (count, root, table)
  }

  /// Returns the values of `keys` in the root dictionary, and the names of all keys that are
  /// not very long. If a key occurs twice, its last value counts.
  mutating func content(of keys: [String]) throws(PropertyListRefusal) -> PropertyListContent {
    let place = try offset(root)
    let header = try header(place)
    guard header.kind == .dictionary else {
      budget = bytes.count
      throw .root(try value(place))
    }
    let wanted = Set(keys)
    var places: [String: Int] = [:]
    var names: [Int: String?] = [:]
    var outline = PropertyListOutline()
    for index in 0..<header.count {
      // A file may name a key a million times; the key is read once.
      let number = reference(header.start, index)
      let name: String?
      if let number, let known = names[number] {
        name = known
      } else {
        name = self.name(try self.header(try offset(number)))
        if let number { names[number] = .some(name) }
      }
      guard let name else { continue }
      outline.keys.append(PropertyListOutline.Key(name: name))
      if wanted.contains(name) {
        places[name] = try offset(reference(header.start, header.count + index))
      }
    }
    let unread = bytes.count - Self.trailer - table - count * offsetWidth
    if unread > 0 { outline.rest = .bytes(unread) }
    var values: [String: PropertyListValue] = [:]
    for key in keys {
      guard let place = places[key] else { continue }
      budget = bytes.count
      values[key] = try value(place)
    }
    return PropertyListContent(values: values, outline: outline)
  }

  /// The maximum length of a name that is read. The keys that matter here, and their misspellings,
  /// are shorter.
  private static let longestName = 64

  /// Returns the text of a key; nil if the value is not text, is too long, or is damaged.
  private func name(_ header: Header) -> String? {
    guard header.kind == .ascii || header.kind == .utf16, header.count <= Self.longestName else {
      return nil
    }
    return try? text(header)
  }

  /// The upper four bits of a value's first byte.
  private enum Kind: UInt8 {
    case constant = 0x0
    case integer = 0x1
    case real = 0x2
    case date = 0x3
    case data = 0x4
    case ascii = 0x5
    case utf16 = 0x6
    case identifier = 0x8
    case list = 0xA
    case orderedSet = 0xB
    case set = 0xC
    case dictionary = 0xD
  }

  /// The header of a value. All bytes of the value are known to be inside the file.
  private struct Header {
    var kind: Kind
    /// The number of bytes, UTF-16 units, elements or pairs; for other values, the lower four bits
    /// of the first byte.
    var count: Int
    /// The offset of the contents.
    var start: Int
    /// The length of the contents in bytes.
    var size: Int
  }

  private func header(_ place: Int) throws(PropertyListRefusal) -> Header {
    guard let kind = Kind(rawValue: bytes[place] >> 4) else {
      throw Self.damaged("no value begins at byte \(place)")
    }
    var (count, start) = (Int(bytes[place] & 0x0F), place + 1)
    let width: Int
    switch kind {
    case .constant, .date: (width, count) = (0, Int(bytes[place]))
    case .integer, .real: width = 0
    case .identifier: width = 0
    case .data, .ascii: width = 1
    case .utf16: width = 2
    case .list, .orderedSet, .set: width = referenceWidth
    case .dictionary: width = 2 * referenceWidth
    }
    if width > 0, count == 0x0F {
      // A long value: its length follows as an integer.
      guard start < table, bytes[start] & 0xF0 == 0x10, bytes[start] & 0x0F <= 3 else {
        throw Self.damaged("the length at \(start) is invalid")
      }
      let length = 1 << Int(bytes[start] & 0x0F)
      guard start + 1 + length <= table, let long = Self.number(bytes, start + 1, length),
        long <= bytes.count
      else {
        throw Self.damaged("a length at \(start) is beyond the file")
      }
      (count, start) = (long, start + 1 + length)
    }
    let size =
      switch kind {
      case .integer, .real: 1 << min(count, 5)
      case .date: 8
      case .identifier: count + 1
      default: count * width
      }
    guard size <= table - start else {
      throw Self.damaged("a value at \(place) is beyond the file")
    }
    return Header(kind: kind, count: count, start: start, size: size)
  }

  private mutating func value(_ place: Int, inList: Bool = false) throws(PropertyListRefusal)
    -> PropertyListValue
  {
    let header = try header(place)
    budget -= header.size + 1
    guard budget >= 0 else { throw Self.damaged("its values overlap") }
    switch header.kind {
    case .constant:
      switch bytes[place] {
      case 0x08: return .boolean(false)
      case 0x09: return .boolean(true)
      default: return .other("nothing")
      }
    case .integer: return integer(header)
    case .real: return .other("a number with a fraction")
    case .date: return .other("a date")
    case .data: return .other("data")
    case .ascii, .utf16: return .text(try text(header))
    case .identifier: return .other("an archive's reference")
    case .list: return inList ? .other("a list") : try list(header)
    case .orderedSet, .set: return .other("a set")
    case .dictionary: return .other("a dictionary")
    }
  }

  private mutating func list(_ header: Header) throws(PropertyListRefusal) -> PropertyListValue {
    var (elements, seen): ([PropertyListValue], Set<Int>) = ([], [])
    for index in 0..<header.count {
      let place = try offset(reference(header.start, index))
      guard seen.insert(place).inserted else { continue }
      elements.append(try value(place, inList: true))
    }
    return .list(elements)
  }

  /// Integers of eight bytes are signed, and shorter ones are unsigned. Longer integers do
  /// not matter here.
  private func integer(_ header: Header) -> PropertyListValue {
    guard header.size <= 8 else { return .other("a very large number") }
    return .integer(
      Int64(
        bitPattern: bytes[header.start..<(header.start + header.size)].reduce(0) {
          $0 << 8 | UInt64($1)
        }))
  }

  private func text(_ header: Header) throws(PropertyListRefusal) -> String {
    let content = bytes[header.start..<(header.start + header.size)]
    if header.kind == .ascii {
      guard content.allSatisfy({ $0 < 0x80 }) else {
        throw Self.damaged("the text at \(header.start) is not ASCII")
      }
      return String(decoding: content, as: UTF8.self)
    }
    let units = (0..<header.count).map {
      UInt16(content[header.start + 2 * $0]) << 8 | UInt16(content[header.start + 2 * $0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// The table number of the element at `index` of the list at `start`.
  private func reference(_ start: Int, _ index: Int) -> Int? {
    Self.number(bytes, start + index * referenceWidth, referenceWidth)
  }

  /// The offset of the value with this number in the table.
  private func offset(_ reference: Int?) throws(PropertyListRefusal) -> Int {
    guard let reference, reference < count,
      let place = Self.number(bytes, table + reference * offsetWidth, offsetWidth),
      8..<table ~= place
    else { throw Self.damaged("it refers to a value that does not exist") }
    return place
  }

  /// The big-endian number in the bytes; nil if it is too large.
  private static func number(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int? {
    Int(exactly: bytes[start..<(start + width)].reduce(0) { $0 << 8 | UInt64($1) })
  }

  private static func damaged(_ detail: String) -> PropertyListRefusal {
    .notPropertyList("the binary form is damaged: \(detail)")
  }
}
