import CurfewEngine
import CurfewPolicy

/// The engine's numbers for a policy's names. Using a name that the policy does not know is a
/// mistake of the program.
extension DeviceCore {
  /// The number of a kind, which must be of the wanted class.
  func number(of name: KindName, _ wanted: AssertionClass) -> AssertionKind {
    let names = policy.policy.names
    guard let kind = names.kind(name), names.class(of: kind) == wanted else {
      let remedy = name == "job" ? "; Device(policy: .server) has jobs" : ""
      preconditionFailure(
        "The policy '\(policy.name)' does not know the \(wanted) '\(name)'; it knows \(names.kinds(wanted))\(remedy)"
      )
    }
    return kind
  }

  /// The number of a kind of wake that apps request.
  func requestedNumber(of name: KindName) -> AssertionKind {
    let kind = number(of: name, .wake)
    let start = policy.policy.wakes[kind]?.start ?? kind.asStandard?.start
    precondition(
      start == .request, "'\(name)' cannot be requested under the policy '\(policy.name)'")
    return kind
  }

  /// The number of a fact of an app or of the device.
  func number(ofFact name: String, ofApp isApp: Bool) -> FactSet {
    let rules = policy.policy.facts
    let (declared, owner) = isApp ? (rules.ofApps, "apps") : (rules.ofDevice, "the device")
    guard let fact = policy.policy.names.fact(name), declared.isSuperset(of: fact) else {
      let known = policy.policy.names.names(of: declared)
      preconditionFailure(
        "The policy '\(policy.name)' declares no fact '\(name)' of \(owner); it declares \(known)")
    }
    return fact
  }
}
