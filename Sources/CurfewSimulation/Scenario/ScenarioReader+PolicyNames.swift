import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Checks names of kinds and callbacks, some of which only the policy defines.
extension ScenarioReader {
  /// The moments that are keys of `returns` or `on`.
  mutating func moments(_ node: SourceNode?) -> [(AppCall, SourceNode)] {
    (node?.pairs ?? []).compactMap { pair in
      guard NameText.isSound(pair.key) else { return nil }
      if let moment = AppCall(fileName: pair.key) { return (moment, pair.value) }
      let names = policyNames ?? PolicyNames()
      let kind = KindName(rawValue: pair.key)
      if names.class(of: kind) == .wake { return (.wake(kind), pair.value) }
      let known =
        AppCall.fileNames
        + names.kinds(.wake).dropFirst(PolicyNames().kinds(.wake).count).map(\.rawValue)
      guard isMisspelt(pair.key, among: known) else { return nil }
      findings.error(at: pair.keyPlace) {
        "unknown callback '\(pair.key)'" + $0.hint(for: pair.key, among: known, "allowed here")
      }
      return nil
    }
  }

  /// Checks the names that a step refers to.
  mutating func checkNames(of deed: EngineInput, _ node: SourceNode) {
    if let fact = deed.fact, let place = node["fact"]?.place {
      checkFact(fact, at: place, ofApp: node["app"] != nil)
    }
    guard let kind = deed.kind, NameText.isSound(kind.rawValue), let names = policyNames else {
      return
    }
    let isSession = deed.verb == .startSession || deed.verb == .stopSession
    let (key, what) =
      isSession ? ("mode", "mode") : ("kind", deed.verb == .submitTask ? "kind" : "wake")
    let known = names.kinds(isSession ? .session : .wake).filter { isMeant($0, by: deed.verb) }
    guard let place = node[key]?.place, !known.contains(kind) else { return }
    findings.error(at: place) {
      "unknown \(what) '\(kind)'"
        + $0.hint(for: kind.rawValue, among: known.map(\.rawValue), "allowed here")
    }
  }

  /// Whether the verb applies to this kind of wake, which depends on how such wakes start.
  private func isMeant(_ name: KindName, by verb: InputVerb) -> Bool {
    guard let policy = known?.policy, let kind = policy.names.kind(name) else { return false }
    let start = policy.start(of: kind)
    switch verb {
    case .submitTask: return start == .request
    case .setInterval: return start == .opportunity || start == .interval
    default: return true
    }
  }
}
