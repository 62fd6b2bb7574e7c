/// The text form of one sort of value: the shape in files, and the conversions in both directions.
package struct Notation<Value>: Sendable {
  /// The shape of the value in files.
  package let shape: Shape
  /// Reads a value. Returns nil if the file's value has another type, such as a number instead
  /// of text. Throws if a value of the right type is invalid.
  package let read: @Sendable (Plain) throws(Refusal) -> Value?
  package let write: @Sendable (Value) -> Plain

  @inlinable package init(
    _ shape: Shape, read: @escaping @Sendable (Plain) throws(Refusal) -> Value?,
    write: @escaping @Sendable (Value) -> Plain
  ) {
    self.shape = shape
    self.read = read
    self.write = write
  }

  /// Creates a notation for text.
  @inlinable package init(
    _ shape: Shape, text read: @escaping @Sendable (String) throws(Refusal) -> Value,
    _ write: @escaping @Sendable (Value) -> String
  ) {
    self.init(shape) { plain throws(Refusal) in
      guard case .text(let text) = plain else { return nil }
      return try read(text)
    } write: {
      .text(write($0))
    }
  }

  /// Returns this notation with nil as an additional value, written as `word`. `what` is the name
  /// of the word in messages.
  @inlinable package func or(_ word: String, what: String) -> Notation<Value?> {
    let (read, write) = (read, write)
    return Notation<Value?>(.either([shape, .word([word], what: what)])) { plain throws(Refusal) in
      if plain == .text(word) { return .some(nil) }
      guard let value = try read(plain) else { return nil }
      return .some(value)
    } write: {
      $0.map(write) ?? .text(word)
    }
  }
}

extension Notation<String> {
  @inlinable package static var text: Notation { Notation(.text, text: { $0 }, { $0 }) }
}

extension Notation<[String]> {
  @inlinable package static var texts: Notation {
    Notation(.list(.text)) { plain in
      if case .texts(let texts) = plain { texts } else { nil }
    } write: {
      .texts($0)
    }
  }
}

extension Notation<Bool> {
  @inlinable package static var boolean: Notation {
    Notation(.boolean) { plain in
      if case .flag(let flag) = plain { flag } else { nil }
    } write: {
      .flag($0)
    }
  }
}

extension Notation where Value: Equatable & Sendable {
  /// A boolean that stands for one of two values.
  package static func boolean(true on: Value, false off: Value) -> Notation {
    Notation(.boolean) { plain in
      if case .flag(let flag) = plain { flag ? on : off } else { nil }
    } write: {
      .flag($0 == on)
    }
  }
}

extension Notation<Int64> {
  @inlinable package static var size: Notation {
    Notation(.size, text: SizeText.read, SizeText.write)
  }
}

extension Notation<UInt8> {
  @inlinable package static var percentage: Notation {
    Notation(
      .percentage, text: { text throws(Refusal) in UInt8(try PercentageText.read(text)) },
      { "\($0)%" })
  }
}
