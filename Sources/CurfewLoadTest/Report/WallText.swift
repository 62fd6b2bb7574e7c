import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewText

/// Numbers as a person reads them.
enum WallText {
  /// A length in three digits: `12.3us`, `250ms`, `1.08s`; `-` for none.
  static func text(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "-" }
    guard nanoseconds >= 0 else { return "-" + text(nanoseconds == .min ? .max : -nanoseconds) }
    if nanoseconds < 1_000 { return "\(nanoseconds)ns" }
    var unit = ("s", Int64(1_000_000_000))
    // What rounds to a thousand of a unit is one of the next: 999.96us is 1ms.
    for smaller in [("us", Int64(1_000)), ("ms", 1_000_000)] where nanoseconds < smaller.1 * 1_000 - smaller.1 / 2 {
      unit = smaller
      break
    }
    return digits(Double(nanoseconds) / Double(unit.1)) + unit.0
  }

  /// A length as a person writes it, all digits: `90s`, `1500ms`, `106751d`.
  static func exact(_ nanoseconds: Int64) -> String { DurationText.write(Interval(nanoseconds: nanoseconds)) }

  /// A number in three digits: `1.2`, `48.3`, `1,250`.
  static func digits(_ value: Double) -> String {
    switch value {
    case ..<9.995: trimmed(decimal(value, places: 2))
    case ..<99.95: trimmed(decimal(value, places: 1))
    default: grouped(Int64(value.rounded()))
    }
  }

  /// A length that may be more: `>=50ms`.
  static func text(_ figure: Figure?) -> String { figure.map { bound($0) + text(Int64($0.value)) } ?? "-" }

  /// A ratio: `1.25x`, and `>=1.25x` where it may be more; `-` for none.
  static func ratio(_ figure: Figure?) -> String { figure.map { bound($0) + digits($0.value) + "x" } ?? "-" }

  private static func bound(_ figure: Figure) -> String { figure.isAtLeast ? ">=" : "" }

  /// A whole number with its thousands set apart: `10,000`.
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// Things, counted: `1 app`, `10,000 apps`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
  }

  /// A share of one: `81 %`.
  static func percent(_ share: Double) -> String { "\(Int((share * 100 + 1e-9).rounded(.down))) %" }

  /// Bytes in binary units: `12.5 MiB`.
  static func bytes(_ count: Int64) -> String {
    for (unit, size) in [("GiB", Double(1 << 30)), ("MiB", Double(1 << 20)), ("KiB", Double(1 << 10))] where Double(count) >= size {
      return digits(Double(count) / size) + " " + unit
    }
    return "\(count) B"
  }

  /// A number with so many places after the point.
  static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let power = (0..<places).reduce(1.0) { power, _ in power * 10 }
    let scaled = Int64((abs(value) * power).rounded())
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int64(power))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + "\(whole)" }
    let text = String(fraction)
    return sign + "\(whole)." + String(repeating: "0", count: places - text.count) + text
  }

  /// A decimal without zeros that say nothing.
  static func trimmed(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var text = Substring(text)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return String(text)
  }
}
