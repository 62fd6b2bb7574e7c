/// Times in a form for people.
package enum HumanTime {
  private static let second: Int64 = 1_000_000_000

  /// Exact to the nanosecond: `0s`, `300ms`, `8.1s`, `1m 30s`, `2h 12s`.
  package static func text(ofNanoseconds nanoseconds: Int64) -> String {
    guard nanoseconds >= 0 else {
      return "-" + text(ofNanoseconds: nanoseconds == .min ? .max : -nanoseconds)
    }
    if nanoseconds < second, let unit = Units.time.all.first(where: { nanoseconds >= $0.size }) {
      return HumanNumber.decimal(nanoseconds, of: unit.size) + unit.name
    }
    var (rest, parts) = (nanoseconds, [String]())
    for unit in Units.time.all where unit.size > second {
      if rest >= unit.size { parts.append("\(rest / unit.size)\(unit.name)") }
      rest %= unit.size
    }
    if rest > 0 || parts.isEmpty { parts.append(HumanNumber.decimal(rest, of: second) + "s") }
    return parts.joined(separator: " ")
  }

  /// Three digits of one unit, at most seconds: `12.3us`, `250ms`, `4,321s`; `-` for nil.
  package static func rounded(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "-" }
    guard nanoseconds >= 0 else { return "-" + rounded(nanoseconds == .min ? .max : -nanoseconds) }
    // A value that rounds to 1,000 of a unit is written in the next unit: 999.96us is 1ms.
    let unit =
      Units.time.all.last { nanoseconds < $0.size * 1_000 - $0.size / 2 && $0.size < second } ?? (
        "s", second
      )
    return HumanNumber.rounded(Double(nanoseconds) / Double(unit.size)) + unit.name
  }
}
