/// Finds the zero of a falling function by Newton's steps. If a step would leave the bracket,
/// the bracket is halved.
enum RootSearch {
  /// The maximum number of steps. Newton's method needs about ten; halvings alone, from a bracket
  /// of 1e300 down to neighbouring numbers, need fewer than 1,100.
  private static var mostSteps: Int { 1_200 }

  /// The place between `low` and `high` at which `function` is zero, accurate almost to the
  /// last digit.
  ///
  /// - Parameters:
  ///   - start: The first place, from `low` to `high`.
  ///   - function: The value and the slope at a place. The value must be at least 0 at `low` and at
  ///     most 0 at `high`, and fall in between.
  /// - Complexity: about ten calls of `function`.
  static func fallingZero(
    from low: Double, to high: Double, start: Double,
    _ function: (Double) -> (value: Double, slope: Double)
  )
    -> Double
  {
    precondition(
      low <= start && start <= high,
      "A search from \(low) to \(high) cannot start at \(start), which is outside")
    var (low, high, x) = (low, high, start)
    for _ in 0..<mostSteps {
      let (value, slope) = function(x)
      if value == 0 { return x }
      if value > 0 { low = x } else { high = x }
      let newton = x - value / slope
      // A slope of 0 or NaN also leads to a halving.
      let next = newton > low && newton < high ? newton : low + 0.5 * (high - low)
      // Below 4e-16 of x, steps are noise.
      guard abs(next - x) > 4e-16 * abs(x), next > low, next < high else { return next }
      x = next
    }
    return x
  }
}
