/// Sizes as written in files: `120MiB`, `4GiB`.
package enum SizeText {
  package static var rule: String { Units.memory.rule }

  package static func read(_ text: String) throws(Refusal) -> Int64 { try Units.memory.read(text) }

  /// Reads a size up to a limit. `what` is the name of the limit in messages.
  package static func read(_ text: String, upTo limit: Int64, what: String) throws(Refusal) -> Int64
  {
    let bytes = try read(text)
    guard bytes <= limit else { throw Refusal("'\(text)' is more than \(limit >> 30)GiB, \(what)") }
    return bytes
  }

  /// Always writes bytes, so that no precision is lost.
  package static func write(_ bytes: Int64) -> String { "\(bytes)B" }

  /// Returns a text from `write` in a form for people. Any other text is returned unchanged.
  package static func readable(_ text: String) -> String {
    guard text.hasSuffix("B"), let bytes = Int64(text.dropLast()) else { return text }
    return HumanSize.text(bytes)
  }
}

/// Percentages as written in files: `80%`.
package enum PercentageText {
  package static let rule = "percentages are whole numbers from 0% to 100%"

  package static func read(_ text: String) throws(Refusal) -> Int64 {
    try percent(text, upTo: 100, "percentage", rule)
  }
}

/// Shares of one processor core as written in files: `80%`, and `150%` for one and a half cores.
package enum ShareText {
  package static func read(_ text: String, upTo limit: UInt32) throws(Refusal) -> UInt32 {
    try percent(
      text, upTo: limit, "share", "shares of a core are whole percentages from 0% to \(limit)%")
  }
}

private func percent<Number: FixedWidthInteger>(
  _ text: String, upTo limit: Number, _ noun: String, _ rule: String
) throws(Refusal) -> Number {
  guard text.hasSuffix("%") else { throw Refusal("'\(text)' is not a \(noun); \(rule)") }
  guard text.dropLast().allSatisfy(\.isDigit), let number = Number(text.dropLast()), number <= limit
  else {
    throw Refusal("'\(text)' is out of range; \(rule)")
  }
  return number
}

/// Codes as written in files: `0x8badf00d`.
package enum CodeText {
  package static let rule = "codes are hexadecimal, 32 bits at most: 0x8badf00d"

  package static func bits(of text: String) throws(Refusal) -> UInt32 {
    guard text.hasPrefix("0x"), text.count > 2,
      text.dropFirst(2).allSatisfy({ $0.isASCII && $0.isHexDigit })
    else {
      throw Refusal("'\(text)' is not a code; \(rule)")
    }
    guard let bits = UInt32(text.dropFirst(2), radix: 16) else {
      throw Refusal("'\(text)' is too long; \(rule)")
    }
    return bits
  }

  package static func text(of bits: UInt32) -> String { "0x" + String(bits, radix: 16) }
}

/// Whole numbers: digits only, with an optional minus.
package enum WholeNumberText {
  package static func read<Number: FixedWidthInteger>(_ text: String, in range: ClosedRange<Number>)
    throws(Refusal) -> Number
  {
    let rule = "a whole number from \(range.lowerBound) to \(range.upperBound) is needed"
    guard isWhole(text) else { throw Refusal("'\(text)' is not a whole number; \(rule)") }
    guard let number = Number(text), range.contains(number) else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    return number
  }

  package static func isWhole(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.allSatisfy(\.isDigit)
  }
}

/// Numbers with up to six decimals: `1.2`. They are stored as whole millionths, so no binary
/// fraction is involved.
package enum DecimalText {
  private static let places = 6
  private static let unit: Int64 = 1_000_000

  package static func millionths(in text: String, _ range: ClosedRange<Int64>) throws(Refusal)
    -> Int64
  {
    let rule =
      "a number from \(range.lowerBound) to \(range.upperBound) with at most six decimals is needed"
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }) else {
      throw Refusal("'\(text)' is not a number; \(rule)")
    }
    let decimals = parts.count == 2 ? parts[1] : ""
    let padded = decimals + String(repeating: "0", count: max(0, places - decimals.count))
    guard decimals.count <= places, let whole = Int64(parts[0]), whole <= range.upperBound,
      let rest = Int64(padded)
    else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    let millionths = whole * unit + rest
    guard millionths >= range.lowerBound * unit, millionths <= range.upperBound * unit else {
      throw Refusal("'\(text)' is out of range; \(rule)")
    }
    return millionths
  }

  package static func text(ofMillionths millionths: Int64) -> String {
    let (whole, rest) = millionths.quotientAndRemainder(dividingBy: unit)
    var decimals = String(String(unit + rest).dropFirst())
    while decimals.last == "0" { decimals.removeLast() }
    return decimals.isEmpty ? "\(whole)" : "\(whole).\(decimals)"
  }
}

/// Booleans as written in files: only `true` and `false`.
package enum BooleanText {
  package static func read(_ text: String) throws(Refusal) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw Refusal("'\(text)' is not a boolean; write true or false")
    }
  }
}
