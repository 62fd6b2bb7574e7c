import CurfewExperiments
import CurfewText

/// The keys of a comparison of rare events, in place of an interval.
enum RareResult {
  static let form = ResultForm<RareEvents>(
    "",
    [
      .count(
        "baselineEvents",
        "The events of the baseline, if they are too rare to compare; in that case there is no interval."
      ) {
        $0.baseline.events
      },
      .count("events", "The events of the variant.") { $0.variant.events },
      .measured("deviceDays", "Devices × days × repetitions of each variant.") { $0.deviceDays },
      .measured("baselineAtLeast", "The lower bound of the baseline's true value.") {
        $0.baseline.bounds.lowerBound
      },
      .measured("baselineAtMost", "The upper bound.") { $0.baseline.bounds.upperBound },
      .measured("atLeast", "The lower bound of the variant's true value.") {
        $0.variant.bounds.lowerBound
      },
      .measured("atMost", "The upper bound.") { $0.variant.bounds.upperBound },
      .measured("differenceAtLeast", "The lower bound of the true difference.") {
        $0.difference.lowerBound
      },
      .measured("differenceAtMost", "The upper bound.") { $0.difference.upperBound },
    ])
}
