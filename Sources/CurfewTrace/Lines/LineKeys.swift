import CurfewEngine
package import CurfewText

/// What a line says, key by key and as files have it: for whoever looks at lines without knowing
/// what each type is made of.
package struct LineKeys: Sendable {
  /// The `type`.
  package let type: String
  private let values: [String: Plain]

  /// What stands under `key`; nil where the line has no such key. Callbacks are called by
  /// UIKit's names.
  package subscript(key: String) -> Plain? { values[key] }

  /// What `line` says; nil for an event, which is not what comes out of an engine.
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
  /// The type of this name, which there must be.
  package static func named(_ name: String) -> LineType {
    guard let type = all.first(where: { $0.name == name }) else {
      preconditionFailure("No type of line is called '\(name)'")
    }
    return type
  }

  /// What may stand under `key`, which the type must have.
  package func shape(of key: String) -> Shape { value(key).field.shape }

  /// The same value as lines have it under `key`: what a person has called otherwise, or put
  /// in another order.
  ///
  /// Throws where it is nothing that can stand there.
  package func canonical(_ plain: Plain, of key: String) throws(Refusal) -> Plain? {
    var values = LineValues()
    guard try value(key).read(&values, plain) else { throw Refusal("'\(key)' cannot be that") }
    return value(key).write(values)
  }

  private func value(_ key: String) -> Attribute<LineValues> {
    guard let value = values.first(where: { $0.name == key }) else {
      preconditionFailure("A line '\(name)' has no '\(key)'")
    }
    return value
  }
}
