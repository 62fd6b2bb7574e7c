import CurfewEngine
import CurfewPolicy
import CurfewText

/// The values of a range, as written in files: 10m to 1h in steps of 10m, or with each value twice
/// the previous one.
struct ParameterRange {
  /// The maximum number of values in a range, and of variants in an experiment. No reader
  /// compares more.
  static let most = 1_000

  /// The type of the values in a range.
  private enum Sort: CaseIterable {
    case duration, size, percentage, number

    /// The value in nanoseconds, bytes, percent or millionths; nil if it is of another type.
    func read(_ text: String) -> Int64? {
      switch self {
      case .duration: try? DurationText.read(text).nanoseconds
      case .size: try? SizeText.read(text)
      case .percentage: try? PercentageText.read(text)
      case .number: try? DecimalText.millionths(in: text, 0...1_000_000_000)
      }
    }

    func write(_ value: Int64) -> String {
      switch self {
      case .duration: ParameterRange.duration(value)
      case .size: SizeText.readable(SizeText.write(value))
      case .percentage: "\(value)%"
      case .number: DecimalText.text(ofMillionths: value)
      }
    }
  }

  /// - Throws: The reason why the range has no values.
  static func values(from: String, to: String, step: String?, factor: Int64?) throws(Refusal)
    -> [String]
  {
    guard let sort = Sort.allCases.first(where: { $0.read(from) != nil }),
      let first = sort.read(from)
    else {
      throw Refusal("'\(from)' is not a duration, size, percentage or number")
    }
    func value(_ text: String) throws(Refusal) -> Int64 {
      guard let value = sort.read(text) else {
        throw Refusal("'\(text)' is not of the same type as '\(from)'")
      }
      return value
    }
    let last = try value(to)
    guard last >= first else { throw Refusal("'to' (\(to)) must be at least 'from' (\(from))") }
    let by = try step.map(value)
    if by == 0 { throw Refusal("'step' must be more than 0") }
    if let factor, factor <= 1_000_000 || first == 0 {
      throw Refusal("'factor' must be more than 1, and 'from' more than 0")
    }
    var (values, next) = ([String](), first)
    while next <= last {
      values.append(sort.write(next))
      guard values.count <= most else { throw Refusal("the range has more than \(most) values") }
      let (sum, overflow) = by.map { next.addingReportingOverflow($0) } ?? times(next, factor ?? 0)
      if overflow || sum <= next { break }
      next = sum
    }
    return values
  }

  /// A duration in whole units, as written in files: `1h30m`, `5500ms`.
  private static func duration(_ nanoseconds: Int64) -> String {
    for (size, unit) in [(Int64(1_000), "ns"), (1_000_000, "us"), (1_000_000_000, "ms")]
    where nanoseconds % size != 0 {
      return "\(nanoseconds / (size / 1_000))\(unit)"
    }
    return HumanTime.text(ofNanoseconds: nanoseconds).replacing(" ", with: "")
  }

  private static func times(_ value: Int64, _ millionths: Int64) -> (Int64, Bool) {
    let (high, low) = value.multipliedFullWidth(by: millionths)
    guard high < 1_000_000 / 2 else { return (0, true) }
    return (Int64(1_000_000).dividingFullWidth((high, low)).quotient, false)
  }
}
