/// Sizes as files write them: `120MiB`, `4GiB`.
package enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

  package static let rule = "sizes are whole numbers with a unit: 120MiB, 4GiB"

  package static func read(_ text: String) throws(Refusal) -> Int64 {
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

  /// The same, no more than a limit; `what` is what the message calls that.
  package static func read(_ text: String, upTo limit: Int64, what: String) throws(Refusal) -> Int64 {
    let bytes = try read(text)
    guard bytes <= limit else { throw Refusal("'\(text)' is more than \(limit >> 30)GiB, \(what)") }
    return bytes
  }

  /// Always in bytes: what was meant is lost in no unit.
  package static func write(_ bytes: Int64) -> String { "\(bytes)B" }

  /// What `write` wrote, as a person reads it: in the largest unit that leaves a whole number. Any other text stays as it is.
  package static func readable(_ text: String) -> String {
    guard text.hasSuffix("B"), let bytes = Int64(text.dropLast()) else { return text }
    let unit = units.last { bytes >= $0.bytes && bytes % $0.bytes == 0 } ?? units[0]
    return "\(bytes / unit.bytes)\(unit.name)"
  }
}

/// Percentages as files write them: `80%`.
package enum PercentageText {
  package static let rule = "percentages are whole numbers from 0% to 100%"

  package static func read(_ text: String) throws(Refusal) -> Int64 {
    guard text.hasSuffix("%") else { throw Refusal("'\(text)' is not a percentage; \(rule)") }
    guard text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(text.dropLast()), number <= 100 else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    return number
  }
}

/// Shares of one processor core as files write them: `80%`, and `150%` for one and a half.
package enum ShareText {
  package static func read(_ text: String, upTo limit: UInt32) throws(Refusal) -> UInt32 {
    let rule = "shares of a core are whole percentages from 0% to \(limit)%"
    guard text.hasSuffix("%") else { throw Refusal("'\(text)' is not a share; \(rule)") }
    guard text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(text.dropLast()), number <= limit else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    return number
  }
}

/// Codes as files write them: `0x8badf00d`.
package enum CodeText {
  package static let rule = "codes are hexadecimal, 32 bits at most: 0x8badf00d"

  package static func bits(of text: String) throws(Refusal) -> UInt32 {
    guard text.hasPrefix("0x"), text.count > 2, text.dropFirst(2).allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw Refusal("'\(text)' is not a code; \(rule)")
    }
    guard let bits = UInt32(text.dropFirst(2), radix: 16) else { throw Refusal("'\(text)' is too long; \(rule)") }
    return bits
  }

  package static func text(of bits: UInt32) -> String { "0x" + String(bits, radix: 16) }
}

/// Whole numbers: digits and nothing else.
package enum WholeNumberText {
  package static func read(_ text: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
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
package enum BooleanText {
  package static func read(_ text: String) throws(Refusal) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw Refusal("'\(text)' is not a boolean; write true or false")
    }
  }
}
