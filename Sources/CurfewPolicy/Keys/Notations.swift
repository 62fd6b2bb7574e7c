package import CurfewEngine
package import CurfewText

// The notations of the engine's values as scalars of files.

extension DurationText {
  /// The duration that `text` means.
  package static func read(_ text: String) throws(Refusal) -> Interval {
    Interval(nanoseconds: try nanoseconds(in: text))
  }

  /// `interval` in the longest unit that leaves a whole number: `30s`, `1500ms`, `0s`.
  package static func write(_ interval: Interval) -> String {
    text(ofNanoseconds: interval.nanoseconds)
  }
}

extension HumanTime {
  package static func text(_ instant: Instant) -> String {
    text(ofNanoseconds: instant.nanoseconds)
  }
  package static func text(_ interval: Interval) -> String {
    text(ofNanoseconds: interval.nanoseconds)
  }
}

extension CodeText {
  package static func read(_ text: String) throws(Refusal) -> TerminationCode {
    TerminationCode(rawValue: try bits(of: text))
  }
}

extension ShareText {
  package static func read(_ text: String) throws(Refusal) -> UInt32 {
    try read(text, upTo: CPURules.greatestShare)
  }
}

extension Shape {
  /// A footprint, at most the greatest that the engine distinguishes.
  package static let footprint = Shape.sizeUpTo(
    MemoryRules.greatestFootprint, what: "the most that an app can take up")
  /// A share of one processor core; up to a hundred cores.
  package static let share = Shape.share(upTo: CPURules.greatestShare)
}

// MARK: Notations

extension Notation where Value: FileNamed {
  /// A word. `what` is its name in messages.
  package static func word(_ what: String) -> Notation { word(what, among: Value.named) }

  /// A word for one of these values.
  package static func word(_ what: String, among values: [Value]) -> Notation {
    let names = values.map(\.fileName)
    return Notation(
      .word(names, what: what),
      text: { text throws(Refusal) in
        guard let place = names.firstIndex(of: text) else {
          throw Refusal("unknown \(what) '\(text)'", unknownWord: text)
        }
        return values[place]
      }, { $0.fileName })
  }
}

extension Notation where Value: FileNamed & OptionSet, Value.Element == Value {
  /// A list of words, which may be empty.
  package static func words(_ what: String) -> Notation {
    let word = Notation.word(what)
    return Notation(.list(word.shape)) { plain throws(Refusal) in
      guard case .texts(let texts) = plain else { return nil }
      var values: Value = []
      for text in texts { if let value = try word.read(.text(text)) { values.formUnion(value) } }
      return values
    } write: { values in
      .texts(Value.named.filter { values.isSuperset(of: $0) }.map(\.fileName))
    }
  }
}

extension Notation<Interval> {
  package static var duration: Notation {
    Notation(.duration, text: DurationText.read, DurationText.write)
  }
}

extension Notation<Int64> {
  /// A footprint. The shape limits footprints in files that people write. A program may give
  /// a greater value, which counts as the limit.
  package static var footprint: Notation {
    Notation(.footprint, text: SizeText.read, SizeText.write)
  }
}

extension Notation<UInt32> {
  package static var share: Notation {
    Notation(.share, text: { text throws(Refusal) in try ShareText.read(text) }, { "\($0)%" })
  }
}

extension Notation<TerminationCode> {
  package static var code: Notation { Notation(.code, text: CodeText.read, { $0.fileName }) }
}
