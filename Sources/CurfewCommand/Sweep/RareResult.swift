import CurfewExperiments
import CurfewText

/// The keys of a comparison whose events are too rare, in place of an interval.
enum RareResult {
  static let form = ResultForm<RareEvents>(
    "",
    [
      .count("baselineEvents", "The events of the baseline, where they are too rare to compare; then there is no interval.") {
        $0.baseline.events
      },
      .count("events", "The events of the variant.") { $0.variant.events },
      .number("deviceDays", "Devices × days × repetitions of each variant.", places: 9) { $0.deviceDays },
      .number("baselineAtLeast", "The lower bound of the baseline's true value.", places: 9) { $0.baseline.bounds.lowerBound },
      .number("baselineAtMost", "The upper bound.", places: 9) { $0.baseline.bounds.upperBound },
      .number("atLeast", "The lower bound of the variant's true value.", places: 9) { $0.variant.bounds.lowerBound },
      .number("atMost", "The upper bound.", places: 9) { $0.variant.bounds.upperBound },
      .number("differenceAtLeast", "The lower bound of the true difference.", places: 9) { $0.difference.lowerBound },
      .number("differenceAtMost", "The upper bound.", places: 9) { $0.difference.upperBound },
    ])
}
