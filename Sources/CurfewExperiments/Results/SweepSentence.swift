package import CurfewStatistics
import CurfewText

/// The answer to an experiment's question, in a sentence or two.
package struct SweepSentence {
  private let summary: ResultsSummary

  package init(_ summary: ResultsSummary) { self.summary = summary }

  /// `Lost uploads: 2.4 per device and day with grant=180s, 7.1 with grant=30s: 4.7 more (4.5 to 4.9, 95 %).`
  package var text: String {
    guard !summary.comparisons.isEmpty else {
      return "Nothing is compared yet: \(HumanCount.text(summary.runs, "run")) so far."
    }
    return (summary.measures.indices.map(answer) + rest).joined(separator: " ")
  }

  /// The answer by the first measure, and the number of comparisons without an answer.
  package var first: String {
    summary.comparisons.isEmpty ? text : ([answer(0)] + rest).joined(separator: " ")
  }

  private var rest: [String] {
    let all = summary.comparisons
    func sentence(_ count: Int, _ words: String) -> [String] {
      count == 0
        ? []
        : [
          "\(HumanCount.text(count, "comparison")) of \(all.count) \(count == 1 ? "is" : "are") \(words)."
        ]
    }
    let rare = all.count { $0.rare != nil }
    // A single comparison has its own sentence.
    return sentence(all.count { !$0.isDecided && $0.isComparable } - rare, "inconclusive")
      + (all.count > 1 ? sentence(rare, "too rare") : [])
      + sentence(
        all.count { !$0.isComparable },
        "not comparable, because only one of the two policies has a kind that the measure depends on"
      )
  }

  /// The answer by one measure: the variant that differs most.
  package func answer(_ place: Int) -> String {
    let (measure, found) = (
      summary.measures[place], summary.comparisons.filter { $0.measure == place }
    )
    let name = measure.name.prefix(1).uppercased() + measure.name.dropFirst()
    func size(_ comparison: ResultsSummary.Comparison) -> Double {
      comparison.difference.map { $0 < 0 ? -$0 : $0 } ?? 0
    }
    guard let most = found.filter(\.differs).max(by: { size($0) < size($1) }) else {
      let comparable = found.filter(\.isComparable)
      guard !comparable.isEmpty else { return "\(name): not comparable." }
      let apart = found.count - comparable.count
      let others = apart == 0 ? "" : "; not comparable in \(HumanCount.text(apart, "variant"))"
      return "\(name): \(undecided(comparable, measure))\(others)."
    }
    let level = HumanNumber.percent(summary.level)
    let (base, variant) = (
      summary.variants[summary.baseline].name, summary.variants[most.variant].name
    )
    let word = (most.difference ?? 0) < 0 ? "less" : "more"
    let unit = ["ratio", "count"].contains(measure.unit) ? "" : " \(measure.unit)"
    return
      "\(name): \(SweepSentence.number(most.baselineMean))\(unit) with \(base), \(SweepSentence.number(most.mean)) with \(variant): "
      + "\(SweepSentence.number(size(most))) \(word) (\(interval(most)), \(level))\(most.verdict.isWithinMargin ? ", which is too little to matter" : "")."
  }

  /// The clause for a measure by which no variant certainly differs.
  private func undecided(_ found: [ResultsSummary.Comparison], _ measure: ResultsSummary.Measure)
    -> String
  {
    if let rare = RareWords(found, measure, summary) { return rare.text }
    if found.allSatisfy({ $0.verdict == .identical }) {
      return "the same in every repetition of every variant"
    }
    if found.allSatisfy({ $0.pairs == 0 }) { return "no run has a value" }
    if found.allSatisfy(\.isDecided) { return "no variant differs by enough to matter" }
    // Equal differences have no spread, so a few of them have no interval.
    let even = found.filter {
      $0.rare == nil && $0.interval == nil && $0.pairs > 0 && ($0.difference ?? 0) != 0
    }
    if let first = even.first, found.count == 1, let difference = first.difference {
      let size = SweepSentence.number(difference.magnitude) + (difference < 0 ? " less" : " more")
      return
        "\(size) in each of \(HumanCount.text(first.pairs, "repetition")), too few to be certain"
    }
    let rare = found.count { $0.rare != nil }
    let none = even.isEmpty ? "no difference was found" : "no difference is certain"
    return rare == 0
      ? none
      : "too rare to compare in \(HumanCount.text(rare, "variant")), and \(none) in the others"
  }

  /// The interval of a decrease is written without the sign.
  private func interval(_ found: ResultsSummary.Comparison) -> String {
    guard let low = found.low, let high = found.high, high < 0 else {
      return SweepSentence.interval(found.low, found.high)
    }
    return SweepSentence.interval(-high, -low)
  }

  // MARK: Numbers

  /// The number with three significant digits, and all digits before the decimal point: `0.0123`,
  /// `12.4`, `8,113`.
  package static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "" }
    let size = value < 0 ? -value : value
    if value < 0 { return "-" + number(size) }
    guard size < 100 else { return HumanNumber.rounded(value) }
    let places = size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : 6
    return HumanNumber.decimal(value, places: places)
  }

  package static func signed(_ value: Double?) -> String {
    value.map { ($0 > 0 ? "+" : "") + number($0) } ?? ""
  }

  package static func interval(_ low: Double?, _ high: Double?) -> String {
    low.flatMap { low in
      high.map { low == $0 ? "in every repetition" : "\(number(low)) to \(number($0))" }
    } ?? "none"
  }

  /// The interval, or the bounds that replace it if events are too rare to compare.
  package static func interval(_ interval: ClosedRange<Double>?, or rare: RareEvents?) -> String {
    rare.map(RareWords.bounds) ?? SweepSentence.interval(interval?.lowerBound, interval?.upperBound)
  }

  /// The verdict in words, with a note if its interval may be too narrow.
  package static func words(of found: ResultsSummary.Comparison) -> String {
    words(of: found.verdict, found.interval == nil ? nil : found.skewness, pairs: found.pairs)
  }

  /// The verdict on a figure of two variants, in words.
  package static func words(of found: FigureDifference) -> String {
    words(
      of: found.verdict, found.interval == nil ? nil : found.differences.skewness,
      pairs: found.differences.count)
  }

  static func words(of verdict: Verdict, _ skewness: Double?, pairs: Int) -> String {
    words(of: verdict)
      + (Finding.isSkewed(skewness, repetitions: pairs)
        ? "; skewed: the interval may be too narrow" : "")
  }

  package static func words(of verdict: Verdict) -> String {
    switch verdict {
    case .identical: "the same in every repetition"
    case .differs, .inconclusive: verdict.name
    case .differsWithinMargin(.more): "more, but too little to matter"
    case .differsWithinMargin(.less): "less, but too little to matter"
    case .sameWithinMargin: "no difference that matters"
    case .notComparable: "not comparable"
    case .tooRare: "too rare to compare"
    }
  }
}
