/// A virtual instant or a span of virtual time.
package typealias Nanoseconds = Int64

extension Nanoseconds {
  /// Whole nanoseconds, rounded towards zero; saturates at both ends.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    self = overflow || overflows ? (seconds < 0 ? .min : .max) : sum
  }

  /// The instant `span` after this one; a negative span counts as zero. Saturates.
  func later(by span: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = addingReportingOverflow(Swift.max(span, 0))
    return overflow ? .max : sum
  }
}
