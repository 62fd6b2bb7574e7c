extension Distribution {
  /// Observed values, sorted. Copies share one storage.
  public struct Observed: Hashable, Sendable {
    /// The limit on the number of values: 8 MB of them.
    package static let limit = 1_000_000

    /// The values, least first; there is at least one.
    public let values: [Double]
    /// The mean of the values; infinite if their sum exceeds the range of `Double`.
    package let mean: Double

    /// A distribution of these values, in any order.
    /// - Precondition: `flaw(in:)` returns nil.
    /// - Complexity: O(n log n).
    public init(_ values: [Double]) {
      if let flaw = Observed.flaw(in: values) { preconditionFailure(flaw) }
      // Adding 0 turns -0 into 0: the two are equal and must not differ in their bits.
      self.values = values.map { $0 + 0 }.sorted()
      mean = self.values.reduce(0, +) / Double(values.count)
    }

    /// The error in these values, in one sentence; nil if there are from 1 to `limit`, and each
    /// is finite and at least 0.
    /// - Complexity: O(n).
    package static func flaw(in values: [Double]) -> String? {
      guard (1...limit).contains(values.count) else {
        return "There are \(values.count) values; there must be from 1 to \(limit)"
      }
      guard let place = values.firstIndex(where: { !($0 >= 0 && $0 < .infinity) }) else {
        return nil
      }
      return "The value \(values[place]), number \(place + 1), must be finite and at least 0"
    }

    /// The least value v such that at least the share `p` of all values is at most v.
    /// - Complexity: O(1).
    func quantile(_ p: Double) -> Double {
      let rank = p * Double(values.count)
      let whole = Int(rank)
      // The rank is rounded up, and places count from 0.
      return values[min(max(Double(whole) == rank ? whole - 1 : whole, 0), values.count - 1)]
    }

    /// The share of the values that are at most `x`.
    /// - Complexity: O(log n).
    func share(atMost x: Double) -> Double {
      var (low, high) = (0, values.count)
      while low < high {
        let middle = (low + high) / 2
        if values[middle] <= x { low = middle + 1 } else { high = middle }
      }
      return Double(low) / Double(values.count)
    }
  }
}
