/// Where a function that only falls, or only rises, is zero: Newton's steps, and a halving wherever
/// a step would leave the bracket.
enum RootSearch {
  /// The limit of steps. Newton needs some ten; halvings alone, from a bracket of 1e300 down
  /// to neighbouring numbers, need fewer than 1,100.
  private static var mostSteps: Int { 1_200 }

  /// The place between `low` and `high` where `function` is zero, to near the last digit.
  ///
  /// - Parameters:
  ///   - start: Where to begin, from `low` to `high`.
  ///   - function: The value and the slope at a place. The value must be at least 0 at `low` and at
  ///     most 0 at `high`, and fall in between.
  /// - Complexity: some ten calls of `function`.
  static func fallingZero(
    from low: Double, to high: Double, start: Double,
    _ function: (Double) -> (value: Double, slope: Double)
  )
    -> Double
  {
    precondition(
      low <= start && start <= high,
      "A search from \(low) to \(high) that starts at \(start); start inside")
    var (low, high, x) = (low, high, start)
    for _ in 0..<mostSteps {
      let (value, slope) = function(x)
      if value == 0 { return x }
      if value > 0 { low = x } else { high = x }
      let newton = x - value / slope
      // Also where the slope is 0 or no number.
      let next = newton > low && newton < high ? newton : low + 0.5 * (high - low)
      // Below 4e-16 of x, steps are noise.
      guard abs(next - x) > 4e-16 * abs(x), next > low, next < high else { return next }
      x = next
    }
    return x
  }
}
