/// What files call the kinds, modes, facts and groups of a policy: the standard ones, and its own
/// after them. The engine itself reads none of it.
public struct PolicyNames: Hashable, Sendable {
  /// Every kind's name; a kind's number is its place.
  public let kinds: [KindName]
  /// Every mode's name, in the order of its bits.
  public let modes: [String]
  /// Every fact's name, in the order of its bits.
  public let facts: [String]
  /// Every group's name, in the order of their places. None is standard.
  public let groups: [String]
  private let classes: [AssertionClass]
  private let numbers: [KindName: AssertionKind]

  /// The standard names and these after them.
  ///
  /// - Precondition: No name stands twice, and there are no more than 64 of a sort with the
  ///   standard ones.
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
      "a mode or a fact stands twice")
    precondition(Set(groups).count == groups.count, "a group stands twice")
  }

  /// These names and another policy's after them, so that what is written for both can be read
  /// for this one. Names that it has keep their meaning; what exceeds the room for 64 of a sort
  /// is left out.
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

  /// The kind of that name.
  ///
  /// - Complexity: O(1).
  public func kind(_ name: KindName) -> AssertionKind? { numbers[name] }

  /// What a kind is called.
  ///
  /// - Precondition: It is one of these.
  public func name(of kind: AssertionKind) -> KindName { kinds[Int(kind.rawValue)] }

  /// What a kind is.
  ///
  /// - Precondition: It is one of these.
  public func `class`(of kind: AssertionKind) -> AssertionClass { classes[Int(kind.rawValue)] }

  /// What the kind of that name is; nil where there is none.
  public func `class`(of name: KindName) -> AssertionClass? { kind(name).map { `class`(of: $0) } }

  /// The kinds of a class, in the order of their numbers.
  public func kinds(_ wanted: AssertionClass) -> [KindName] {
    kinds.indices.filter { classes[$0] == wanted }.map { kinds[$0] }
  }

  /// The mode of that name.
  public func mode(_ name: String) -> BackgroundModes? {
    modes.firstIndex(of: name).map { BackgroundModes(place: $0) }
  }

  /// The names of these modes, in the order of their bits.
  public func names(of modes: BackgroundModes) -> [String] {
    self.modes.indices.filter { modes.contains(BackgroundModes(place: $0)) }.map { self.modes[$0] }
  }

  /// The fact of that name.
  public func fact(_ name: String) -> FactSet? {
    facts.firstIndex(of: name).map { FactSet(place: $0) }
  }

  /// The names of these facts, in the order of their bits.
  public func names(of facts: FactSet) -> [String] {
    facts.isEmpty
      ? [] : self.facts.indices.filter { facts.contains(FactSet(place: $0)) }.map { self.facts[$0] }
  }

  /// The group of that name.
  public func group(_ name: String) -> AppGroup? {
    groups.firstIndex(of: name).map { AppGroup(rawValue: UInt8($0)) }
  }

  /// What a group is called.
  ///
  /// - Precondition: It is one of these.
  public func name(of group: AppGroup) -> String { groups[Int(group.rawValue)] }
}
