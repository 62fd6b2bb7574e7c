import ArgumentParser
import CurfewText

/// A whole number as an option gives it: kept as it is written, so that what is wrong with it
/// is told in one line, like all that is wrong with options, and with what would be right. The
/// parser alone takes `-1` for an option that it does not know.
struct NumberOption: ExpressibleByArgument, ExpressibleByIntegerLiteral {
  let text: String

  init(argument: String) { text = argument }
  init(integerLiteral value: Int) { text = String(value) }

  var defaultValueDescription: String { text }

  /// The number, which has to be in `range`.
  func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>, _ option: String)
    throws(Refusal) -> Number
  {
    do { return try WholeNumberText.read(text, in: range) } catch {
      throw Refusal("\(option): \(error.message)")
    }
  }

  /// The number, or the nearest that there is, for whoever has a range to tell.
  func number(_ option: String) throws(Refusal) -> Int {
    guard WholeNumberText.isWhole(text) else {
      throw Refusal("\(option): '\(text)' is not a whole number")
    }
    return Int(text) ?? (text.hasPrefix("-") ? .min : .max)
  }
}
