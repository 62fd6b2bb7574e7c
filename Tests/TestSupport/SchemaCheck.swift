import Foundation

/// Violations of a JSON Schema by a JSON value; empty if it conforms. Supports the keywords that
/// Curfew's own schemas use.
package func complaints(about value: Any, against schema: [String: Any], at path: String = "$")
  -> [String]
{
  var found: [String] = []
  func demand(_ condition: Bool, _ complaint: String) {
    if !condition { found.append("\(path): \(complaint)") }
  }
  if let constant = schema["const"] as? String {
    demand(value as? String == constant, "is not '\(constant)'")
  }
  if let words = schema["enum"] as? [String] {
    demand((value as? String).map(words.contains) ?? false, "\(value) is not one of \(words)")
  }
  if let type = schema["type"] {
    let types = type as? [String] ?? [type as? String ?? ""]
    demand(
      types.contains { isOf($0, value) },
      "\(value) is not of type \(types.joined(separator: " or "))")
  }
  if let pattern = schema["pattern"] as? String, let text = value as? String {
    demand(
      text.range(of: pattern, options: .regularExpression) != nil,
      "'\(text)' does not match \(pattern)")
  }
  if let least = schema["minimum"] as? Double, let number = value as? Double {
    demand(number >= least, "\(number) is less than \(least)")
  }
  if let items = schema["items"] as? [String: Any], let elements = value as? [Any] {
    for (index, element) in elements.enumerated() {
      found += complaints(about: element, against: items, at: "\(path)[\(index)]")
    }
  }
  guard let object = value as? [String: Any] else { return found }
  let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
  for key in schema["required"] as? [String] ?? [] {
    demand(object[key] != nil, "'\(key)' is missing")
  }
  for (key, member) in object {
    if let names = schema["propertyNames"] as? [String: Any] {
      found += complaints(about: key, against: names, at: "\(path), the key")
    }
    if let property = properties[key] {
      found += complaints(about: member, against: property, at: "\(path).\(key)")
    } else if let others = schema["additionalProperties"] as? [String: Any] {
      found += complaints(about: member, against: others, at: "\(path).\(key)")
    } else if !properties.isEmpty {
      demand(false, "'\(key)' is not in the schema")
    }
  }
  return found
}

private func isOf(_ type: String, _ value: Any) -> Bool {
  switch type {
  case "object": value is [String: Any]
  case "array": value is [Any]
  case "string": value is String
  case "null": value is NSNull
  case "boolean": (value as? NSNumber).map { CFBooleanKind.isBoolean($0) } ?? false
  case "integer": !isOf("boolean", value) && (value as? Double).map { $0 == $0.rounded() } ?? false
  case "number": !isOf("boolean", value) && value is Double
  default: false
  }
}

private enum CFBooleanKind {
  static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
