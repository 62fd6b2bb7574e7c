import CurfewText
package import Histogram

/// Lateness or lengths in nanoseconds, to three digits, from 1 ns to a minute.
///
/// Lateness is counted from the instant at which something should have happened. Early values
/// are counted separately, because they would disappear in the percentiles. Events that never
/// came are included with their least lateness, and percentiles that depend on them are marked as
/// lower bounds.
package struct LatenessPercentiles: Sendable {
  /// The greatest value in the percentiles; longer ones count as this. `max` is exact.
  package static let longest: Int64 = 60_000_000_000

  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: UInt64(longest),
    numberOfSignificantValueDigits: .three)
  /// The number of early values.
  package private(set) var early = 0
  /// The earliness of the earliest value, in nanoseconds; 0 if none was early.
  package private(set) var earliest: Int64 = 0
  /// The greatest value, exactly; nil until a value is recorded that is not early.
  package private(set) var max: Int64?

  /// The exact sum of all values that are not early, in nanoseconds; saturates.
  package private(set) var total: Int64 = 0

  /// The number of values that are lower bounds, because the awaited event never came.
  package private(set) var unbounded = 0
  /// The smallest lower bound.
  private var leastUnbounded: Int64 = .max

  /// Creates an empty histogram.
  package init() {}

  /// The number of recorded values, early ones included.
  package var count: Int { Int(histogram.totalCount) + early }

  /// The mean of the values that are not early, from the histogram: to three digits.
  var mean: Double { histogram.mean }

  /// Records one value; a value below 0 is early.
  package mutating func record(_ nanoseconds: Int64) {
    guard nanoseconds >= 0 else {
      early += 1
      earliest = Swift.max(earliest, nanoseconds == .min ? .max : -nanoseconds)
      return
    }
    histogram.record(UInt64(min(nanoseconds, LatenessPercentiles.longest)))
    max = Swift.max(max ?? 0, nanoseconds)
    total = total.addingSaturated(nanoseconds)
  }

  /// Records a lower bound, for an awaited event that never came.
  package mutating func record(atLeast nanoseconds: Int64) {
    let nanoseconds = Swift.max(0, nanoseconds)
    record(nanoseconds)
    unbounded += 1
    leastUnbounded = min(leastUnbounded, nanoseconds)
  }

  /// Adds all values of another histogram.
  package mutating func add(_ other: LatenessPercentiles) {
    for bucket in other.histogram.recordedValues() {
      histogram.record(bucket.value, count: bucket.count)
    }
    early += other.early
    earliest = Swift.max(earliest, other.earliest)
    if let most = other.max { max = Swift.max(max ?? 0, most) }
    total = total.addingSaturated(other.total)
    unbounded += other.unbounded
    leastUnbounded = min(leastUnbounded, other.leastUnbounded)
  }

  /// Whether `figure`, a percentile or the maximum, is only a lower bound: true if some recorded
  /// lower bound is at most `figure`.
  package func isAtLeast(_ figure: Int64?) -> Bool {
    figure.map { $0 >= leastUnbounded && unbounded > 0 } ?? false
  }

  /// The value that `percent` % of all values do not exceed, to three digits. Leaves out early
  /// values; nil if no others exist.
  package func percentile(_ percent: Double) -> Int64? {
    guard let max else { return nil }
    guard percent < 100 else { return max }
    return min(Int64(histogram.valueAtPercentile(percent)), max)
  }

  /// The median; like the other percentiles, nil with too few values.
  package var p50: Int64? { figure(50) }
  /// The 90th percentile.
  package var p90: Int64? { figure(90) }
  /// The 99th percentile.
  package var p99: Int64? { figure(99) }
  /// The 99.9th percentile.
  package var p999: Int64? { figure(99.9) }

  /// The number of values that a percentile needs: ten values must be greater. A percentile
  /// of fewer values depends on single values and is left out.
  static func needed(for percent: Double) -> Int { Int((1_000 / (100 - percent)).rounded()) }

  private func figure(_ percent: Double) -> Int64? {
    count - early >= LatenessPercentiles.needed(for: percent) ? percentile(percent) : nil
  }

  /// The distribution in microseconds, without early values.
  package var hgrm: String {
    let text = histogram.hgrm("microseconds", per: 1_000) + "\n"
    return unbounded > 0
      ? text
        + "#[AtLeast = \(unbounded) of the values, from \(HumanTime.rounded(leastUnbounded)) on]\n"
      : text
  }
}

extension Histogram<UInt64> {
  /// The text that HdrHistogram's tools write and plot (`.hgrm`), with a line that names the unit.
  /// This unit is `ratio` times the unit of the values. Readers skip lines that begin with `#`.
  package func hgrm(_ unit: String, per ratio: Double) -> String {
    var text = ""
    outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: ratio)
    return text + "#[Unit    = \(unit)]"
  }
}
