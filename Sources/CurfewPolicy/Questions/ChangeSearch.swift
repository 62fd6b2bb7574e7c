import CurfewEngine

/// Searches for the smallest sets of changes that reverse an answer. Each set is tried on
/// an engine; the policy's rows only guide the search.
struct ChangeSearch {
  /// The denials after some changes; nil if the changes are invalid, or if the kind cannot be
  /// requested after them.
  typealias Ask = ([AdmissionChange]) -> Denials?

  private let policy: PolicyFile
  private let question: AdmissionQuestion
  private let ask: Ask
  /// Whether values of the policy may change as well.
  private let changesPolicy: Bool
  private var asked: [Set<AdmissionChange>: Denials] = [:]
  private var found: [[AdmissionChange]] = []

  /// The greatest number of sets of changes in an answer. Nobody reads more.
  static let mostSets = 20
  /// The greatest number of changes in a set that admits a kind. Eight conditions may fail at once,
  /// and nobody makes more changes.
  private static let greatestSize = 8
  /// The greatest number of changes in a set that denies a kind. One is usually enough, and three
  /// would take thousands of questions.
  private static let greatestSizeOfDenial = 2

  private init(
    _ policy: PolicyFile, _ question: AdmissionQuestion, changesPolicy: Bool = false,
    _ ask: @escaping Ask
  ) {
    (self.policy, self.question, self.changesPolicy, self.ask) = (
      policy, question, changesPolicy, ask
    )
  }

  /// The sets that reverse the answer, the smallest first. The policy is changed only if nothing
  /// else helps, and as little as possible; a run's policy is never changed.
  static func sets(
    _ policy: PolicyFile, _ question: AdmissionQuestion, about conditions: [Denials],
    inRun: Bool = false, _ ask: @escaping Ask
  ) -> [[AdmissionChange]] {
    var search = ChangeSearch(policy, question, ask)
    if ask([])?.isEmpty ?? true {
      search.findDenials(conditions)
      return Array(search.found.prefix(mostSets))
    }
    search.findAdmissions()
    if search.found.isEmpty, !inRun {
      search = ChangeSearch(policy, question, changesPolicy: true, ask)
      search.findAdmissions()
      let counts = search.found.map { $0.count { $0.setting != nil } }
      search.found = zip(search.found, counts).filter { $0.1 == counts.min() }.map(\.0)
    }
    return Array(search.found.prefix(mostSets))
  }

  /// Searches by size: a set that does not suffice is extended by each change that may remove one
  /// of the remaining reasons. Every sufficient set contains such a change.
  private mutating func findAdmissions() {
    var (sets, seen): ([[AdmissionChange]], Set<Set<AdmissionChange>>) = ([[]], [])
    for _ in 0..<ChangeSearch.greatestSize where found.count < ChangeSearch.mostSets {
      var larger: [[AdmissionChange]] = []
      for set in sets {
        for change in changes(beside: set) {
          let grown = set + [change]
          guard seen.insert(Set(grown)).inserted, !hasFound(within: grown),
            let denied = denials(grown)
          else { continue }
          if !denied.isEmpty {
            larger.append(grown)
          } else if isLeast(grown, isDenied: false) {
            found.append(grown)
          }
        }
      }
      sets = larger
    }
  }

  /// Tries every set of up to `greatestSizeOfDenial` changes to the conditions' subjects.
  private mutating func findDenials(_ conditions: [Denials]) {
    var changes: [AdmissionChange] = []
    for condition in conditions {
      changes += policy.changes(about: condition, of: question.kind, isDenied: true).filter {
        isPossible($0, []) && !changes.contains($0)
      }
    }
    var sets: [(changes: [AdmissionChange], next: Int)] = [([], 0)]
    for _ in 0..<ChangeSearch.greatestSizeOfDenial {
      var larger: [(changes: [AdmissionChange], next: Int)] = []
      for set in sets {
        for place in changes.indices.dropFirst(set.next)
        where isPossible(changes[place], set.changes) {
          let grown = set.changes + [changes[place]]
          guard !hasFound(within: grown), let denied = denials(grown) else { continue }
          if denied.isEmpty {
            larger.append((grown, place + 1))
          } else if isLeast(grown, isDenied: true) {
            found.append(grown)
          }
        }
      }
      sets = larger
    }
  }

  /// The changes that may remove the first remaining reason.
  private mutating func changes(beside set: [AdmissionChange]) -> [AdmissionChange] {
    guard let reason = denials(set)?.each.first, let policy = policy.changed(by: set) else {
      return []
    }
    let settings = changesPolicy ? policy.settings(against: reason, of: question.kind) : []
    return (policy.changes(about: reason, of: question.kind, isDenied: false) + settings).filter {
      isPossible($0, set)
    }
  }

  /// Whether a change has an effect, and no change of the set has the same subject. Tasks and
  /// sessions can be requested only while the app is in front.
  private func isPossible(_ change: AdmissionChange, _ set: [AdmissionChange]) -> Bool {
    if case .presence = change, policy.policy.names.class(of: question.kind) != .wake {
      return false
    }
    guard set.allSatisfy({ $0.subject != change.subject }) else { return false }
    return change.setting != nil || question.changed(by: [change]) != question
  }

  private func hasFound(within set: [AdmissionChange]) -> Bool {
    found.contains { Set($0).isSubset(of: set) }
  }

  /// Whether no subset has the same answer.
  private mutating func isLeast(_ set: [AdmissionChange], isDenied: Bool) -> Bool {
    for bits in 1..<((1 << set.count) - 1) {
      let part = set.indices.filter { bits & 1 << $0 != 0 }.map { set[$0] }
      if let denied = denials(part), denied.isEmpty != isDenied { return false }
    }
    return true
  }

  private mutating func denials(_ changes: [AdmissionChange]) -> Denials? {
    if let known = asked[Set(changes)] { return known }
    let denied = ask(changes)
    asked[Set(changes)] = denied
    return denied
  }
}
