import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Names that the policy makes known, where scenarios have them: of kinds and callbacks.
extension ScenarioReader {
  /// The moments of `returns` and `on`.
  mutating func moments(_ node: SourceNode?) -> [(Moment, SourceNode)] {
    (node?.pairs ?? []).compactMap { pair in
      guard NameText.isSound(pair.key) else { return nil }
      if let moment = Moment(fileName: pair.key) { return (moment, pair.value) }
      let names = policyNames ?? PolicyNames()
      let kind = KindName(rawValue: pair.key)
      if names.class(of: kind) == .wake { return (.wake(kind), pair.value) }
      let known =
        Moment.fileNames
        + names.kinds(.wake).dropFirst(PolicyNames().kinds(.wake).count).map(\.rawValue)
      guard isMisspelt(pair.key, among: known) else { return nil }
      findings.error(at: pair.keyPlace) {
        "unknown callback '\(pair.key)'" + $0.hint(for: pair.key, among: known, "allowed here")
      }
      return nil
    }
  }

  /// What a step names.
  mutating func checkNames(of deed: Deed, _ node: SourceNode) {
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

  /// Whether a verb can be about wakes that come about as those of a kind do.
  private func isMeant(_ name: KindName, by verb: Verb) -> Bool {
    guard let policy = known?.policy, let kind = policy.names.kind(name) else { return false }
    let start = policy.start(of: kind)
    switch verb {
    case .submitTask: return start == .request
    case .setInterval: return start == .opportunity || start == .interval
    default: return true
    }
  }
}
