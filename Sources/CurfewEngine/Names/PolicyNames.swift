/// The names that files use for the kinds, modes, facts and groups of a policy: the standard names,
/// then the policy's own. The engine itself does not use them.
public struct PolicyNames: Hashable, Sendable {
  /// The name of every kind. A kind's number is its place.
  public let kinds: [KindName]
  /// The name of every mode, in the order of their bits.
  public let modes: [String]
  /// The name of every fact, in the order of their bits.
  public let facts: [String]
  /// The name of every group, in the order of their places. No group is standard.
  public let groups: [String]
  private let classes: [AssertionClass]
  private let numbers: [KindName: AssertionKind]

  /// Creates the standard names, followed by these.
  ///
  /// - Precondition: No two kinds, modes, facts or groups have the same name, and there are at most
  ///   64 of each, including the standard ones.
  public init(
    ownSessions: [KindName] = [], ownWakes: [KindName] = [], ownModes: [String] = [],
    ownFacts: [String] = [], groups: [String] = []
  ) {
    self.init(
      kinds: KindName.standard + ownSessions + ownWakes,
      classes: StandardKind.all.map(\.class) + ownSessions.map { _ in .session }
        + ownWakes.map { _ in .wake },
      modes: BackgroundModes.standardNames + ownModes, facts: FactSet.standardNames + ownFacts,
      groups: groups)
  }

  private init(
    kinds: [KindName], classes: [AssertionClass], modes: [String], facts: [String], groups: [String]
  ) {
    (self.kinds, self.classes, self.modes, self.facts, self.groups) = (
      kinds, classes, modes, facts, groups
    )
    precondition(
      kinds.count <= AssertionKind.greatestCount,
      "\(kinds.count) kinds of \(AssertionKind.greatestCount)")
    precondition(
      modes.count <= BackgroundModes.greatestCount,
      "\(modes.count) modes of \(BackgroundModes.greatestCount)")
    precondition(
      facts.count <= FactSet.greatestCount, "\(facts.count) facts of \(FactSet.greatestCount)")
    precondition(
      groups.count <= AppGroup.greatestCount, "\(groups.count) groups of \(AppGroup.greatestCount)")
    numbers = Dictionary(
      uniqueKeysWithValues: kinds.enumerated().map { ($1, AssertionKind(rawValue: UInt8($0))) })
    precondition(
      Set(modes).count == modes.count && Set(facts).count == facts.count,
      "two modes or two facts have the same name")
    precondition(Set(groups).count == groups.count, "two groups have the same name")
  }

  /// Returns these names followed by another policy's, so that files written for either policy can
  /// be read under this one. Existing names keep their meaning. Names beyond the limit of 64 are
  /// left out.
  package func adding(_ other: PolicyNames) -> PolicyNames {
    let newKinds = other.kinds.filter { kind($0) == nil }.prefix(
      AssertionKind.greatestCount - kinds.count)
    let newModes = other.modes.filter { mode($0) == nil }.prefix(
      BackgroundModes.greatestCount - modes.count)
    let newFacts = other.facts.filter { fact($0) == nil }.prefix(
      FactSet.greatestCount - facts.count)
    return PolicyNames(
      kinds: kinds + newKinds, classes: classes + newKinds.compactMap { other.class(of: $0) },
      modes: modes + newModes,
      facts: facts + newFacts, groups: groups)
  }

  /// The kind with this name, or nil.
  ///
  /// - Complexity: O(1).
  public func kind(_ name: KindName) -> AssertionKind? { numbers[name] }

  /// The name of a kind.
  ///
  /// - Precondition: `kind` is one of these kinds.
  public func name(of kind: AssertionKind) -> KindName { kinds[Int(kind.rawValue)] }

  /// The class of a kind.
  ///
  /// - Precondition: `kind` is one of these kinds.
  public func `class`(of kind: AssertionKind) -> AssertionClass { classes[Int(kind.rawValue)] }

  /// The class of the kind with this name, or nil.
  package func `class`(of name: KindName) -> AssertionClass? { kind(name).map { `class`(of: $0) } }

  /// The kinds of a class, in the order of their numbers.
  package func kinds(_ wanted: AssertionClass) -> [KindName] {
    kinds.indices.filter { classes[$0] == wanted }.map { kinds[$0] }
  }

  /// The mode with this name, or nil.
  package func mode(_ name: String) -> BackgroundModes? {
    modes.firstIndex(of: name).map { BackgroundModes(place: $0) }
  }

  /// The names of these modes, in the order of their bits.
  package func names(of modes: BackgroundModes) -> [String] {
    self.modes.indices.filter { modes.contains(BackgroundModes(place: $0)) }.map { self.modes[$0] }
  }

  /// The fact with this name, or nil.
  package func fact(_ name: String) -> FactSet? {
    facts.firstIndex(of: name).map { FactSet(place: $0) }
  }

  /// The names of these facts, in the order of their bits.
  package func names(of facts: FactSet) -> [String] {
    facts.isEmpty
      ? [] : self.facts.indices.filter { facts.contains(FactSet(place: $0)) }.map { self.facts[$0] }
  }

  /// The group with this name, or nil.
  package func group(_ name: String) -> AppGroup? {
    groups.firstIndex(of: name).map { AppGroup(rawValue: UInt8($0)) }
  }

  /// The name of a group.
  ///
  /// - Precondition: `group` is one of these groups.
  package func name(of group: AppGroup) -> String { groups[Int(group.rawValue)] }
}
