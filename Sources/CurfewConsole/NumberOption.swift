import ArgumentParser
package import CurfewText

/// The whole number of an option, kept as text, so that a mistake is reported in one line with
/// the allowed values, like all mistakes in options. The argument parser would take `-1` for
/// an unknown option.
package struct NumberOption: ExpressibleByArgument, ExpressibleByIntegerLiteral {
  package let text: String

  package init(argument: String) { text = argument }
  package init(integerLiteral value: Int) { text = String(value) }

  package var defaultValueDescription: String { text }

  /// Returns the number, which must be in `range`.
  package func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>, _ option: String)
    throws(Refusal) -> Number
  {
    do { return try WholeNumberText.read(text, in: range) } catch {
      throw Refusal("\(option): \(error.message)")
    }
  }

  /// Returns the number, or the nearest `Int`, for callers that check the range themselves.
  package func number(_ option: String) throws(Refusal) -> Int {
    guard WholeNumberText.isWhole(text) else {
      throw Refusal("\(option): '\(text)' is not a whole number")
    }
    return Int(text) ?? (text.hasPrefix("-") ? .min : .max)
  }
}
