/// Times as a person reads them: `0s`, `300ms`, `8.1s`, `1m 30s`, `2h 12s`.
package enum HumanTime {
  package static func text(ofNanoseconds nanoseconds: Int64) -> String {
    guard nanoseconds >= 0 else { return "-" + text(ofNanoseconds: nanoseconds == .min ? .max : -nanoseconds) }
    if nanoseconds > 0, nanoseconds < 1_000_000_000 { return small(nanoseconds) }
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    let (days, hour) = hours.quotientAndRemainder(dividingBy: 24)
    var parts: [String] = []
    if days > 0 { parts.append("\(days)d") }
    if hour > 0 { parts.append("\(hour)h") }
    if minute > 0 { parts.append("\(minute)m") }
    if second > 0 || fraction > 0 || parts.isEmpty { parts.append("\(second)\(decimals(fraction, digits: 9))s") }
    return parts.joined(separator: " ")
  }

  private static func small(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case 1_000_000...: "\(nanoseconds / 1_000_000)\(decimals(nanoseconds % 1_000_000, digits: 6))ms"
    case 1_000...: "\(nanoseconds / 1_000)\(decimals(nanoseconds % 1_000, digits: 3))us"
    default: "\(nanoseconds)ns"
    }
  }

  private static func decimals(_ fraction: Int64, digits: Int) -> String {
    guard fraction > 0 else { return "" }
    var text = String(fraction)
    text = String(repeating: "0", count: digits - text.count) + text
    while text.last == "0" { text.removeLast() }
    return "." + text
  }
}
