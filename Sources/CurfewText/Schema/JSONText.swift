/// A JSON value whose keys keep their order, which Foundation's encoder does not guarantee.
package indirect enum JSONText: Sendable {
  case object([(String, JSONText)])
  case array([JSONText])
  case string(String)
  case number(Int64)
  case boolean(Bool)

  /// The text, indented by two spaces for each level. A value that fits into one line is written on
  /// one line.
  package var written: String { written(indent: 0) }

  private static let lineLength = 120

  private func written(indent: Int) -> String {
    let line = inOneLine
    if indent * 2 + line.utf8.count <= JSONText.lineLength { return line }
    let inner = String(repeating: "  ", count: indent + 1)
    let outer = String(repeating: "  ", count: indent)
    switch self {
    case .object(let members):
      let lines = members.map {
        "\(inner)\(JSONText.quoted($0)): \($1.written(indent: indent + 1))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    case .array(let elements):
      let lines = elements.map { inner + $0.written(indent: indent + 1) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
    case .string, .number, .boolean: return line
    }
  }

  private var inOneLine: String {
    switch self {
    case .object(let members):
      "{" + members.map { "\(JSONText.quoted($0)): \($1.inOneLine)" }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(\.inOneLine).joined(separator: ", ") + "]"
    case .string(let text): JSONText.quoted(text)
    case .number(let number): "\(number)"
    case .boolean(let value): value ? "true" : "false"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
