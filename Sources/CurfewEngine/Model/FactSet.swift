/// A set of facts. Rows of a policy require facts or are blocked by them. The standard facts come
/// first, then a policy's own.
public struct FactSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit per fact: the standard ones, then a policy's own in the order of `PolicyNames.facts`.
  public let rawValue: UInt64

  /// The facts with these bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The fact at `place` among all facts of a policy.
  package init(place: Int) { self.init(rawValue: 1 << UInt64(place)) }

  /// The maximum number of facts in a policy, including the standard ones.
  package static let greatestCount = 64
}

/// The values that have been set for a policy's own facts.
public struct FactValues: Hashable, Sendable, BitwiseCopyable {
  /// The facts that have been set, to hold or not to hold.
  public private(set) var set: FactSet
  /// The set facts that hold.
  public private(set) var holding: FactSet

  /// Creates values for the facts in `set`. The facts in `holding` hold; the other facts do not.
  public init(set: FactSet = [], holding: FactSet = []) {
    self.set = set
    self.holding = holding.intersection(set)
  }

  /// Sets `facts`, to hold or not to hold.
  public mutating func set(_ facts: FactSet, holds: Bool) {
    set.formUnion(facts)
    if holds { holding.formUnion(facts) } else { holding.subtract(facts) }
  }

  /// The facts that hold if each fact that is not set has its value from `unset`.
  func over(_ unset: FactSet) -> FactSet { holding.union(unset.subtracting(set)) }
}

/// The facts that a policy declares itself.
public struct FactRules: Hashable, Sendable {
  /// The facts of the device.
  public var ofDevice: FactSet
  /// The facts of an app.
  public var ofApps: FactSet
  /// The facts that hold as long as they have not been set.
  public var unset: FactSet

  /// Creates rules for these facts. By default a policy declares none.
  public init(ofDevice: FactSet = [], ofApps: FactSet = [], unset: FactSet = []) {
    (self.ofDevice, self.ofApps, self.unset) = (ofDevice, ofApps, unset)
  }
}

/// The facts that a row of a policy depends on.
public struct FactConditions: Hashable, Sendable {
  /// The facts that must hold.
  public var requires: FactSet
  /// The facts that must not hold.
  public var blockedBy: FactSet

  /// Creates these conditions.
  public init(requires: FactSet = [], blockedBy: FactSet = []) {
    (self.requires, self.blockedBy) = (requires, blockedBy)
  }

  /// Whether no required fact also blocks.
  var isSound: Bool { requires.isDisjoint(with: blockedBy) }
}
