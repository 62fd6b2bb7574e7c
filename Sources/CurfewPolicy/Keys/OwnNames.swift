import CurfewEngine

/// The names that a policy and its parents declare. They are sorted before they are numbered, so
/// that policies with the same names give them the same numbers.
struct OwnNames: Hashable, Sendable {
  var sessions: Set<String> = []
  var wakes: Set<String> = []
  var modes: Set<String> = []
  var facts: Set<String> = []
  var groups: Set<String> = []

  /// The names of a policy that declares none.
  static let none = OwnNames()

  func union(_ other: OwnNames) -> OwnNames {
    OwnNames(
      sessions: sessions.union(other.sessions), wakes: wakes.union(other.wakes),
      modes: modes.union(other.modes),
      facts: facts.union(other.facts), groups: groups.union(other.groups))
  }

  /// The names, after the standard ones. Names beyond the limit and duplicates have been reported
  /// and are left out.
  var names: PolicyNames {
    let room = AssertionKind.greatestCount - KindName.standard.count
    let ownSessions = sessions.sorted().prefix(room).map { KindName(rawValue: $0) }
    let ownWakes = wakes.subtracting(sessions).sorted().prefix(room - ownSessions.count).map {
      KindName(rawValue: $0)
    }
    let ownModes = modes.sorted().prefix(
      BackgroundModes.greatestCount - BackgroundModes.standardNames.count)
    let ownFacts = facts.sorted().prefix(FactSet.greatestCount - FactSet.standardNames.count)
    return PolicyNames(
      ownSessions: ownSessions, ownWakes: ownWakes, ownModes: Array(ownModes),
      ownFacts: Array(ownFacts),
      groups: Array(groups.sorted().prefix(AppGroup.greatestCount)))
  }
}
