/// A virtual instant or a span of virtual time.
package typealias Nanoseconds = Int64

extension Nanoseconds {
  /// Rounds down; saturates at both ends.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    self = overflow || overflows ? (seconds < 0 ? .min : .max) : sum
  }

  /// The instant so long after this one, at the latest the end of time and at the earliest
  /// this one.
  func later(by span: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = addingReportingOverflow(Swift.max(span, 0))
    return overflow ? .max : sum
  }
}
