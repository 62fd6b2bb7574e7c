import CurfewText
package import Histogram

/// How late things were, or how long they took: nanoseconds, to three digits, from 1 ns to
/// a minute.
///
/// Lateness is counted from when a thing should have happened. What came early is never mixed into
/// the percentiles, where it would hide: it is counted apart. What never came is in them, with
/// the lateness that it had at least, and a percentile that may be more for that says so.
package struct LatenessHistogram: Sendable {
  /// What is longer counts as this in the percentiles; `max` tells the truth.
  package static let longest: Int64 = 60_000_000_000

  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: UInt64(longest),
    numberOfSignificantValueDigits: .three)
  /// How many came before their time.
  package private(set) var early = 0
  /// By how much the earliest came too early, in nanoseconds; 0 if none did.
  package private(set) var earliest: Int64 = 0
  /// The latest, exactly; nil while nothing was recorded that was not early.
  package private(set) var max: Int64?

  /// How many values are known by what they are at least, because what was waited for never came.
  package private(set) var unbounded = 0
  /// The smallest of those.
  private var leastUnbounded: Int64 = .max

  /// An empty histogram.
  package init() {}

  /// How many were recorded, those that came early included.
  package var count: Int { Int(histogram.totalCount) + early }

  /// Takes in one value; what is below 0 is early.
  package mutating func record(_ nanoseconds: Int64) {
    guard nanoseconds >= 0 else {
      early += 1
      earliest = Swift.max(earliest, nanoseconds == .min ? .max : -nanoseconds)
      return
    }
    histogram.record(UInt64(min(nanoseconds, LatenessHistogram.longest)))
    max = Swift.max(max ?? 0, nanoseconds)
  }

  /// Takes in one value that would have been no less than `nanoseconds`, had what was waited for
  /// ever come.
  package mutating func record(atLeast nanoseconds: Int64) {
    let nanoseconds = Swift.max(0, nanoseconds)
    record(nanoseconds)
    unbounded += 1
    leastUnbounded = min(leastUnbounded, nanoseconds)
  }

  /// Takes in all values of another.
  package mutating func add(_ other: LatenessHistogram) {
    for bucket in other.histogram.recordedValues() {
      histogram.record(bucket.value, count: bucket.count)
    }
    early += other.early
    earliest = Swift.max(earliest, other.earliest)
    if let most = other.max { max = Swift.max(max ?? 0, most) }
    unbounded += other.unbounded
    leastUnbounded = min(leastUnbounded, other.leastUnbounded)
  }

  /// Whether a percentile or the maximum of this value is no more than a lower bound of the true
  /// one: whether a value that may be more is not above it.
  package func isAtLeast(_ figure: Int64?) -> Bool {
    figure.map { $0 >= leastUnbounded && unbounded > 0 } ?? false
  }

  /// The value that `percent` of all that was not early do not exceed, to three digits; nil where
  /// there is none.
  package func percentile(_ percent: Double) -> Int64? {
    guard let max else { return nil }
    guard percent < 100 else { return max }
    return min(Int64(histogram.valueAtPercentile(percent)), max)
  }

  /// The median.
  package var p50: Int64? { figure(50) }
  /// Nine of ten are no longer.
  package var p90: Int64? { figure(90) }
  /// 99 of a hundred are no longer.
  package var p99: Int64? { figure(99) }
  /// 999 of a thousand are no longer.
  package var p999: Int64? { figure(99.9) }

  /// How many values a percentile needs to be a figure: ten that are longer. With fewer it tells
  /// of single values and is left out.
  static func needed(for percent: Double) -> Int { Int((1_000 / (100 - percent)).rounded()) }

  private func figure(_ percent: Double) -> Int64? {
    count - early >= LatenessHistogram.needed(for: percent) ? percentile(percent) : nil
  }

  /// The distribution in microseconds. Values that were early are not in it.
  package var hgrm: String {
    let text = histogram.hgrm("microseconds", per: 1_000) + "\n"
    return unbounded > 0
      ? text
        + "#[AtLeast = \(unbounded) of the values, from \(HumanTime.rounded(leastUnbounded)) on]\n"
      : text
  }
}

extension Histogram<UInt64> {
  /// The text that HdrHistogram's tools write and plot (`.hgrm`), with a line that names the unit,
  /// which is so many times that of the values. Readers pass over lines that begin with `#`.
  package func hgrm(_ unit: String, per ratio: Double) -> String {
    var text = ""
    outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: ratio)
    return text + "#[Unit    = \(unit)]"
  }
}
