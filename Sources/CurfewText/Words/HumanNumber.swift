/// Numbers in a form for people.
package enum HumanNumber {
  /// Three digits: `1.2`, `48.3`, `1,250`.
  package static func rounded(_ value: Double) -> String {
    switch value {
    case ..<9.995: decimal(value, places: 2)
    case ..<99.95: decimal(value, places: 1)
    default: HumanCount.text(Int64(value.rounded()))
    }
  }

  /// At most `places` decimals: `-1.063`.
  package static func decimal(_ value: Double, places: Int) -> String {
    let power = (0..<places).reduce(Int64(1)) { power, _ in power * 10 }
    guard value.isFinite, abs(value) * Double(power) < 0x1p62 else { return exact(value) }
    let scaled = Int64((abs(value) * Double(power)).rounded())
    return (value < 0 && scaled > 0 ? "-" : "") + decimal(scaled, of: power)
  }

  /// As many digits as distinguish the value from every other, without a final `.0`.
  package static func exact(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A count of tenths, hundredths or thousandths as a decimal number without trailing zeros: 8,100
  /// thousandths are `8.1`.
  package static func decimal(_ count: Int64, of power: Int64) -> String {
    let (whole, fraction) = count.quotientAndRemainder(dividingBy: power)
    guard fraction > 0 else { return "\(whole)" }
    // Adds a leading one, which keeps the zeros after the point.
    var places = String(power + fraction).dropFirst()
    while places.last == "0" { places.removeLast() }
    return "\(whole).\(places)"
  }

  /// A share of one, rounded down: `81 %`.
  package static func percent(_ share: Double) -> String {
    "\(Int((share * 100 + 1e-9).rounded(.down))) %"
  }
}

/// Numbers of things in a form for people: `1 event`, `12,345 lines`, `2 processes`.
package enum HumanCount {
  package static func text(_ number: some BinaryInteger, _ one: String, _ many: String? = nil)
    -> String
  {
    "\(text(number)) \(word(number, one, many))"
  }

  /// The word for `number` things: plurals end with s unless `many` is given.
  package static func word(_ number: some BinaryInteger, _ one: String, _ many: String? = nil)
    -> String
  {
    number == 1 ? one : many ?? one + "s"
  }

  /// A number with thousands separators: `10,000`.
  package static func text(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }
}
