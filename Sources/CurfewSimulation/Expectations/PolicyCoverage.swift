import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// Which rows and which reasons of a policy runs have reached, counted from their lines.
///
/// A row is reached where it admits something, or where a value of it is why something is denied,
/// expires or ends. A reason is reached where it is given.
package struct PolicyCoverage: Sendable {
  /// The policy.
  package let policy: PolicyFile
  private let rows: [String]
  private let reasons: [String]
  private var reached: Set<String> = []
  private var lives: AppLives

  /// Nothing reached yet.
  package init(_ policy: PolicyFile) {
    self.policy = policy
    rows = policy.rows
    lives = AppLives(apps: [], policy: policy.policy)
    reasons = PolicyFile.ReasonSort.allCases.flatMap { sort in
      policy.reasons(sort).map { "\(sort.rawValue) \($0)" }
    }
  }

  /// Some things that may be reached.
  package struct Share: Hashable, Sendable {
    /// Those that were, in the order in which they are told.
    package let reached: [String]
    /// Those that were not.
    package let missed: [String]

    /// How much of all of them was, from 0 to 1; 1 where there are none.
    package var fraction: Double {
      let count = reached.count + missed.count
      return count == 0 ? 1 : Double(reached.count) / Double(count)
    }
  }

  /// The policy's rows: `tasks`, `wakes.fetch`.
  package var rowShare: Share { share(rows) }
  /// The reasons for which it may do something: `denial lowPowerMode`, `end appWatchdog`.
  package var reasonShare: Share { share(reasons) }

  private func share(_ all: [String]) -> Share {
    Share(reached: all.filter(reached.contains), missed: all.filter { !reached.contains($0) })
  }

  /// The lines that follow are of another run.
  package mutating func beginRun() { lives = AppLives(apps: [], policy: policy.policy) }

  /// Looks at the next line of a run under this policy, and at why what it tells is so.
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
