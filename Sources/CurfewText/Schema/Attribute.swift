/// A key and the value of `Root` that stands under it. One declaration checks it, reads it from
/// every kind of file, writes it and puts it into a schema.
package struct Attribute<Root>: Sendable {
  /// The key: what it may be, whether it has to be there, and what it means.
  package let field: Field
  /// Puts a file's value into its place; false where the value is of another type than this key's.
  package let read: @Sendable (inout Root, Plain) throws(Refusal) -> Bool
  /// What to write; nil for nothing.
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

  /// A value that is nil where the key is absent.
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

  /// A value that the key's absence stands for, too.
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

  /// A value that is always written.
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

  /// Of a word that nobody knows the key says more than the word's sort.
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
  /// Puts what a mapping has under these keys into its place. What does not fit has been reported
  /// by whoever checked the mapping's shape, and is passed over.
  package func read<Root>(_ node: SourceNode?, into root: inout Root)
  where Element == Attribute<Root> {
    for attribute in self {
      guard let plain = node?[attribute.name]?.plain(as: attribute.field.shape) else { continue }
      _ = try? attribute.read(&root, plain)
    }
  }

  /// Adds what there is to write, in this order.
  package func write<Root>(_ root: Root, to line: inout JSONLine) where Element == Attribute<Root> {
    for attribute in self {
      if let plain = attribute.write(root) { line.add(attribute.name, plain) }
    }
  }
}
