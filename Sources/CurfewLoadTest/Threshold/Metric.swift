/// A figure of a report that a threshold can be set on.
public struct Metric: Sendable {
  /// What a figure counts.
  public enum Unit: Hashable, Sendable {
    /// Nanoseconds; written with a unit of time.
    case duration
    /// A plain number.
    case number
  }

  /// As thresholds name it: `lateness.p99`.
  public let name: String
  /// What it counts.
  public let unit: Unit
  let read: @Sendable (LoadTestReport) -> Double?
  /// Why it was not measured, if it was not; nil where nothing more can be said.
  var shortage: @Sendable (LoadTestReport) -> String? = { _ in nil }

  /// The figure in a report, durations in nanoseconds; nil where it was not measured.
  public func value(in report: LoadTestReport) -> Double? { read(report) }

  /// All there are, in the order in which they are told.
  public static let all: [Metric] = distributions + counts + ratios

  /// The one of this name.
  public static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

  private static let distributions: [Metric] =
    distribution("lateness") { $0.warningsDelivered }
    + distribution("decided") { $0.warningsDecided }
    + distribution("byLoop") { $0.warningsDecidedByLoop }
    + distribution("delivered") { $0.warningsDelivered }
    + distribution("grantEnd") { $0.grantEndsDecided }
    + distribution("begin") { $0.beginLatency }
    + distribution("end") { $0.endLatency }

  private static let counts: [Metric] = [
    Metric(name: "early", unit: .number) { Double($0.early) },
    Metric(name: "lost", unit: .number) { Double($0.expirations.lost) },
    Metric(name: "twice", unit: .number) { Double($0.expirations.twice) },
    Metric(name: "expirations", unit: .number) { Double($0.expirations.delivered) },
    Metric(name: "expirationRate", unit: .number) { $0.expirationsPerSecond },
    Metric(name: "throughput", unit: .number) { $0.eventsPerSecond },
    Metric(name: "wakeups", unit: .number) { Double($0.work.wakeUps) },
    Metric(name: "loopShare", unit: .number) { $0.loopShare },
    Metric(name: "compared", unit: .number) { $0.comparison.map { Double($0.compared) } },
    Metric(name: "leftOut", unit: .number) { $0.comparison.map { Double($0.leftOut.count) } },
    Metric(name: "late", unit: .number) { $0.comparison.map { Double($0.late.count) } },
    Metric(name: "different", unit: .number) { $0.comparison.map { Double($0.different.count) } },
  ]

  private static let ratios: [Metric] = [
    Metric(name: "ratio.floor.p50", unit: .number) { $0.medianRatio(\.decided, to: \.floor, \.p50) },
    Metric(name: "ratio.floor.p99", unit: .number) { $0.medianRatio(\.decided, to: \.floor, \.p99) },
    Metric(name: "ratio.delivered.p50", unit: .number) { $0.medianRatio(\.delivered, to: \.floor, \.p50) },
    Metric(name: "ratio.delivered.p99", unit: .number) { $0.medianRatio(\.delivered, to: \.floor, \.p99) },
    Metric(name: "ratio.alternative.p50", unit: .number) { $0.medianRatio(\.alternative, to: \.decided, \.p50) },
    Metric(name: "ratio.alternative.p99", unit: .number) { $0.medianRatio(\.alternative, to: \.decided, \.p99) },
  ]

  private static func distribution(_ name: String, _ histogram: @escaping @Sendable (LoadTestReport) -> LatenessHistogram) -> [Metric] {
    let figures: [(String, Double, @Sendable (LatenessHistogram) -> Int64?)] = [
      ("p50", 50, { $0.p50 }), ("p90", 90, { $0.p90 }), ("p99", 99, { $0.p99 }), ("p99.9", 99.9, { $0.p999 }),
    ]
    let percentiles = figures.map { figure, percent, read in
      Metric(name: "\(name).\(figure)", unit: .duration) { report in
        read(histogram(report)).map(Double.init)
      } shortage: { report in
        let measured = histogram(report)
        return "\(WallText.grouped(measured.count - measured.early)) values, and \(figure) needs "
          + WallText.grouped(LatenessHistogram.needed(for: percent))
      }
    }
    return percentiles + [Metric(name: "\(name).max", unit: .duration) { histogram($0).max.map(Double.init) }]
  }
}
