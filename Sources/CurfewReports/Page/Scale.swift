import CurfewText
internal import Foundation

/// An axis: maps values to positions, and chooses the values that are written along it.
struct Scale {
  /// The relation between values and positions.
  enum Spread { case linear, logarithmic }

  /// A value that is written along the axis.
  struct Tick {
    let value: Double
    /// The position, from 0 to 1.
    let position: Double
    let text: String
    /// Whether it is written on a narrow screen too.
    var isMain = true
  }

  let measure: AxisMeasure
  let spread: Spread
  let low: Double
  let high: Double
  private(set) var ticks: [Tick] = []
  private let isSigned: Bool

  /// An axis that contains all of `values` that can be drawn on it: all except NaN, infinities,
  /// and on a logarithmic axis values that are not above 0.
  ///
  /// - Parameters:
  ///   - isFromZero: Whether 0 is always on the axis. Even if false, a loose linear axis includes 0
  ///     if all values have one sign and the smallest magnitude is below 0.6 of the greatest.
  ///   - isTight: Whether the axis ends at the least and the greatest value.
  ///   - isSigned: Whether values above zero are written with their sign.
  ///   - marks: Values to write along the axis instead of round values, if there is room.
  init(
    _ measure: AxisMeasure, _ values: [Double], _ spread: Spread = .linear,
    isFromZero: Bool = false,
    isTight: Bool = false,
    isSigned: Bool = false, marks: [Double] = []
  ) {
    let values = values.filter {
      $0.isFinite && abs($0) < 1e300 && (spread == .linear || $0 > 1e-300)
    }
    (self.measure, self.spread, self.isSigned) = (measure, spread, isSigned)
    var (low, high) = (values.min() ?? (spread == .linear ? 0 : 1), values.max() ?? 1)
    if spread == .logarithmic {
      if low == high { (low, high) = (low / 2, high * 2) }
      (self.low, self.high) = (low, high)
    } else {
      if !isTight, isFromZero || low > 0 && low < 0.6 * high { low = min(low, 0) }
      if !isTight, isFromZero || high < 0 && high > 0.6 * low { high = max(high, 0) }
      if low == high {
        (low, high) = low == 0 ? (0, 1) : (low - abs(low) / 2, high + abs(high) / 2)
      }
      // Ends are rounded, so that no mark is at the very edge.
      let step = Scale.step(high - low, measure.unit)
      if !isTight {
        low = (low / step).rounded(.down) * step
        high = max(low + step, (high / step - 1e-9).rounded(.up) * step)
      }
      (self.low, self.high) = (low, high)
    }
    ticks = fitted(marks) ?? round()
    // If an axis ends at a value that is not round, that value is written too.
    if isTight, spread == .linear, marks.isEmpty, (ticks.last?.position ?? 0) < 0.93,
      let end = tick(self.high)
    {
      ticks.append(end)
    }
    thin()
  }

  /// The position of a value, from 0 to 1; nil if it cannot be on this axis.
  func position(_ value: Double) -> Double? {
    guard value.isFinite, abs(value) < 1e300, spread == .linear || value > 1e-300 else {
      return nil
    }
    let share =
      spread == .linear ? (value - low) / (high - low) : log(value / low) / log(high / low)
    return min(max(share, 0), 1)
  }

  /// Whether this is a linear axis without 0.
  var leavesZeroOut: Bool { spread == .linear && (low > 0 || high < 0) }

  // MARK: Ticks

  private func tick(_ value: Double) -> Tick? {
    position(value).map {
      Tick(
        value: value, position: $0, text: isSigned ? measure.signedText(value) : measure.text(value)
      )
    }
  }

  /// The values of `marks` as ticks, if there are 2 to 9 and they are not too close; otherwise nil.
  private func fitted(_ marks: [Double]) -> [Tick]? {
    let ticks = Set(marks).sorted().compactMap(tick)
    let gaps = zip(ticks, ticks.dropFirst()).map { $1.position - $0.position }
    return (2...9).contains(ticks.count) && gaps.allSatisfy { $0 > 0.07 } ? ticks : nil
  }

  private func round() -> [Tick] {
    if spread == .linear {
      let step = Scale.step(high - low, measure.unit)
      let first = (low / step - 1e-9).rounded(.up)
      return (0...24).map { (first + Double($0)) * step }.filter { $0 <= high + step * 1e-9 }
        .compactMap(tick)
    }
    for steps in Scale.ladders(measure.unit) {
      let ticks = steps.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
      if (2...9).contains(ticks.count) { return ticks.compactMap(tick) }
    }
    return [low, high].compactMap(tick)
  }

  /// Marks the ticks that have no room on a narrow screen, where a letter takes about a thirtieth
  /// of the width.
  private mutating func thin() {
    var last = -Double.infinity
    for place in ticks.indices {
      let (position, width) = (ticks[place].position, Double(ticks[place].text.count + 1) / 30)
      let start =
        position < 0.03 ? position : position > 0.97 ? position - width : position - width / 2
      ticks[place].isMain = start > last
      if ticks[place].isMain { last = start + width }
    }
  }

  /// A round step that divides `length` into about five parts.
  private static func step(_ length: Double, _ unit: AxisMeasure.Unit) -> Double {
    let ideal = length / 5
    if unit == .seconds, ideal > 0.7 {
      let steps = [
        1.0, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
        86_400, 172_800, 604_800,
      ]
      if let step = steps.first(where: { $0 >= ideal * 0.8 }) { return step }
    }
    var power = 1.0
    let base = unit == .bytes ? 2.0 : 10.0
    while power * base <= ideal, power < 1e300 { power *= base }
    while power > ideal, power > 1e-300 { power /= base }
    let step =
      unit == .bytes ? power * 2 : power * ([1, 2, 5].first { $0 * power >= ideal * 0.8 } ?? 10)
    return unit == .count ? max(1, step) : step
  }

  /// Sets of values for a logarithmic axis, the finest first.
  private static func ladders(_ unit: AxisMeasure.Unit) -> [[Double]] {
    let decades = (-12...15).map { power(10, $0) }
    let fine = decades.flatMap { [$0, 2 * $0, 5 * $0] }
    let coarse = [1, 2, 3, 4, 6].map { every in
      decades.enumerated().filter { $0.offset % every == 0 }.map(\.element)
    }
    guard unit == .seconds else { return [fine] + coarse }
    let short = decades.filter { $0 < 0.5 }
    let long: [Double] = [86_400, 864_000, 8_640_000]
    return [
      short.flatMap { [$0, 2 * $0, 5 * $0] } + [
        1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200,
      ] + long,
      short + [1, 10, 60, 600, 3_600, 21_600] + long,
      short.enumerated().filter { $0.offset % 3 == 0 }.map(\.element) + [1, 60, 3_600] + long,
    ] + coarse
  }

  private static func power(_ base: Double, _ exponent: Int) -> Double {
    (0..<abs(exponent)).reduce(1.0) { value, _ in exponent < 0 ? value / base : value * base }
  }
}
