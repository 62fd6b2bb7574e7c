import CurfewEngine
import CurfewText

// The keys of a fact that a policy declares.

extension FactRules {
  static func keys(of fact: FactSet) -> [PolicyKey<FactRules>] {
    [
      .init(
        "of", \.[ownerOf: fact], .word("owner", of: [("device", .device), ("app", .app)]),
        "The owner of the fact: the device, or an app."),
      .init(
        "unset", \.[unset: fact], .boolean, absent: false,
        "Whether it holds until somebody sets it."),
    ]
  }

  /// The owner of a fact.
  fileprivate enum Owner: Sendable { case device, app }

  private subscript(ownerOf fact: FactSet) -> Owner {
    get { ofApps.isSuperset(of: fact) ? .app : .device }
    set {
      ofApps.subtract(fact)
      ofDevice.subtract(fact)
      if newValue == .app { ofApps.formUnion(fact) } else { ofDevice.formUnion(fact) }
    }
  }

  private subscript(unset fact: FactSet) -> Bool {
    get { unset.isSuperset(of: fact) }
    set { if newValue { unset.formUnion(fact) } else { unset.subtract(fact) } }
  }
}
