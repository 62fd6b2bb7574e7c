/// Writes one JSON object on one line, with its keys in the order of the calls and without spaces.
///
/// Foundation's encoders sort keys or leave their order undefined, but the order of keys is part
/// of the trace format.
package struct JSONLine: Sendable {
  private var text = "{"

  /// Creates an object without keys.
  package init() {}

  /// The complete object.
  package var closed: String { text + "}" }

  /// Whether the object has no keys.
  var isEmpty: Bool { text.utf8.count == 1 }

  private mutating func key(_ key: String) {
    if !isEmpty { text += "," }
    append(quoted: key)
    text += ":"
  }

  /// Adds a string, or nothing for nil.
  package mutating func add(_ key: String, _ value: String?) {
    guard let value else { return }
    self.key(key)
    append(quoted: value)
  }

  /// Adds a whole number, or nothing for nil.
  package mutating func add(_ key: String, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    self.key(key)
    text += String(value)
  }

  /// Adds true or false.
  package mutating func add(_ key: String, _ value: Bool) {
    self.key(key)
    text += value ? "true" : "false"
  }

  /// Adds an array of strings, or nothing for nil.
  package mutating func add(_ key: String, _ values: [String]?) {
    guard let values else { return }
    self.key(key)
    text += "["
    for (index, value) in values.enumerated() {
      if index > 0 { text += "," }
      append(quoted: value)
    }
    text += "]"
  }

  /// Returns a string as JSON.
  package static func quoted(_ text: String) -> String {
    var line = JSONLine()
    line.text = ""
    line.append(quoted: text)
    return line.text
  }

  /// Returns an array of objects.
  package static func array(_ objects: [JSONLine]) -> String {
    "[" + objects.map(\.closed).joined(separator: ",") + "]"
  }

  /// Adds a value that is already JSON.
  package mutating func add(_ key: String, json: String) {
    self.key(key)
    text += json
  }

  private mutating func append(quoted string: String) {
    text += "\""
    defer { text += "\"" }
    if string.utf8.allSatisfy({
      0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }) {
      return text += string
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isControl: text += "\\u" + scalar.hex()
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
