package import CurfewEngine
package import CurfewText

/// What somebody says of facts that a policy declares, by their names: `["parked": true]`.
public struct NamedFacts: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  private var values: [String: Bool]

  /// What is said of each.
  public init(_ values: [String: Bool] = [:]) { self.values = values }

  /// What is said of each; of one that stands there twice the last.
  public init(dictionaryLiteral elements: (String, Bool)...) {
    self.init(Dictionary(elements) { $1 })
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { values.isEmpty }

  /// The facts of which something is said, by name.
  public var names: [String] { values.keys.sorted() }

  /// What is said of a fact; nil where nothing is.
  public subscript(name: String) -> Bool? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// What the engine has been told, by the policy's names.
  package init(_ values: FactValues, _ names: PolicyNames) {
    let holding = Set(names.names(of: values.holding))
    self.init(
      Dictionary(
        uniqueKeysWithValues: names.names(of: values.set).map { ($0, holding.contains($0)) }))
  }

  /// As the engine takes them; facts that the policy does not declare are left out.
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
