@testable import CurfewSimulation

/// Checks of random numbers. Each returns nil if the numbers pass, else the failure with
/// its figures.
///
/// Each check passes good numbers with a probability of 9,999 in 10,000. The seeds are fixed:
/// numbers that pass once pass always. A failure after a change means that the numbers have become
/// worse (or, once in 10,000 changes, unlucky).
enum StatisticalCheck {
  /// The Kolmogorov-Smirnov test: whether values are uniform between 0 and 1.
  ///
  /// For large n, √n · D exceeds 2.2253 with probability 2 e^(-2 · 2.2253²) = 1e-4. Sorting the
  /// values would take most of the time of these tests, so they are put into n cells. Each cell's
  /// least and greatest value give a D that is never less than the true one, and larger by at most
  /// the share of one cell.
  static func unevenness(_ values: [Double]) -> String? {
    let n = Double(values.count)
    var counts = [Int](repeating: 0, count: values.count)
    var least = [Double](repeating: 2, count: values.count)
    var greatest = [Double](repeating: -1, count: values.count)
    for value in values {
      let cell = min(Int(value * n), values.count - 1)
      counts[cell] += 1
      if value < least[cell] { least[cell] = value }
      if value > greatest[cell] { greatest[cell] = value }
    }
    var (before, distance) = (0, 0.0)
    for cell in counts.indices where counts[cell] > 0 {
      distance = max(
        distance, greatest[cell] - Double(before) / n,
        Double(before + counts[cell]) / n - least[cell])
      before += counts[cell]
    }
    let scaled = distance * n.squareRoot()
    return scaled < 2.2253 ? nil : "√n · D is \(scaled); expected below 2.2253"
  }

  /// Pearson's chi-square test: whether these counts fit classes with these probabilities.
  static func misfit(_ counts: [Int], _ probabilities: [Double]) -> String? {
    let n = Double(counts.reduce(0, +))
    var sum = 0.0
    for (count, probability) in zip(counts, probabilities) {
      let difference = Double(count) - n * probability
      sum += difference * difference / (n * probability)
    }
    // Wilson and Hilferty: the cube root of chi-square is nearly normal. 3.719 is exceeded with
    // probability 1e-4.
    let freedom = Double(counts.count - 1)
    let root = 1 - 2 / (9 * freedom) + 3.719 * (2 / (9 * freedom)).squareRoot()
    let limit = freedom * root * root * root
    return sum < limit
      ? nil : "Chi-square is \(sum) with \(freedom) degrees of freedom; expected below \(limit)"
  }

  /// Whether `n` pairs of numbers, each uniform between 0 and 1, are independent: their correlation
  /// is within 4 sigma of 0, and they fill the 16 × 16 cells of the unit square evenly.
  static func dependence(_ n: Int = 100_000, _ pair: (Int) -> (Double, Double)) -> String? {
    var cells = [Int](repeating: 0, count: 256)
    var sum = 0.0
    for index in 0..<n {
      let (x, y) = pair(index)
      sum += (x - 0.5) * (y - 0.5)
      cells[Int(x * 16) * 16 + Int(y * 16)] += 1
    }
    // Each product has the variance 1/144.
    let sigmas = sum * 12 / Double(n).squareRoot()
    guard abs(sigmas) < 4 else {
      return "The correlation is \(sigmas) sigma from 0; expected within 4"
    }
    return misfit(cells, [Double](repeating: 1.0 / 256, count: 256))
  }

  /// Whether two streams are independent.
  static func dependence(_ first: RandomStream, _ second: RandomStream) -> String? {
    var (first, second) = (first, second)
    return dependence { _ in (first.unit(), second.unit()) }
  }
}
