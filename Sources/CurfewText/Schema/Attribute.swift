/// A key and its value in `Root`. One declaration checks the value, reads it from every kind
/// of file, writes it, and adds it to a schema.
package struct Attribute<Root>: Sendable {
  /// The key: its shape, whether it is required, and its meaning.
  package let field: Field
  /// Stores a file's value in `Root`; returns false if the value has the wrong type for the key.
  package let read: @Sendable (inout Root, Plain) throws(Refusal) -> Bool
  /// The value to write; nil for none.
  package let write: @Sendable (Root) -> Plain?

  package var name: String { field.name }

  @inlinable package init(
    _ field: Field, read: @escaping @Sendable (inout Root, Plain) throws(Refusal) -> Bool,
    write: @escaping @Sendable (Root) -> Plain?
  ) {
    self.field = field
    self.read = read
    self.write = write
  }

  /// Creates a key whose absence means nil.
  @inlinable package init<Value>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable,
    _ notation: Notation<Value>,
    _ presence: Field.Presence = .optional,
    _ about: String = ""
  ) {
    self.init(
      Field(name: name, shape: notation.shape, presence: presence, description: about),
      read: { root, plain throws(Refusal) in
        guard let value = try Attribute.value(of: plain, notation, name) else { return false }
        root[keyPath: path] = value
        return true
      }, write: { root in root[keyPath: path].map(notation.write) })
  }

  /// Creates a key whose absence means `absent`.
  @inlinable package init<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    _ notation: Notation<Value>, absent: Value, _ about: String = ""
  ) {
    self.init(
      Field(name: name, shape: notation.shape, presence: .optional, description: about),
      read: { root, plain throws(Refusal) in
        guard let value = try Attribute.value(of: plain, notation, name) else { return false }
        root[keyPath: path] = value
        return true
      },
      write: { root in root[keyPath: path] == absent ? nil : notation.write(root[keyPath: path]) })
  }

  /// Creates a key that is always written.
  @inlinable package init<Value>(
    _ name: String, always path: any WritableKeyPath<Root, Value> & Sendable,
    _ notation: Notation<Value>, _ about: String = ""
  ) {
    self.init(
      Field(name: name, shape: notation.shape, presence: .optional, description: about),
      read: { root, plain throws(Refusal) in
        guard let value = try Attribute.value(of: plain, notation, name) else { return false }
        root[keyPath: path] = value
        return true
      }, write: { notation.write($0[keyPath: path]) })
  }

  /// Reads a value. The error for an unknown word names the key, which is more precise than naming
  /// the sort of word.
  @inlinable package static func value<Value>(
    of plain: Plain, _ notation: Notation<Value>, _ name: String
  ) throws(Refusal) -> Value? {
    do throws(Refusal) {
      return try notation.read(plain)
    } catch {
      guard let word = error.unknownWord else { throw error }
      throw Refusal("'\(name)' has the unknown value '\(word)'")
    }
  }
}

extension Array {
  /// Reads the values of a mapping under these keys. Values that do not fit are skipped, because
  /// the check of the mapping's shape has reported them.
  package func read<Root>(_ node: SourceNode?, into root: inout Root)
  where Element == Attribute<Root> {
    for attribute in self {
      guard let plain = node?[attribute.name]?.plain(as: attribute.field.shape) else { continue }
      _ = try? attribute.read(&root, plain)
    }
  }

  /// Writes the values in this order.
  package func write<Root>(_ root: Root, to line: inout JSONLine) where Element == Attribute<Root> {
    for attribute in self {
      if let plain = attribute.write(root) { line.add(attribute.name, plain) }
    }
  }
}
