import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// The rows and reasons of a policy that runs have reached, counted from their lines.
///
/// A row is reached if it admits something, or if one of its values causes a denial, an expiration
/// or an end. A reason is reached if a line contains it.
package struct PolicyCoverage: Sendable {
  /// The policy.
  package let policy: PolicyFile
  private let rows: [String]
  private let reasons: [String]
  private var reached: Set<String> = []
  private var lives: AppLives

  /// Creates a coverage in which nothing has been reached.
  package init(_ policy: PolicyFile) {
    self.policy = policy
    rows = policy.rows
    lives = AppLives(apps: [], policy: policy.policy)
    reasons = PolicyFile.ReasonSort.allCases.flatMap { sort in
      policy.reasons(sort).map { "\(sort.rawValue) \($0)" }
    }
  }

  /// The rows or reasons that were reached, and the rest.
  package struct Share: Hashable, Sendable {
    /// The rows or reasons that were reached, in the order in which they are printed.
    package let reached: [String]
    /// The rows or reasons that were not reached.
    package let missed: [String]

    /// The fraction that was reached, from 0 to 1; 1 if the policy has no rows or reasons
    /// of this sort.
    package var fraction: Double {
      let count = reached.count + missed.count
      return count == 0 ? 1 : Double(reached.count) / Double(count)
    }
  }

  /// The policy's rows: `tasks`, `wakes.fetch`.
  package var rowShare: Share { share(rows) }
  /// The reasons that the policy can give: `denial lowPowerMode`, `end appWatchdog`.
  package var reasonShare: Share { share(reasons) }

  private func share(_ all: [String]) -> Share {
    Share(reached: all.filter(reached.contains), missed: all.filter { !reached.contains($0) })
  }

  /// Begins another run: the lines that follow belong to it.
  package mutating func beginRun() { lives = AppLives(apps: [], policy: policy.policy) }

  /// Reads the next line of a run under this policy, with its explanations.
  package mutating func add(_ line: TraceLine, _ explanations: [Explanation]) {
    for explanation in explanations {
      for fact in [explanation.fact] + explanation.others where fact.owner == .policy {
        if let row = PolicyFile.row(of: fact.key) { reached.insert(row) }
      }
    }
    lives.read(line)
    for change in lives.changes { note(change.body, line) }
  }

  private mutating func note(_ change: LifeChange.Body, _ line: TraceLine) {
    switch change {
    case .began(let span):
      switch span.subject {
      case .task: reached.insert("tasks")
      case .session(let kind), .wake(_, let kind): admit(kind)
      case .process, .state, .visit, .deferral, .request: break
      }
    case .ended(let span):
      if case .process = span.subject, case .process(let reason, _)? = span.ending {
        note(.end, reason.fileName)
      }
    case .moment(.allowed(let kind, _)): admit(kind)
    case .moment(.denied):
      guard case .decision(_, _, let denied, _) = line.body else { break }
      for reason in denied.names { note(.denial, reason) }
    case .moment(.handler(.task)):
      guard case .expiration(_, _, let reason, _) = line.body else { break }
      note(.expiration, reason.fileName)
    case .moment(.refused(_, let error)): note(.request, error.fileName)
    case .moment(.notification), .moment(.localNotification): reached.insert("notifications")
    case .moment: break
    }
  }

  private mutating func admit(_ kind: KindNumber) {
    reached.formUnion(["sessions.\(lives.names[kind])", "wakes.\(lives.names[kind])"])
  }

  private mutating func note(_ sort: PolicyFile.ReasonSort, _ reason: String) {
    reached.insert("\(sort.rawValue) \(reason)")
  }
}
