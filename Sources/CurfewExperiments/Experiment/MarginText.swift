import CurfewText

/// The smallest difference that matters, as written in files: `5%`, `0.5%`, `60s`, `0.5`.
enum MarginText {
  /// The syntax that an editor checks and an error names.
  static let phrase = Phrase(
    "a margin", examples: ["5%", "0.5%", "60s", "0.5"],
    pattern: #"([0-9]+(\.[0-9]{1,6})?%?|([0-9]+(ns|us|ms|s|m|h|d))+)"#
  ) { text throws(Refusal) in
    try read(text).text
  }

  static func read(_ text: String) throws(Refusal) -> Measure.Margin {
    let rule =
      "a margin is a share of the baseline's mean such as 5% or 0.5%, a duration such as 60s, or a number in the measure's unit such as 0.5"
    if text.hasSuffix("%"),
      let share = try? DecimalText.millionths(in: String(text.dropLast()), 0...1_000)
    {
      return .share(Double(share) / 100e6)
    }
    if let number = try? DecimalText.millionths(in: text, 0...1_000_000_000) {
      return .absolute(Double(number) / 1e6)
    }
    if let length = try? DurationText.nanoseconds(in: text) { return .time(Double(length) / 1e9) }
    throw Refusal("'\(text)' is not a margin; \(rule)")
  }
}

extension Measure.Margin {
  /// The margin as written in files.
  package var text: String {
    switch self {
    case .share(let share): "\(HumanNumber.decimal(share * 100, places: 6))%"
    case .absolute(let width): HumanNumber.decimal(width, places: 6)
    case .time(let seconds): "\(HumanNumber.decimal(seconds, places: 9))s"
    }
  }
}
