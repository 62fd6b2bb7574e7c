/// Numbers in logs: `1364095883`, `1364095883.25`, `-3`, `1.5e9`.
enum UsageNumber {
  /// The number in `bytes` times `power`, truncated to a whole number; nil if it is not a number
  /// or does not fit. Blanks around it are ignored.
  ///
  /// Digits are accumulated in an integer: a `Double` has 53 bits, and today's Unix nanoseconds
  /// take 61.
  /// - Parameter power: A power of ten.
  static func scaled(_ bytes: ArraySlice<UInt8>, by power: Int64) -> Int64? {
    let digits = bytes.trimmingBlanks
    var at = digits.startIndex
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { at += 1 }
    var (number, place, count) = (Int64(0), power, 0)
    while at < digits.endIndex, let digit = digits[at].digit {
      guard let next = number.appending(digit) else { return exponential(digits, power) }
      (number, count, at) = (next, count + 1, at + 1)
    }
    let (whole, overflow) = number.multipliedReportingOverflow(by: power)
    if overflow { return exponential(digits, power) }
    var sum = whole
    if at < digits.endIndex, digits[at] == UInt8(ascii: ".") {
      at += 1
      while at < digits.endIndex, let digit = digits[at].digit {
        place /= 10
        let (next, overflow) = sum.addingReportingOverflow(digit * place)
        if overflow { return nil }
        (sum, count, at) = (next, count + 1, at + 1)
      }
    }
    guard count > 0 else { return nil }
    return at == digits.endIndex ? (isNegative ? -sum : sum) : exponential(digits, power)
  }

  /// The length in `bytes`, in nanoseconds; nil if it is not a number, is negative, or does
  /// not fit.
  static func duration(_ bytes: ArraySlice<UInt8>, in unit: UsageFormat.DurationUnit) -> Int64? {
    let isMinutes = unit == .minutes
    let power = (isMinutes ? .seconds : unit).nanoseconds
    guard let number = scaled(bytes, by: power), number >= 0 else { return nil }
    let (length, overflow) = number.multipliedReportingOverflow(by: isMinutes ? 60 : 1)
    return overflow ? nil : length
  }

  /// The longest text that is parsed with an exponent; no meaningful number is longer.
  private static let greatestCount = 64

  private static func exponential(_ digits: ArraySlice<UInt8>, _ power: Int64) -> Int64? {
    guard digits.count <= greatestCount, digits.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
      digits.allSatisfy({ $0.digit != nil || "+-.eE".utf8.contains($0) }),
      let number = Double(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return Int64(exactly: (number * Double(power)).rounded(.towardZero))
  }
}

extension UInt8 {
  /// The value of this ASCII digit; nil for any other byte.
  var digit: Int64? {
    let digit = self &- UInt8(ascii: "0")
    return digit < 10 ? Int64(digit) : nil
  }
}

extension Int64 {
  /// This number with one more digit at its end; nil if that does not fit.
  fileprivate func appending(_ digit: Int64) -> Int64? {
    let (product, overflow) = multipliedReportingOverflow(by: 10)
    let (sum, overflowToo) = product.addingReportingOverflow(digit)
    return overflow || overflowToo ? nil : sum
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without spaces and tabs at both ends.
  var trimmingBlanks: ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
