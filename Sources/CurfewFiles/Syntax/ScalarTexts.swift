import CurfewEngine

/// Sizes as files write them: `120MiB`, `4GiB`.
enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

  static let rule = "sizes are whole numbers with a unit: 120MiB, 4GiB"

  static func read(_ text: String) throws(Refusal) -> Int64 {
    if text.hasPrefix("-") { throw Refusal("negative size '\(text)'; \(rule)") }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard !digits.isEmpty else { throw Refusal("'\(text)' is not a size; \(rule)") }
    if unit.isEmpty { throw Refusal("'\(text)' has no unit; \(rule)") }
    guard let scale = units.first(where: { $0.name == unit })?.bytes else {
      throw Refusal("unknown unit '\(unit)' in '\(text)'; the units are B KiB MiB GiB")
    }
    guard let count = Int64(digits), case let (bytes, overflow) = count.multipliedReportingOverflow(by: scale), !overflow else {
      throw Refusal("'\(text)' is too large; the largest size is 8589934591GiB")
    }
    return bytes
  }

  /// What an app takes up: no more than the engine tells apart.
  static func readFootprint(_ text: String) throws(Refusal) -> Int64 {
    let bytes = try read(text)
    guard bytes <= MemoryRules.greatestFootprint else {
      throw Refusal("'\(text)' is more than \(MemoryRules.greatestFootprint >> 30)GiB, the most that an app can take up")
    }
    return bytes
  }

  /// Always in bytes: what was meant is lost in no unit.
  static func write(_ bytes: Int64) -> String { "\(bytes)B" }
}

/// Percentages as files write them: `80%`.
enum PercentageText {
  static let rule = "percentages are whole numbers from 0% to 100%"

  static func read(_ text: String) throws(Refusal) -> Int64 {
    guard text.hasSuffix("%") else { throw Refusal("'\(text)' is not a percentage; \(rule)") }
    guard text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(text.dropLast()), number <= 100 else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    return number
  }
}

/// Shares of one processor core as files write them: `80%`, and `150%` for one and a half.
enum ShareText {
  static let rule = "shares of a core are whole percentages from 0% to \(CPURules.greatestShare)%"

  static func read(_ text: String) throws(Refusal) -> UInt32 {
    guard text.hasSuffix("%") else { throw Refusal("'\(text)' is not a share; \(rule)") }
    guard text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(text.dropLast()),
      number <= CPURules.greatestShare
    else { throw Refusal("'\(text)' is out of range; \(rule)") }
    return number
  }
}

/// Durations that may be `never`.
enum IntervalText {
  static let never = "never"

  /// nil for never.
  static func read(_ text: String) throws(Refusal) -> Interval? {
    text == never ? nil : try DurationText.read(text)
  }

  static func write(_ interval: Interval?) -> String { interval.map(DurationText.write) ?? never }
}

/// Termination codes as files write them: `0x8badf00d`.
enum CodeText {
  static let rule = "codes are hexadecimal, 32 bits at most: 0x8badf00d"

  static func read(_ text: String) throws(Refusal) -> TerminationCode {
    guard text.hasPrefix("0x"), text.count > 2, text.dropFirst(2).allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw Refusal("'\(text)' is not a code; \(rule)")
    }
    guard let bits = UInt32(text.dropFirst(2), radix: 16) else { throw Refusal("'\(text)' is too long; \(rule)") }
    return TerminationCode(rawValue: bits)
  }
}

/// Whole numbers: digits and nothing else.
enum WholeNumberText {
  static func read(_ text: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
    let rule = "a whole number from \(range.lowerBound) to \(range.upperBound) is needed"
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw Refusal("'\(text)' is not a whole number; \(rule)")
    }
    guard let number = Int64(text), range.contains(number) else { throw Refusal("'\(text)' is out of range; \(rule)") }
    return number
  }
}

/// `true` and `false`, and no third.
enum BooleanText {
  static func read(_ text: String) throws(Refusal) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw Refusal("'\(text)' is not a boolean; write true or false")
    }
  }
}
