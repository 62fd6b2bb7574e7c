/// The units of one quantity, and whole numbers of them as written in files: `30s`,
/// `1h 30m`, `120MiB`.
struct Units: Sendable {
  /// The words that messages use for the quantity, for its notation, and for a value that
  /// is too large.
  let noun: String
  let rule: String
  let excess: String
  /// The units, the largest first; amounts are counted in the last one.
  let all: [(name: String, size: Int64)]
  /// Whether several units may be combined, the larger ones first, with or without spaces.
  var addsUp = false

  static let time = Units(
    noun: "duration", rule: "durations are whole numbers with a unit: 30s, 250ms",
    excess: "too long; the longest duration is 106751d, 292 years",
    all: [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
      ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
      ("ns", 1),
    ], addsUp: true)

  static let memory = Units(
    noun: "size", rule: "sizes are whole numbers with a unit: 120MiB, 4GiB",
    excess: "too large; the largest size is 8589934591GiB",
    all: [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)])

  /// The amount that `text` means, in the smallest unit.
  func read(_ text: String) throws(Refusal) -> Int64 {
    if text.hasPrefix("-") { throw Refusal("negative \(noun) '\(text)'; \(rule)") }
    var (rest, total, last) = (text[...], Int64(0), Int64.max)
    repeat {
      let digits = rest.prefix(while: \.isDigit)
      rest = rest.dropFirst(digits.count)
      let name = addsUp ? rest.prefix { !$0.isDigit && $0 != " " } : rest
      rest = rest.dropFirst(name.count)
      guard !digits.isEmpty else { throw Refusal("'\(text)' is not a \(noun); \(rule)") }
      if name.isEmpty, !rest.isEmpty { throw Refusal("'\(text)' is not a \(noun); \(rule)") }
      if name.isEmpty {
        throw Refusal(
          "\(digits.count == text.count ? "" : "'\(digits)' in ")'\(text)' has no unit; \(rule)")
      }
      guard let unit = all.first(where: { $0.name == name }) else {
        throw Refusal(
          "unknown unit '\(name)' in '\(text)'; the units are \(all.reversed().map(\.name).joined(separator: " "))"
        )
      }
      guard unit.size < last else {
        throw Refusal("in '\(text)' units must go from large to small, each at most once; \(rule)")
      }
      guard let count = Int64(digits),
        case let (amount, overflow) = count.multipliedReportingOverflow(by: unit.size), !overflow,
        case let (sum, isTooGreat) = total.addingReportingOverflow(amount), !isTooGreat
      else { throw Refusal("'\(text)' is \(excess)") }
      (total, last) = (sum, unit.size)
      if rest.first == " " { rest = rest.dropFirst() }
    } while !rest.isEmpty || text.hasSuffix(" ")
    return total
  }

  /// `amount` in the largest unit that leaves a whole number.
  func whole(_ amount: Int64) -> (count: Int64, unit: String) {
    let unit =
      all.first { amount.magnitude >= $0.size && amount % $0.size == 0 } ?? all[all.count - 1]
    return (amount / unit.size, unit.name)
  }
}

extension Character {
  /// Whether the character is one of `0` to `9`.
  package var isDigit: Bool { asciiValue.map { $0 &- 48 < 10 } ?? false }
}
