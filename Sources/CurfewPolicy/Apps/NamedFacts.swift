package import CurfewEngine
package import CurfewText

/// Values of facts that a policy declares, by name: `["parked": true]`.
public struct NamedFacts: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  private var values: [String: Bool]

  /// Creates facts with these values.
  public init(_ values: [String: Bool] = [:]) { self.values = values }

  /// Creates facts with these values; the last one wins if a name occurs twice.
  public init(dictionaryLiteral elements: (String, Bool)...) {
    self.init(Dictionary(elements) { $1 })
  }

  /// Whether no fact has a value.
  public var isEmpty: Bool { values.isEmpty }

  /// The names of the facts that have a value, sorted.
  public var names: [String] { values.keys.sorted() }

  /// The value of a fact; nil if it has none.
  public subscript(name: String) -> Bool? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// Creates facts from the values that the engine has, under the policy's names.
  package init(_ values: FactValues, _ names: PolicyNames) {
    let holding = Set(names.names(of: values.holding))
    self.init(
      Dictionary(
        uniqueKeysWithValues: names.names(of: values.set).map { ($0, holding.contains($0)) }))
  }

  /// Returns the values as the engine takes them, without the facts that the policy does
  /// not declare.
  package func numbered(_ names: PolicyNames) -> FactValues {
    var facts = FactValues()
    for (name, holds) in values { if let fact = names.fact(name) { facts.set(fact, holds: holds) } }
    return facts
  }
}

extension Notation<NamedFacts> {
  private static var denial: String { "not " }

  /// A list: `parked` for a fact that holds, `not parked` for one that does not.
  package static var facts: Notation {
    Notation(.list(.text)) { plain in
      guard case .texts(let texts) = plain else { return nil }
      var facts = NamedFacts()
      for text in texts {
        if text.hasPrefix(denial) {
          facts[String(text.dropFirst(denial.count))] = false
        } else {
          facts[text] = true
        }
      }
      return facts
    } write: { facts in
      .texts(facts.names.map { facts[$0] == true ? $0 : denial + $0 })
    }
  }
}
