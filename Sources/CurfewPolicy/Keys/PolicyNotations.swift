import CurfewEngine
import CurfewText

// Notations of the engine's values that only policies have.

extension Notation {
  /// One of these words. `what` is its name in messages.
  static func word(_ what: String, of words: [(name: String, value: Value)]) -> Notation
  where Value: Equatable & Sendable {
    Notation(
      .word(words.map(\.name), what: what),
      text: { text throws(Refusal) in
        guard let word = words.first(where: { $0.name == text }) else {
          throw Refusal("unknown \(what) '\(text)'", unknownWord: text)
        }
        return word.value
      }, { value in words.first { $0.value == value }?.name ?? "" })
  }
}

extension Notation<UInt32> {
  /// A whole number in `range`.
  static func number(_ range: ClosedRange<UInt32>) -> Notation {
    Notation(.wholeNumber(Int64(range.lowerBound)...Int64(range.upperBound))) { plain in
      if case .number(let number) = plain { UInt32(exactly: number) } else { nil }
    } write: {
      .number(Int64($0))
    }
  }

  /// A number of things that are counted or kept for one app.
  static func count(from least: UInt32) -> Notation { number(least...greatestCount) }

  /// A percentage. A share of a core that may exceed 100 % has the notation `share` instead.
  static var percentage: Notation {
    Notation(
      .percentage, text: { text throws(Refusal) in UInt32(try PercentageText.read(text)) },
      { "\($0)%" })
  }

  /// The limit of `count`: at most this many things are counted or kept for one app. The engine
  /// allocates room for that number in each app.
  private static var greatestCount: UInt32 { 10_000 }
}

extension Notation<ScaleFactor> {
  /// A number with decimals, in a range whose bounds are whole numbers.
  static func factor(_ range: ClosedRange<UInt32>) -> Notation {
    let range = Int64(range.lowerBound)...Int64(range.upperBound)
    return Notation(.decimal(range)) { plain throws(Refusal) in
      switch plain {
      case .text(let text):
        ScaleFactor(millionths: UInt32(try DecimalText.millionths(in: text, range)))
      case .number(let number):
        ScaleFactor(millionths: UInt32(try DecimalText.millionths(in: "\(number)", range)))
      case .flag, .texts: nil
      }
    } write: {
      Plain(canonical: DecimalText.text(ofMillionths: Int64($0.millionths)))
    }
  }
}

extension Notation<TerminationCode?> {
  static var codeOrNone: Notation { Notation<TerminationCode>.code.or("none", what: "code") }
}

extension Notation<Interval> {
  /// A duration, or `none` for zero.
  static func durationOrNone(_ what: String) -> Notation {
    let duration = Notation.duration.or("none", what: what)
    return Notation(duration.shape) { plain throws(Refusal) in
      try duration.read(plain).map { $0 ?? .zero }
    } write: {
      duration.write($0 == .zero ? nil : $0)
    }
  }
}

extension Notation<ThermalState?> {
  /// The hot states, and `never`.
  static var hotState: Notation {
    word(
      "thermal state",
      of: [("never", nil)] + ThermalState.named.filter { $0 > .nominal }.map { ($0.fileName, $0) })
  }
}

extension Notation<WakeStart> {
  static var start: Notation { word("start", of: WakeStart.allCases.map { ("\($0)", $0) }) }
}
