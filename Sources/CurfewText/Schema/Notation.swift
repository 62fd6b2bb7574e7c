/// How values of one sort are written: what they may be, and the way from a file's value to theirs
/// and back.
package struct Notation<Value>: Sendable {
  /// What a file may have for it.
  package let shape: Shape
  /// nil where a file has another type of value: a number for a text. Throws what a text of the
  /// right type does not mean.
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

  /// A notation of texts.
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

  /// The same values, and nil, which is written as `word`; `what` is what messages call it.
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
  /// A switch between two values.
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
