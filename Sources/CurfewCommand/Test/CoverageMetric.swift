import CurfewLoadTest
import CurfewPolicy
import CurfewSimulation

/// A figure of a test run that a threshold can be set on: the share of the policies that
/// was reached.
struct CoverageMetric {
  /// `rows` for all policies together, or `ios13.rows` for one.
  let name: String
  private let policy: String?
  private let share: @Sendable (PolicyCoverage) -> PolicyCoverage.Share

  /// All metrics for scenarios that run under these policies.
  static func all(_ policies: [String]) -> [CoverageMetric] {
    let names = policies.reduce(into: PolicyFile.builtInNames) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    return ([nil] + names.map(Optional.some)).flatMap { policy in
      let lead = policy.map { "\($0)." } ?? ""
      return [
        CoverageMetric(name: lead + "rows", policy: policy) { $0.rowShare },
        CoverageMetric(name: lead + "reasons", policy: policy) { $0.reasonShare },
      ]
    }
  }

  /// An example condition on each metric of the built-in policies, for a user to adapt.
  static var examples: [String] { all([]).map { "\($0.name)>=80%" } }

  private init(
    name: String, policy: String?,
    share: @escaping @Sendable (PolicyCoverage) -> PolicyCoverage.Share
  ) {
    (self.name, self.policy, self.share) = (name, policy, share)
  }

  /// The share in percent; nil if nothing ran under the policy.
  func value(in coverage: [PolicyCoverage]) -> ReportFigure? {
    let shares = coverage.filter { policy == nil || $0.policy.name == policy }.map(share)
    let (reached, missed) = (
      shares.map(\.reached.count).reduce(0, +), shares.map(\.missed.count).reduce(0, +)
    )
    return reached + missed == 0
      ? nil : ReportFigure(Double(reached) * 100 / Double(reached + missed))
  }
}
