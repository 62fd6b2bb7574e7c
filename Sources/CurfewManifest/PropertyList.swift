import CurfewText
internal import Foundation

/// The value of a key in a property list, as precisely as a manifest's keys need it.
enum PropertyListValue: Hashable, Sendable {
  case text(String)
  case boolean(Bool)
  case integer(Int64)
  /// A list inside a list is `other`. A binary list may omit repeated elements.
  case list([PropertyListValue])
  /// Anything else, in words: `a dictionary`.
  case other(String)

  /// `the text 'audio'`
  var inWords: String {
    switch self {
    case .text(let text): "the text \(text.quoted)"
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "the number \(number)"
    case .list: "a list"
    case .other(let words): words
    }
  }
}

/// The content that was read from a property list.
struct PropertyListContent {
  /// The values of the requested keys.
  var values: [String: PropertyListValue]
  /// All keys, and the content after the end.
  var outline: PropertyListOutline
}

/// The reason why bytes are not a usable property list.
struct PropertyListRefusal: Error {
  var message: String
  /// The line, if the parser reports it.
  var line: Int?

  static let tooLong = PropertyListRefusal(message: "the file exceeds the limit of 8 MiB")
  static let empty = PropertyListRefusal(message: "the file is empty", line: 1)

  static func notPropertyList(_ detail: String, line: Int? = nil) -> PropertyListRefusal {
    PropertyListRefusal(message: "not a property list: \(detail)", line: line)
  }

  static func root(_ found: PropertyListValue) -> PropertyListRefusal {
    PropertyListRefusal(message: "a manifest must be a dictionary, found \(found.inWords)")
  }

  /// Returns an error at the start of the line: parsers report no column.
  func diagnostic(in file: String) -> FileDiagnostic {
    guard let line else { return FileDiagnostic(file: file, message) }
    return FileDiagnostic(at: SourcePlace(file: file, line: line, column: 1), message)
  }
}

/// Reads a few keys of a property list. XML is parsed by Foundation, which refuses more than
/// 512 levels.
enum PropertyList {
  /// Returns the values of `keys` that are in the dictionary in `bytes`, and the names of all keys
  /// of the dictionary.
  static func content(of keys: [String], in bytes: [UInt8]) throws(PropertyListRefusal)
    -> PropertyListContent
  {
    guard bytes.count <= SourceFile.limit else { throw .tooLong }
    guard let first = firstSign(of: bytes) else { throw .empty }
    if bytes.starts(with: BinaryPropertyList.magic) {
      var list = try BinaryPropertyList(bytes)
      return try list.content(of: keys)
    }
    guard first == UInt8(ascii: "<") else {
      throw .notPropertyList(
        "neither XML nor binary; 'plutil -convert xml1 FILE' converts older forms", line: 1)
    }
    let root = try parse(bytes)
    guard let dictionary = root as? [String: Any] else { throw .root(value(root)) }
    var values: [String: PropertyListValue] = [:]
    for key in keys { values[key] = dictionary[key].map { value($0) } }
    let outline = XMLOutline.outline(of: utf8(bytes))
    return PropertyListContent(
      values: values,
      outline: outline.agrees(with: dictionary.keys) ? outline : outline.unplaced(dictionary.keys))
  }

  /// Converts a list in UTF-16, which is rare, to UTF-8. Lists in any other encoding have ASCII
  /// tags and are returned unchanged.
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    return String(bytes: bytes, encoding: .utf16).map { Array($0.utf8) } ?? bytes
  }

  private static func parse(_ bytes: [UInt8]) throws(PropertyListRefusal) -> Any {
    do {
      return try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
    } catch {
      // Foundation tries the old format after XML, and reports both failures, the second inside
      // the first.
      throw refusal((error as NSError).userInfo["NSDebugDescription"] as? String)
    }
  }

  /// Extracts `on line 5` from Foundation's message, whose wording is not stable.
  private static func refusal(_ words: String?) -> PropertyListRefusal {
    guard let words, !words.isEmpty else { return .notPropertyList("not valid XML") }
    var text = Substring(words)
    var line: Int?
    for phrase in [", failing on line ", " on line ", " at line "] where line == nil {
      guard let range = words.range(of: phrase, options: .backwards) else { continue }
      let digits = words[range.upperBound...].prefix { $0.isDigit }
      guard let number = Int(digits), number > 0 else { continue }
      line = number
      text = words[..<range.lowerBound] + words[digits.endIndex...]
    }
    let detail = String(text.prefix(1)).lowercased() + text.dropFirst()
    return .notPropertyList(String(detail.unicodeScalars.prefix(200)), line: line)
  }

  private static func value(_ any: Any, inList: Bool = false) -> PropertyListValue {
    if let text = any as? String { return .text(text) }
    if let number = any as? NSNumber {
      // Foundation converts between 1 and true on request; only the C type distinguishes them.
      switch String(cString: number.objCType) {
      case "c": return .boolean(number.boolValue)
      case "d", "f": return .other("a number with a fraction")
      default:
        return Int64(number.stringValue).map { .integer($0) } ?? .other("a very large number")
      }
    }
    if let list = any as? [Any] {
      return inList ? .other("a list") : .list(list.map { value($0, inList: true) })
    }
    if any is [AnyHashable: Any] { return .other("a dictionary") }
    if any is Date { return .other("a date") }
    return .other(any is Data ? "data" : "something else")
  }

  /// The first byte after blanks and a byte order mark, in UTF-8 or UTF-16.
  private static func firstSign(of bytes: [UInt8]) -> UInt8? {
    bytes.first { ![0x00, 0x09, 0x0A, 0x0D, 0x20, 0xBB, 0xBF, 0xEF, 0xFE, 0xFF].contains($0) }
  }
}

extension String {
  /// Quotes the text, shortened to 60 scalars.
  var quoted: String {
    let start = String(unicodeScalars.prefix(60))
    return start.utf8.count < utf8.count ? "'\(start)…'" : "'\(self)'"
  }
}
