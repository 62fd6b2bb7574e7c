package import CurfewTrace
internal import Foundation

/// A distribution as HdrHistogram's tools write and plot it (`.hgrm`): a value, the share of what is not above it, how many those are, and how rare what is above.
///
/// The lines are closer the nearer they are to all, five for each half of what is left. Values are upper ends of buckets that are a 32nd wide.
///
/// Source: `AbstractHistogram.outputPercentileDistribution` of https://github.com/HdrHistogram/HdrHistogram
package enum PercentileText {
  /// The text, with a line that names the unit.
  ///
  /// - Parameter unit: `s` for a tally of nanoseconds, which are told in seconds; anything else is told as it was counted.
  package static func hgrm(_ tally: Tally, unit: String) -> String {
    let scale = unit == "s" ? 1e9 : 1
    func value(_ number: Double) -> String { String(format: "%12.3f", number / scale) }
    var text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
    var (level, seen) = (0.0, 0)
    for bucket in tally.buckets {
      seen += bucket.count
      let share = 100 * Double(seen) / Double(tally.count)
      while share >= level {
        text += value(Double(min(bucket.upperBound, tally.greatest)))
        text += String(format: " %2.12f %10ld %14.2f\n", level / 100, seen, 100 / (100 - level))
        level += step(from: level)
        // What is left is all, which has a line of its own.
        if seen == tally.count { break }
      }
    }
    text += value(Double(tally.greatest)) + String(format: " %2.12f %10ld\n", 1.0, tally.count)
    text += "#[Mean    = \(value(tally.mean)), StdDeviation   = \(value(deviation(tally)))]\n"
    text += "#[Max     = \(value(Double(tally.greatest))), Total count    = \(String(format: "%12ld", tally.count))]\n"
    // Readers pass over lines that begin so.
    return text + "#[Unit    = \(unit == "s" ? "seconds" : unit)]\n"
  }

  /// A fifth of half of what is left, which is halved whenever half of it is done.
  private static func step(from level: Double) -> Double {
    let halves = (log2(100 / (100 - level))).rounded(.down) + 1
    return 100 / (5 * exp2(halves))
  }

  /// By the middles of the buckets.
  private static func deviation(_ tally: Tally) -> Double {
    let squares = tally.buckets.reduce(0.0) { sum, bucket in
      let middle = (Double(bucket.lowerBound) + Double(bucket.upperBound)) / 2
      return sum + Double(bucket.count) * (middle - tally.mean) * (middle - tally.mean)
    }
    return tally.count == 0 ? 0 : (squares / Double(tally.count)).squareRoot()
  }
}
