package import CurfewText

/// A condition on a ratio: `curfew.p50/timerfd.p50<=2`. It is about the ratio's whole interval.
package struct Threshold: Sendable, Hashable, CustomStringConvertible {
  package enum Comparison: String, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case more = ">"

    /// Whether a number meets the condition.
    func holds(_ number: Double, _ limit: Double) -> Bool {
      switch self {
      case .atMost: number <= limit
      case .atLeast: number >= limit
      case .less: number < limit
      case .more: number > limit
      }
    }
  }

  package enum Answer: String, Sendable, CaseIterable {
    /// The whole interval meets the condition.
    case holds
    /// No number of the interval meets the condition.
    case fails
    /// The limit is inside the interval, or there is none that means anything.
    case inconclusive
  }

  package let ratio: RatioName
  package let comparison: Comparison
  package let limit: Double
  /// The text as written, without spaces around it.
  package let description: String

  /// Reads one condition.
  package init(_ text: some StringProtocol) throws(Refusal) {
    let bare = String(text).trimmingSpaces
    let refusal = Refusal(
      "'\(bare)' is not a threshold; write one as in 'curfew.p50/timerfd.p50<=2'")
    guard let sign = bare.firstIndex(where: { "<>".contains($0) }) else { throw refusal }
    // The longer signs come first, because `<` begins `<=`.
    guard
      let comparison = Comparison.allCases.first(where: { bare[sign...].hasPrefix($0.rawValue) }),
      let limit = Double(
        String(bare[sign...].dropFirst(comparison.rawValue.count)).trimmingSpaces),
      limit.isFinite, limit > 0
    else { throw refusal }
    self.comparison = comparison
    self.limit = limit
    ratio = try RatioName(String(bare[..<sign]).trimmingSpaces)
    description = bare
  }

  /// Reads the conditions of all options; each may have several, separated by commas.
  package static func list(_ texts: [String]) throws(Refusal) -> [Threshold] {
    var thresholds: [Threshold] = []
    for text in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      thresholds.append(try Threshold(text))
    }
    return thresholds
  }

  /// The answer for one ratio.
  package func answer(_ ratio: Ratio) -> Answer {
    guard !ratio.isDisturbed, let interval = ratio.interval else { return .inconclusive }
    let ends = [interval.lowerBound, interval.upperBound].map { comparison.holds($0, limit) }
    return ends[0] && ends[1] ? .holds : ends[0] || ends[1] ? .inconclusive : .fails
  }
}

/// A threshold, and its answer for one of the ratios that it names.
package struct JudgedThreshold: Sendable, Hashable {
  package let threshold: Threshold
  package let ratio: Ratio
  package let answer: Threshold.Answer
}

extension String {
  fileprivate var trimmingSpaces: String {
    let rest = drop { $0 == " " }
    return String(rest.prefix(rest.count - rest.reversed().prefix { $0 == " " }.count))
  }
}
