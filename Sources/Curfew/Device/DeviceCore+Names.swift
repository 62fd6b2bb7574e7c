import CurfewEngine
import CurfewPolicy

/// The numbers that the engine has for a policy's names. A name that the policy does not know
/// is the program's mistake.
extension DeviceCore {
  /// A kind's, which is one of that class.
  func number(of name: KindName, _ wanted: AssertionClass) -> AssertionKind {
    let names = policy.policy.names
    guard let kind = names.kind(name), names.class(of: kind) == wanted else {
      let remedy = name == "job" ? "; Device(policy: .server) has jobs" : ""
      preconditionFailure(
        "The policy '\(policy.name)' knows no \(wanted) '\(name)'; it knows \(names.kinds(wanted))\(remedy)"
      )
    }
    return kind
  }

  /// That of a wake which apps request.
  func requestedNumber(of name: KindName) -> AssertionKind {
    let kind = number(of: name, .wake)
    let start = policy.policy.wakes[kind]?.start ?? kind.asStandard?.start
    precondition(
      start == .request, "'\(name)' cannot be requested under the policy '\(policy.name)'")
    return kind
  }

  /// A fact's, of an app or of the device.
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
