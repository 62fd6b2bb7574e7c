import CurfewText

/// A figure in a report. Thresholds can be set on it.
package struct Metric: Sendable {
  /// The unit of a figure.
  package enum Unit: Hashable, Sendable {
    /// Nanoseconds, written with a unit of time.
    case duration
    /// A plain number.
    case number
    /// A share in percent.
    case percentage
  }

  /// The name in thresholds: `lateness.p99`.
  package let name: String
  /// The unit of the figure.
  package let unit: Unit
  let read: @Sendable (LoadTestReport) -> ReportFigure?
  /// The reason why the figure was not measured; nil if it was measured or no reason is known.
  var shortage: @Sendable (LoadTestReport) -> String? = { _ in nil }

  /// The figure in a report, durations in nanoseconds; nil if it was not measured.
  package func value(in report: LoadTestReport) -> ReportFigure? { read(report) }

  /// All metrics, in the order in which they are listed.
  package static let all: [Metric] = distributions + counts + costs + ratios

  /// An example condition on each metric, for a user to adapt.
  package static var examples: [String] {
    all.map { metric in
      switch metric.unit {
      case .duration: "\(metric.name)<1ms"
      case .number: "\(metric.name)<=1"
      case .percentage: "\(metric.name)<=1%"
      }
    }
  }

  /// The metric of this name; nil if there is none.
  package static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

  private static let distributions: [Metric] =
    distribution("lateness") { $0.warningsDelivered }
    + distribution("decided") { $0.warningsDecided }
    + distribution("byLoop") { $0.warningsDecidedByLoop }
    + distribution("delivered") { $0.warningsDelivered }
    + distribution("grantEnd") { $0.grantEndsDecided }
    + distribution("begin") { $0.beginLatency }
    + distribution("end") { $0.endLatency }
    + distribution("stepLag") { $0.steps }
    + distribution("callbackDelivered") { $0.callbackDelivered }
    + distribution("wakeDelivered") { $0.wakeDelivered }
    + distribution("launchToActive") { $0.launchToActive }
    + distribution("handOff") { $0.handOff }

  private static let counts: [Metric] = [
    number("early") { Double($0.early) },
    number("missed") { Double($0.expirations.missed) },
    number("lost") { Double($0.expirations.lost) },
    number("twice") { Double($0.expirations.twice) },
    number("endedFirst") { Double($0.expirations.endedFirst) },
    number("unexpected") { Double($0.expirations.unexpected) },
    number("expirations") { Double($0.expirations.delivered) },
    number("expirationRate") { $0.expirationsPerSecond },
    number("throughput") { $0.eventsPerSecond },
    number("wakeups") { Double($0.work.wakeUps) },
    number("loopShare") { $0.loopShare },
    number("othersLoad") { $0.othersLoad?.median },
    number("compared") { $0.comparison.map { Double($0.compared) } },
    number("leftOut") { $0.comparison.map { Double($0.leftOut) } },
    number("late") { $0.comparison.map { Double($0.late) } },
    number("different") { $0.comparison.map { Double($0.different.count) } },
  ]

  private static let costs: [Metric] = [
    Metric(name: "cost", unit: .duration) { $0.processorPerExpiration.map { ReportFigure($0) } },
    Metric(name: "floorCost", unit: .duration) {
      $0.floorProcessorPerDeadline.map { ReportFigure($0) }
    },
  ]

  private static let ratios: [Metric] =
    LoadTestReport.FloorRatio.allCases.flatMap(ratiosToFloor)

  private static func ratiosToFloor(_ ratio: LoadTestReport.FloorRatio) -> [Metric] {
    LoadTestReport.Percentile.allCases.map { percentile in
      Metric(name: "ratio.\(ratio.rawValue).\(percentile.rawValue)", unit: .number) {
        $0.ratioToFloor(ratio, percentile)
      } shortage: {
        $0.floorObjection(ratio, percentile)
      }
    }
  }

  private static func number(
    _ name: String, _ read: @escaping @Sendable (LoadTestReport) -> Double?
  ) -> Metric {
    Metric(name: name, unit: .number) { read($0).map { ReportFigure($0) } }
  }

  private static func distribution(
    _ name: String, _ histogram: @escaping @Sendable (LoadTestReport) -> LatenessPercentiles
  ) -> [Metric] {
    let figures: [(String, Double, @Sendable (LatenessPercentiles) -> Int64?)] = [
      ("p50", 50, { $0.p50 }), ("p90", 90, { $0.p90 }), ("p99", 99, { $0.p99 }),
      ("p99.9", 99.9, { $0.p999 }),
    ]
    let percentiles = figures.map { figure, percent, read in
      Metric(name: "\(name).\(figure)", unit: .duration) { report in
        let measured = histogram(report)
        return read(measured).map { ReportFigure(Double($0), isAtLeast: measured.isAtLeast($0)) }
      } shortage: { report in
        let measured = histogram(report)
        return "\(HumanCount.text(measured.count - measured.early)) values, and \(figure) needs "
          + HumanCount.text(LatenessPercentiles.needed(for: percent))
      }
    }
    let greatest = Metric(name: "\(name).max", unit: .duration) { report in
      histogram(report).max.map {
        ReportFigure(Double($0), isAtLeast: histogram(report).isAtLeast($0))
      }
    }
    return percentiles + [greatest]
  }
}
