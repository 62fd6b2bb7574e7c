import CurfewText

/// The measure of an axis or a column: its name, and the format of its values.
package struct AxisMeasure: Hashable, Sendable {
  /// The name: `uploads that are done`.
  package var name: String
  /// The unit of the values.
  package var unit: Unit

  /// The units of values.
  package enum Unit: Hashable, Sendable {
    /// Any unit; the text follows each value.
    case plain(String)
    /// Numbers of whole things.
    case count
    /// Shares from 0 to 1, written as percentages.
    case share
    /// Differences of shares: percentage points.
    case points
    /// Times, in seconds.
    case seconds
    /// Sizes.
    case bytes
  }

  /// A measure of this name.
  package init(_ name: String, _ unit: Unit = .plain("")) { (self.name, self.unit) = (name, unit) }

  /// A value with three digits and its unit: `32.1 %`, `1h 30m`, `1,250`; `–` for NaN.
  package func text(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "–" : value < 0 ? "−∞" : "∞" }
    let magnitude = magnitudeText(abs(value))
    return value < 0 && magnitude.contains { ("1"..."9").contains($0) }
      ? "−" + magnitude : magnitude
  }

  /// The value with its sign: `+3.2 points`.
  package func signedText(_ value: Double) -> String {
    let text = text(value)
    return value > 0 && text.contains { ("1"..."9").contains($0) } ? "+" + text : text
  }

  /// A value and an interval around it: `32.1 % (31 to 33.2 %)`; for an unsigned 0 with the lower
  /// bound 0: `0 (at most 0.37)`.
  package func text(_ value: Double, _ interval: ClosedRange<Double>?, isSigned: Bool = false)
    -> String
  {
    let write = { isSigned ? signedText($0) : text($0) }
    guard let interval else { return write(value) }
    if !isSigned, value == 0, interval.lowerBound == 0 {
      return "\(write(value)) (at most \(write(interval.upperBound)))"
    }
    return "\(write(value)) (\(write(interval.lowerBound)) to \(write(interval.upperBound)))"
  }

  private func magnitudeText(_ value: Double) -> String {
    switch unit {
    case .plain(let unit): AxisMeasure.digits(value) + (unit.isEmpty ? "" : " \(unit)")
    case .count:
      value < 1e15
        ? HumanNumber.isWhole(value) ? HumanCount.text(Int64(value)) : AxisMeasure.digits(value)
        : AxisMeasure.digits(value)
    case .share: AxisMeasure.digits(value * 100) + " %"
    case .points:
      AxisMeasure.digits(value * 100)
        + (AxisMeasure.digits(value * 100) == "1" ? " point" : " points")
    case .seconds: AxisMeasure.time(value)
    case .bytes:
      value < 0x1p62 ? HumanSize.rounded(Int64(value.rounded())) : AxisMeasure.digits(value) + " B"
    }
  }

  /// The value with three significant digits, but with all digits of its whole part, grouped
  /// by thousands.
  private static func digits(_ value: Double) -> String {
    if value == 0 { return "0" }
    if value >= 1e15 { return "\(value)" }
    if value >= 0.995 { return HumanNumber.rounded(value) }
    var (places, scaled) = (2, value)
    while scaled < 0.0995, places < 12 { (places, scaled) = (places + 1, scaled * 10) }
    return HumanNumber.decimal(value, places: places + 1)
  }

  private static func time(_ seconds: Double) -> String {
    guard seconds < 9e9 else { return "\(seconds)s" }
    let whole = { (grain: Double) in
      HumanTime.text(ofNanoseconds: Int64((seconds / grain).rounded() * grain) * 1_000_000_000)
    }
    switch seconds {
    case 0: return "0"
    case ..<59.95: return HumanTime.rounded(Int64((seconds * 1e9).rounded()))
    case ..<86_400: return whole(1)
    default: return whole(60)
    }
  }
}

extension HumanNumber {
  /// Whether the value is whole.
  fileprivate static func isWhole(_ value: Double) -> Bool { value == value.rounded() }
}
