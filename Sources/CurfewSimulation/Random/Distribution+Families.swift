extension Distribution.Family {
  /// The inverse of `cumulative`, for `p` from 0 to 1. Every draw calls it, so the switch is over
  /// plain numbers, and only observed values access memory.
  func quantile(_ p: Double) -> Double {
    switch self {
    case .constant(let value): value
    case .uniform(let least, let most): min(least + p * (most - least), most)
    case .exponential(let mean): -mean * PortableMath.logOnePlus(-p)
    case .logNormal(let median, let sigma):
      sigma == 0 ? median : median * PortableMath.exp(sigma * NormalCurve.quantile(p))
    case .weibull(let scale, let shape):
      scale * PortableMath.power(-PortableMath.logOnePlus(-p), 1 / shape)
    case .pareto(let least, let shape):
      least * PortableMath.exp(-PortableMath.logOnePlus(-p) / shape)
    case .empirical(let observed): observed.quantile(p)
    }
  }

  /// The probability that a draw is at most `x`.
  func cumulative(_ x: Double) -> Double {
    switch self {
    case .constant(let value): return x >= value ? 1 : 0
    case .uniform(let least, let most):
      guard x < most else { return 1 }
      return x > least ? (x - least) / (most - least) : 0
    case .exponential(let mean): return x > 0 ? -PortableMath.expMinusOne(-x / mean) : 0
    case .logNormal(let median, let sigma):
      guard sigma > 0 else { return x >= median ? 1 : 0 }
      return x > 0
        ? NormalCurve.cumulative((PortableMath.log(x) - PortableMath.log(median)) / sigma) : 0
    case .weibull(let scale, let shape):
      return x > 0 ? -PortableMath.expMinusOne(-PortableMath.power(x / scale, shape)) : 0
    case .pareto(let least, let shape):
      return x > least
        ? -PortableMath.expMinusOne(shape * (PortableMath.log(least) - PortableMath.log(x))) : 0
    case .empirical(let observed): return observed.share(atMost: x)
    }
  }

  /// The mean; infinite if the family has none.
  var mean: Double {
    switch self {
    case .constant(let value): value
    case .uniform(let least, let most): least + (most - least) / 2
    case .exponential(let mean): mean
    case .logNormal(let median, let sigma): median * PortableMath.exp(sigma * sigma / 2)
    case .weibull(let scale, let shape): scale * PortableMath.gamma(1 + 1 / shape)
    case .pareto(let least, let shape): shape > 1 ? least / (1 - 1 / shape) : .infinity
    case .empirical(let observed): observed.mean
    }
  }
}

extension Distribution {
  /// The error in these parameters, in one sentence with the value and the rule; nil if they
  /// are valid.
  ///
  /// Callers that read parameters from a file use it to report the place. `init(_:atLeast:atMost:)`
  /// traps with the same sentence.
  /// - Complexity: O(1).
  package static func flaw(in family: Family, atLeast: Double = 0, atMost: Double = .infinity)
    -> String?
  {
    guard atLeast >= 0 && atLeast < .infinity else {
      return "'atLeast' is \(atLeast); it must be finite and at least 0"
    }
    guard atMost >= atLeast else {
      return "'atMost' is \(atMost); it must be at least 'atLeast', \(atLeast)"
    }
    return switch family {
    case .constant(let value): flaw("constant", value, .zeroToo)
    case .uniform(let least, let most):
      flaw("least", least, .zeroToo) ?? flaw("most", most, .zeroToo)
        ?? (most >= least ? nil : "'most' is \(most); it must be at least 'least', \(least)")
    case .exponential(let mean): flaw("mean", mean, .aboveZero)
    case .logNormal(let median, let sigma):
      flaw("median", median, .aboveZero) ?? flaw("sigma", sigma, .zeroToo)
    case .weibull(let scale, let shape):
      flaw("scale", scale, .aboveZero) ?? flaw("shape", shape, .aboveZero)
    case .pareto(let least, let shape):
      flaw("least", least, .aboveZero) ?? flaw("shape", shape, .aboveZero)
    case .empirical: nil
    }
  }

  private enum Allowed { case zeroToo, aboveZero }

  private static func flaw(_ name: String, _ value: Double, _ allowed: Allowed) -> String? {
    switch allowed {
    case .zeroToo:
      value >= 0 && value < .infinity
        ? nil : "'\(name)' is \(value); it must be finite and at least 0"
    case .aboveZero:
      value > 0 && value < .infinity ? nil : "'\(name)' is \(value); it must be finite and above 0"
    }
  }
}
