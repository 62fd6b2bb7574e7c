public import CurfewEngine
package import CurfewText

/// A change to named facts of a device; the other facts stay as they are.
public struct DeviceChange: Hashable, Sendable {
  /// The values of the named facts; all other facts have their defaults.
  private var facts = DeviceFacts()
  /// A bit for each named fact, at the fact's index in the table.
  private var named: UInt32 = 0

  /// Creates an empty change.
  package init() {}

  /// Creates a change that sets the named facts to their values in
  /// `facts`: `DeviceChange(to: DeviceFacts(battery: 5), \.battery)`.
  package init(to facts: DeviceFacts, _ paths: PartialKeyPath<DeviceFacts>...) {
    name(of: facts) { paths.contains($0.path) }
  }

  /// Creates a change that sets all facts.
  package init(_ facts: DeviceFacts) { name(of: facts) { _ in true } }

  /// Creates a change that sets the facts that differ from the defaults: a header's `device`.
  package init(differencesOf facts: DeviceFacts) {
    let ease = DeviceFacts()
    name(of: facts) { !$0.isEqual(facts, ease) }
  }

  private mutating func name(of facts: DeviceFacts, where isNamed: (DeviceFact) -> Bool) {
    for (place, fact) in DeviceFact.all.enumerated() where isNamed(fact) {
      fact.copy(facts, &self.facts)
      named |= 1 << place
    }
  }

  /// Whether the change names no fact.
  package var isEmpty: Bool { named == 0 }

  /// Returns `facts` with this change. A switch that is turned on becomes available, whatever its
  /// status was.
  public func applied(to facts: DeviceFacts) -> DeviceFacts {
    var changed = facts
    for fact in namedFacts { fact.copy(self.facts, &changed) }
    return changed
  }

  /// The memory, if the change names it; nil inside the optional means the policy's capacity.
  package var memory: Int64?? {
    namedFacts.contains { $0.path == \DeviceFacts.memory } ? .some(facts.memory) : nil
  }

  /// The change in words: `battery 5%, network none`.
  package var words: String { namedFacts.map { $0.words(facts) }.joined(separator: ", ") }

  private var namedFacts: [DeviceFact] {
    DeviceFact.all.enumerated().filter { named & 1 << $0.offset != 0 }.map(\.element)
  }

  // MARK: Files

  /// Reads the facts from a mapping that has been checked.
  package init(_ node: SourceNode?) { DeviceChange.values.read(node, into: &self) }

  /// The keys of a header's `device` and of the verb `setDevice`.
  static let values: [Attribute<DeviceChange>] = DeviceFact.all.enumerated().map { place, fact in
    Attribute(
      Field(
        name: fact.name, shape: fact.attribute.field.shape, presence: .optional,
        description: fact.attribute.field.description + "."),
      read: { change, plain throws(Refusal) in
        guard try fact.attribute.read(&change.facts, plain) else { return false }
        change.named |= 1 << place
        return true
      }, write: { $0.named & 1 << place == 0 ? nil : fact.attribute.write($0.facts) })
  }
}
