import CurfewEngine
import CurfewPolicy
import CurfewText

/// An option whose value is an instant of a run.
enum InstantOption {
  /// Reads a time, written as a duration or as the timeline prints it, with a fraction at the
  /// end: `3h 45m 25.05s`.
  static func read(_ text: String, _ option: String) throws(Refusal) -> Instant {
    do {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return .zero + (try DurationText.read(text)) }
      let digits = parts[1].prefix(while: \.isDigit)
      let unit = parts[1].dropFirst(digits.count)
      guard let fraction = Int64(digits), digits.count <= 9, parts[0].last?.isDigit ?? false,
        unit.allSatisfy(\.isLetter)
      else {
        return .zero + (try DurationText.read(text))
      }
      let power = digits.reduce(Int64(1)) { power, _ in power * 10 }
      // A full-width product: a day in nanoseconds has fourteen digits, and the fraction up
      // to nine.
      let part = power.dividingFullWidth(
        try DurationText.read("1\(unit)").nanoseconds.multipliedFullWidth(by: fraction)
      ).quotient
      return .zero + (try DurationText.read("\(parts[0])\(unit)")) + .nanoseconds(part)
    } catch { throw Refusal("\(option): \(error.message)") }
  }
}
