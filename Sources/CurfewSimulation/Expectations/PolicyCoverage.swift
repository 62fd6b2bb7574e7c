public import CurfewPolicy
import CurfewText
public import CurfewTrace

/// Which rows and which reasons of a policy runs have reached, counted from their lines.
///
/// A row is reached where it admits something, or where a value of it is why something is denied, expires or ends. A reason is reached where it is given.
public struct PolicyCoverage: Sendable {
  /// The policy.
  public let policy: PolicyFile
  private let rows: [String]
  private let reasons: [String]
  private var reached: Set<String> = []

  /// Nothing reached yet.
  public init(_ policy: PolicyFile) {
    self.policy = policy
    rows = policy.rows
    reasons = PolicyFile.ReasonSort.allCases.flatMap { sort in policy.reasons(sort).map { "\(sort.rawValue) \($0)" } }
  }

  /// Some things that may be reached.
  public struct Share: Hashable, Sendable {
    /// Those that were, in the order in which they are told.
    public let reached: [String]
    /// Those that were not.
    public let missed: [String]

    /// How much of all of them was, from 0 to 1; 1 where there are none.
    public var fraction: Double {
      let count = reached.count + missed.count
      return count == 0 ? 1 : Double(reached.count) / Double(count)
    }
  }

  /// The policy's rows: `tasks`, `wakes.fetch`.
  public var rowShare: Share { share(rows) }
  /// The reasons for which it may do something: `denial lowPowerMode`, `end appWatchdog`.
  public var reasonShare: Share { share(reasons) }

  private func share(_ all: [String]) -> Share {
    Share(reached: all.filter(reached.contains), missed: all.filter { !reached.contains($0) })
  }

  /// Looks at the next line of a run under this policy, and at why what it tells is so.
  public mutating func add(_ line: TraceLine, _ explanations: [Explanation]) {
    for explanation in explanations {
      for fact in [explanation.fact] + explanation.others where fact.owner == .policy {
        if let row = PolicyFile.row(of: fact.key) { reached.insert(row) }
      }
    }
    guard let facts = LineFacts(line) else { return }
    switch facts.keys.type {
    case "decision":
      if facts["allowed"] == .flag(true) { admit(facts["kind"]) }
      if case .texts(let reasons)? = facts["reasons"] { for reason in reasons { note(.denial, .text(reason)) } }
    case "session": if facts["event"] == .text("begin") { admit(facts["mode"]) }
    case "wake": admit(facts["kind"])
    case "task": if facts["event"] == .text("begin") { reached.insert("tasks") }
    case "expiration": note(.expiration, facts["reason"])
    case "terminated": note(.end, facts["reason"])
    case "request": note(.request, facts["error"])
    case "notification": reached.insert("notifications")
    default: break
    }
  }

  private mutating func admit(_ kind: Plain?) {
    guard case .text(let kind)? = kind else { return }
    reached.formUnion(["sessions.\(kind)", "wakes.\(kind)"])
  }

  private mutating func note(_ sort: PolicyFile.ReasonSort, _ reason: Plain?) {
    guard case .text(let reason)? = reason else { return }
    reached.insert("\(sort.rawValue) \(reason)")
  }
}
