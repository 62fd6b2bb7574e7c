import CurfewText

/// Describes a measure whose events are too rare to compare in every variant.
package struct RareWords {
  private let found: [(comparison: ResultsSummary.Comparison, rare: RareEvents)]
  private let measure: ResultsSummary.Measure
  private let summary: ResultsSummary

  /// Returns nil if some comparison has enough events, or if there is no comparison.
  init?(
    _ comparisons: [ResultsSummary.Comparison], _ measure: ResultsSummary.Measure,
    _ summary: ResultsSummary
  ) {
    found = comparisons.compactMap { comparison in comparison.rare.map { (comparison, $0) } }
    (self.measure, self.summary) = (measure, summary)
    guard !found.isEmpty, found.count == comparisons.count else { return nil }
  }

  /// `0 and 0 in 8 device-days each: at most 0.37 a day in either, too rare to compare`.
  package var text: String {
    guard let first = found.first, found.count > 1 else {
      return found.map { one($0.comparison, $0.rare, isNamed: false) }.joined()
    }
    let days = Self.days(first.rare)
    guard found.contains(where: { $0.rare.baseline.events + $0.rare.variant.events > 0 }) else {
      return
        "0 in each of \(found.count + 1) variants, in \(days) each: at most \(Self.number(first.rare.atMost))\(unit) in any, too rare to compare"
    }
    return found.prefix(Self.mostVariants).map { one($0.comparison, $0.rare, isNamed: true) }
      .joined(separator: "; ")
      + (found.count > Self.mostVariants ? "; and \(found.count - Self.mostVariants) more" : "")
  }

  /// The maximum number of variants in the sentence; the table has the others.
  private static let mostVariants = 4

  private func one(_ comparison: ResultsSummary.Comparison, _ rare: RareEvents, isNamed: Bool)
    -> String
  {
    let (base, variant) = (
      summary.variants[summary.baseline].name, summary.variants[comparison.variant].name
    )
    let names = isNamed ? (" with \(base)", " with \(variant)") : ("", "")
    let counts =
      "\(HumanCount.text(rare.baseline.events))\(names.0) and \(HumanCount.text(rare.variant.events))\(names.1) in \(Self.days(rare)) each"
    guard rare.baseline.events + rare.variant.events > 0 else {
      return "\(counts): at most \(Self.number(rare.atMost))\(unit) in either, too rare to compare"
    }
    let bounds = [rare.baseline, rare.variant].map { Self.interval($0.bounds) }.joined(
      separator: " and ")
    return
      "\(counts): \(bounds)\(unit), the difference \(Self.interval(rare.difference)), too rare to compare"
  }

  /// The suffix of a number: ` a day`.
  private var unit: String {
    switch measure.unit {
    case "per device and day": " a day"
    case "per hour": " an hour"
    default: " a run"
    }
  }

  private static func days(_ rare: RareEvents) -> String {
    "\(SweepSentence.number(rare.deviceDays)) \(rare.deviceDays == 1 ? "device-day" : "device-days")"
  }

  /// The text in place of an interval: `at most 0.37 in either`, or the bounds of the difference.
  static func bounds(_ rare: RareEvents) -> String {
    rare.baseline.events + rare.variant.events == 0
      ? "at most \(number(rare.atMost)) in either" : interval(rare.difference)
  }

  /// The bounds with the counts,
  /// for a page: `0 and 0 events in 8 device-days each, at most 0.37 in either`.
  package static func detail(_ rare: RareEvents) -> String {
    let counts =
      "\(HumanCount.text(rare.baseline.events)) and \(HumanCount.text(rare.variant.events)) events in \(days(rare)) each"
    guard rare.baseline.events + rare.variant.events > 0 else {
      return "\(counts), \(bounds(rare))"
    }
    return
      "\(counts), at most \(number(rare.baseline.bounds.upperBound)) and \(number(rare.variant.bounds.upperBound))"
  }

  private static func interval(_ bounds: ClosedRange<Double>) -> String {
    "\(number(bounds.lowerBound)) to \(number(bounds.upperBound))"
  }

  /// The number with two significant digits: bounds of few events justify no more digits.
  static func number(_ value: Double) -> String {
    let size = value < 0 ? -value : value
    guard size < 10 else { return SweepSentence.number(value) }
    var (places, scaled) = (1, size)
    while scaled < 1, scaled > 0, places < 12 { (places, scaled) = (places + 1, scaled * 10) }
    return HumanNumber.decimal(value, places: places)
  }
}
