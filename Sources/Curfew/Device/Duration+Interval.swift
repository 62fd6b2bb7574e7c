import CurfewEngine

extension Duration {
  init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}

extension Interval {
  /// Whole nanoseconds, rounded towards zero; saturates.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum)
  }
}
