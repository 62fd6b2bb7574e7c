public import CurfewEngine
public import CurfewText

// What scalars of files mean to the engine.

extension DurationText {
  /// The duration that `text` means.
  public static func read(_ text: String) throws(Refusal) -> Interval { Interval(nanoseconds: try nanoseconds(in: text)) }

  /// `interval` in the longest unit that leaves a whole number: `30s`, `1500ms`, `0s`.
  public static func write(_ interval: Interval) -> String { text(ofNanoseconds: interval.nanoseconds) }
}

extension CodeText {
  package static func read(_ text: String) throws(Refusal) -> TerminationCode { TerminationCode(rawValue: try bits(of: text)) }
}

extension ShareText {
  package static func read(_ text: String) throws(Refusal) -> UInt32 { try read(text, upTo: CPURules.greatestShare) }
}

/// Durations that may be `never`.
package enum IntervalText {
  package static let never = "never"

  /// nil for never.
  package static func read(_ text: String) throws(Refusal) -> Interval? {
    text == never ? nil : try DurationText.read(text)
  }

  package static func write(_ interval: Interval?) -> String { interval.map(DurationText.write) ?? never }
}

extension Shape {
  /// A size that an app can take up: no more than the engine tells apart.
  package static let footprint = Shape.sizeUpTo(MemoryRules.greatestFootprint, what: "the most that an app can take up")
  /// A share of one processor core, of which there may be a hundred.
  package static let share = Shape.share(upTo: CPURules.greatestShare)
}
