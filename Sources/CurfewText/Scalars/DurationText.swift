/// Why a text does not mean what it should; what a person is told after the place.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence, without a full stop.
  public let message: String

  /// Where it is a word that nobody knows: that word.
  package let unknownWord: String?

  package init(_ message: String, unknownWord: String? = nil) { (self.message, self.unknownWord) = (message, unknownWord) }

  /// The message.
  public var description: String { message }
}

/// Durations as files write them: `250ms`, `30s`, `10m`, `2h`, `7d`.
public enum DurationText {
  /// The units, longest first.
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ("ns", 1),
  ]

  package static let rule = "durations are whole numbers with a unit: 30s, 250ms"

  /// How many nanoseconds `text` means.
  package static func nanoseconds(in text: String) throws(Refusal) -> Int64 {
    if text.hasPrefix("-") { throw Refusal("negative duration '\(text)'; \(rule)") }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard !digits.isEmpty else { throw Refusal("'\(text)' is not a duration; \(rule)") }
    if unit.isEmpty { throw Refusal("'\(text)' has no unit; \(rule)") }
    if unit.hasPrefix(".") { throw Refusal("'\(text)' is not whole; \(rule)") }
    guard let scale = units.first(where: { $0.name == unit })?.nanoseconds else {
      if unit.contains(where: { !$0.isLetter }) { throw Refusal("'\(text)' is not a duration; \(rule)") }
      throw Refusal("unknown unit '\(unit)' in '\(text)'; the units are ns us ms s m h d")
    }
    guard let count = Int64(digits), case let (nanoseconds, overflow) = count.multipliedReportingOverflow(by: scale), !overflow else {
      throw Refusal("'\(text)' is too long; the longest duration is 106751d, 292 years")
    }
    return nanoseconds
  }

  /// So many nanoseconds in the longest unit that leaves a whole number: `30s`, `1500ms`, `0s`.
  package static func text(ofNanoseconds nanoseconds: Int64) -> String {
    if nanoseconds == 0 { return "0s" }
    for unit in units where nanoseconds % unit.nanoseconds == 0 { return "\(nanoseconds / unit.nanoseconds)\(unit.name)" }
    preconditionFailure("Every number of nanoseconds is whole")
  }
}
