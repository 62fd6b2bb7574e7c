import CurfewEngine
import CurfewPolicy
import CurfewText

extension Threshold {
  /// Reads the thresholds in `text`, separated by commas: `lateness.p99<200us, early==0`.
  package static func read(_ text: String) throws(ThresholdError) -> [Threshold] {
    try read(text, of: Metric.all.map { ($0.name, $0.unit) }, like: "lateness.p99<200us,early==0")
  }

  /// Reads thresholds of other quantities; `example` is the example in errors.
  package static func read(
    _ text: String, of quantities: [(name: String, unit: Metric.Unit)], like example: String
  ) throws(ThresholdError) -> [Threshold] {
    var thresholds: [Threshold] = []
    var start = text.startIndex
    while true {
      let end = text[start...].firstIndex(of: ",") ?? text.endIndex
      thresholds.append(
        try ThresholdReading(text, text[start..<end], quantities, example).threshold())
      guard end < text.endIndex else { return thresholds }
      start = text.index(after: end)
    }
  }
}

/// Reads one threshold from a list of thresholds.
private struct ThresholdReading {
  let text: String
  let rest: Substring
  let quantities: [(name: String, unit: Metric.Unit)]
  let example: String

  init(
    _ text: String, _ rest: Substring, _ quantities: [(name: String, unit: Metric.Unit)],
    _ example: String
  ) {
    (self.text, self.rest, self.quantities, self.example) = (
      text, rest.trimmed, quantities, example
    )
  }

  func threshold() throws(ThresholdError) -> Threshold {
    guard let mark = rest.firstIndex(where: { "<>=!".contains($0) }) else {
      throw rest.isEmpty
        ? error(rest.startIndex, "a threshold is missing; \(rule)")
        : error(rest.startIndex, "'\(rest)' has no comparison; \(rule)")
    }
    let name = rest[..<mark].trimmed
    let sign = rest[mark...].prefix { "<>=!".contains($0) }
    let value = rest[sign.endIndex...].trimmed
    let quantity = try quantity(name, mark)
    guard let comparison = Threshold.Comparison(rawValue: String(sign)) else {
      throw error(
        mark,
        "'\(sign)' is not a comparison; expected one of \(Threshold.Comparison.allCases.map(\.rawValue).joined(separator: " "))"
      )
    }
    guard !value.isEmpty else {
      throw error(
        value.startIndex, "'\(quantity.name)' needs a limit after the comparison; \(rule)")
    }
    let limit =
      switch quantity.unit {
      case .duration: try duration(value, quantity.name)
      case .number: try number(value, quantity.name)
      case .percentage: try percentage(value, quantity.name)
      }
    return Threshold(
      metric: quantity.name, unit: quantity.unit, comparison: comparison, limit: limit,
      text: String(rest))
  }

  private var rule: String { "thresholds are written as in '\(example)'" }

  private func quantity(_ name: Substring, _ mark: String.Index) throws(ThresholdError) -> (
    name: String, unit: Metric.Unit
  ) {
    guard !name.isEmpty else {
      throw error(mark, "a metric is missing before the comparison; \(rule)")
    }
    if let quantity = quantities.first(where: { $0.name == name }) { return quantity }
    let hint = NearestName.hint(for: String(name), among: quantities.map(\.name), "expected one of")
    throw error(name.startIndex, "unknown metric '\(name)'\(hint)")
  }

  private func duration(_ value: Substring, _ name: String) throws(ThresholdError) -> Double {
    do {
      return Double(try DurationText.read(String(value)).nanoseconds)
    } catch {
      throw self.error(value.startIndex, "'\(name)' is a duration: \(error.message)")
    }
  }

  private func number(_ value: Substring, _ name: String) throws(ThresholdError) -> Double {
    // `Double` also accepts nan, inf and 0x1p3, which make no sense here.
    guard value.allSatisfy({ $0 == "." || $0.isDigit }), value.last != ".",
      let number = Double(String(value))
    else {
      throw error(value.startIndex, "'\(name)' is a plain number, not '\(value)'; \(rule)")
    }
    return number
  }

  private func percentage(_ value: Substring, _ name: String) throws(ThresholdError) -> Double {
    do {
      return Double(try PercentageText.read(String(value)))
    } catch {
      throw self.error(value.startIndex, "'\(name)' is a percentage: \(error.message)")
    }
  }

  private func error(_ place: String.Index, _ message: String) -> ThresholdError {
    ThresholdError(
      text: text, column: text.distance(from: text.startIndex, to: place) + 1, message: message)
  }
}

extension Substring {
  /// The text without spaces around it.
  fileprivate var trimmed: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
