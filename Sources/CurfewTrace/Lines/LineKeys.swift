import CurfewEngine
package import CurfewText

/// The values of a line by key, as in files, for code that does not know the values of each type.
package struct LineKeys: Sendable {
  /// The `type`.
  package let type: String
  private let values: [String: Plain]

  /// The value of `key`; nil if the line does not have it. Callbacks have UIKit's names.
  package subscript(key: String) -> Plain? { values[key] }

  /// Reads the keys of `line`; returns nil for an event, which is not an engine's output.
  package init?(_ line: TraceLine) {
    var values = LineValues()
    guard let type = LineType.of(line.body, &values) else { return nil }
    self.type = type.name
    self.values = Dictionary(
      type.values.compactMap { value in value.write(values).map { (value.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}

extension LineType {
  /// The type with this name, which must exist.
  package static func named(_ name: String) -> LineType {
    guard let type = all.first(where: { $0.name == name }) else {
      preconditionFailure("No type of line is called '\(name)'")
    }
    return type
  }

  /// The keys of a line of this type, as in files.
  package var keys: [String] { values.map(\.name) }

  /// The shape of `key`, which the type must have.
  package func shape(of key: String) -> Shape { value(key).field.shape }

  /// Returns `plain` in the form that lines use for `key`. `plain` may use other names
  /// or another order.
  ///
  /// - Throws: An error if no line can have the value.
  package func canonical(_ plain: Plain, of key: String) throws(Refusal) -> Plain? {
    var values = LineValues()
    guard try value(key).read(&values, plain) else {
      throw Refusal("'\(key)' cannot have this value")
    }
    return value(key).write(values)
  }

  private func value(_ key: String) -> Attribute<LineValues> {
    guard let value = values.first(where: { $0.name == key }) else {
      preconditionFailure("A line '\(name)' has no '\(key)'")
    }
    return value
  }
}
