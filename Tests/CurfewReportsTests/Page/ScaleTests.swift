import TestRuns
import Testing

@testable import CurfewReports

/// Axes, and the text of their values.
@Suite(.inTurn) struct ScaleTests {
  @Test func `bars and differences begin at zero, and an axis that does not begin there says so`() {
    #expect(Scale(AxisMeasure("n"), [3, 100], isFromZero: true).low == 0)
    #expect(
      Scale(AxisMeasure("n"), [97, 100]).leavesZeroOut
        && !Scale(AxisMeasure("n"), [30, 100]).leavesZeroOut)
    #expect(Scale(AxisMeasure("n", .points), [-0.2, -0.1], isFromZero: true).high == 0)
  }

  @Test func `ticks are round values, or the experiment's own values if there is room`() {
    #expect(
      Scale(AxisMeasure("t", .seconds), [0, 61_200], isTight: true).ticks.map(\.text) == [
        "0", "3h", "6h", "9h", "12h", "15h", "17h",
      ])
    #expect(
      Scale(AxisMeasure("s", .share), [0, 1]).ticks.map(\.text) == [
        "0 %", "20 %", "40 %", "60 %", "80 %", "100 %",
      ])
    let grants = Scale(
      AxisMeasure("t", .seconds), [10, 30, 180], .logarithmic, isTight: true, marks: [180, 10, 30])
    #expect(
      grants.ticks.map(\.text) == ["10s", "30s", "3m"] && grants.ticks.first?.position == 0
        && grants.ticks.last?.position == 1)
    #expect(
      Scale(AxisMeasure("t", .seconds), [0.001, 86_400], .logarithmic).ticks.allSatisfy {
        $0.position >= 0 && $0.position <= 1
      })
  }

  @Test func `whatever the values are, ticks are few, in order and on the axis`() {
    let ends: [Double] = [0, 1e-9, 0.3, 1, 7, 59, 61, 3_600, 86_400, 1e6, 1e12, 1e100]
    for unit in [AxisMeasure.Unit.plain(""), .count, .share, .points, .seconds, .bytes] {
      for low in ends {
        for high in ends where high >= low {
          for spread in [Scale.Spread.linear, .logarithmic] {
            let scale = Scale(AxisMeasure("m", unit), [low, high], spread)
            #expect(
              (1...25).contains(scale.ticks.count),
              "\(unit) \(low) \(high) \(spread): \(scale.ticks.count)")
            #expect(
              zip(scale.ticks, scale.ticks.dropFirst()).allSatisfy { $0.position <= $1.position })
            #expect(
              scale.ticks.contains { $0.isMain }, "\(unit) \(low) \(high) \(spread): \(scale.ticks)"
            )
          }
        }
      }
    }
  }

  @Test(arguments: [
    (AxisMeasure("", .share), 0.3234, "32.3 %"), (AxisMeasure("", .share), 0.00012, "0.012 %"),
    (AxisMeasure("", .points), -0.12, "−12 points"),
    (AxisMeasure("", .points), 0.01, "1 point"), (AxisMeasure("", .count), 12_345, "12,345"),
    (AxisMeasure("", .seconds), 5_400, "1h 30m"),
    (AxisMeasure("", .seconds), 0.0123, "12.3ms"), (AxisMeasure("", .seconds), 0, "0"),
    (AxisMeasure("", .bytes), 134_217_728, "128 MiB"),
    (AxisMeasure("", .plain("µJ")), 0.000123, "0.000123 µJ"), (AxisMeasure(""), .nan, "–"),
    (AxisMeasure("", .share), .infinity, "∞"),
    (AxisMeasure(""), -0.0, "0"),
  ]) func `values are written with three digits`(
    _ measure: AxisMeasure, _ value: Double, _ text: String
  ) {
    #expect(measure.text(value) == text)
  }

  @Test func `differences have their sign unless they are zero`() {
    #expect(
      AxisMeasure("", .points).signedText(0.579) == "+57.9 points"
        && AxisMeasure("").signedText(0) == "0"
        && AxisMeasure("").signedText(-2) == "−2")
  }
}
