/// A range that includes both bounds; a nil bound is open.
package struct Span<Bound: Comparable & Hashable & Sendable>: Hashable, Sendable {
  package var lower: Bound?
  package var upper: Bound?

  package init(_ lower: Bound?, _ upper: Bound?) { (self.lower, self.upper) = (lower, upper) }

  package func contains(_ value: Bound) -> Bool {
    lower.map { $0 <= value } ?? true && upper.map { value <= $0 } ?? true
  }
}

/// Spans as written in files: `3..5`, `3..`, `..5`, or a single value.
package enum SpanText {
  package static let dots = ".."

  /// - Parameter bound: Reads one bound.
  package static func read<Bound>(_ text: String, _ bound: (String) throws(Refusal) -> Bound)
    throws(Refusal) -> Span<Bound>
  {
    guard let dots = text.firstRange(of: dots) else {
      let value = try bound(text)
      return Span(value, value)
    }
    let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
    guard !first.isEmpty || !last.isEmpty else {
      throw Refusal("'..' has neither a start nor an end")
    }
    let span = Span(
      first.isEmpty ? nil : try bound(String(first)), last.isEmpty ? nil : try bound(String(last)))
    if let lower = span.lower, let upper = span.upper, upper < lower {
      throw Refusal("'\(text)' ends before it begins")
    }
    return span
  }
}
