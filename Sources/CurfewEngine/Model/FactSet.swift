/// Facts that hold or do not, which rows of a policy require, or are blocked by: the standard ones,
/// then a policy's own.
public struct FactSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit a fact: the standard ones, then a policy's own in the order of `PolicyNames.facts`.
  public let rawValue: UInt64

  /// The facts with these bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The fact at a place among all that a policy knows.
  package init(place: Int) { self.init(rawValue: 1 << UInt64(place)) }

  /// So many facts a policy may know, the standard ones among them.
  package static let greatestCount = 64
}

/// What somebody has said of a policy's own facts.
public struct FactValues: Hashable, Sendable, BitwiseCopyable {
  /// Those that have been said to hold, or not to.
  public private(set) var set: FactSet
  /// Those of them that hold.
  public private(set) var holding: FactSet

  /// These facts set, and of them those that hold.
  public init(set: FactSet = [], holding: FactSet = []) {
    self.set = set
    self.holding = holding.intersection(set)
  }

  /// From now on `facts` hold, or do not.
  public mutating func set(_ facts: FactSet, holds: Bool) {
    set.formUnion(facts)
    if holds { holding.formUnion(facts) } else { holding.subtract(facts) }
  }

  /// What holds where those that nobody has set are as `unset` says.
  func over(_ unset: FactSet) -> FactSet { holding.union(unset.subtracting(set)) }
}

/// The facts that a policy declares of its own.
public struct FactRules: Hashable, Sendable {
  /// Those of the device.
  public var ofDevice: FactSet
  /// Those of an app.
  public var ofApps: FactSet
  /// Those that hold as long as nobody says anything.
  public var unset: FactSet

  /// These facts; none of one's own where they are left out.
  public init(ofDevice: FactSet = [], ofApps: FactSet = [], unset: FactSet = []) {
    (self.ofDevice, self.ofApps, self.unset) = (ofDevice, ofApps, unset)
  }
}

/// The facts that a row of a policy looks at.
public struct FactConditions: Hashable, Sendable {
  /// What has to hold.
  public var requires: FactSet
  /// What must not.
  public var blockedBy: FactSet

  /// These conditions.
  public init(requires: FactSet = [], blockedBy: FactSet = []) {
    (self.requires, self.blockedBy) = (requires, blockedBy)
  }
}
