import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Names that the policy makes known: of kinds, modes and facts. Without a policy, because it cannot be read, only what is nearly a standard name is
/// an error.
extension ScenarioReader {
  /// What `facts` says, of the device or of an app.
  mutating func checkFacts(_ node: SourceNode?, ofApp isApp: Bool) {
    var seen: Set<String> = []
    for element in node?.elements ?? [] {
      guard let text = element.text else { continue }
      let name = text.hasPrefix("not ") ? String(text.dropFirst("not ".count)) : text
      checkFact(name, at: element.place, ofApp: isApp)
      if !seen.insert(name).inserted { findings.error(at: element.place, "the fact '\(name)' stands there twice") }
    }
  }

  /// The modes that an app declares.
  mutating func checkModes(_ node: SourceNode?) {
    let names = policyNames ?? PolicyNames()
    for element in node?.elements ?? [] {
      guard let text = element.text, NameText.isSound(text), names.mode(text) == nil, isMisspelt(text, among: names.modes) else { continue }
      findings.error(at: element.place) { "unknown mode '\(text)'" + $0.hint(for: text, among: names.modes, "allowed here") }
    }
  }

  /// The moments of `returns` and `on`.
  mutating func moments(_ node: SourceNode?) -> [(Moment, SourceNode)] {
    (node?.pairs ?? []).compactMap { pair in
      guard NameText.isSound(pair.key) else { return nil }
      if let moment = Moment(fileName: pair.key) { return (moment, pair.value) }
      let names = policyNames ?? PolicyNames()
      let kind = KindName(rawValue: pair.key)
      if names.class(of: kind) == .wake { return (.wake(kind), pair.value) }
      let known = Moment.fileNames + names.kinds(.wake).dropFirst(PolicyNames().kinds(.wake).count).map(\.rawValue)
      guard isMisspelt(pair.key, among: known) else { return nil }
      findings.error(at: pair.keyPlace) { "unknown callback '\(pair.key)'" + $0.hint(for: pair.key, among: known, "allowed here") }
      return nil
    }
  }

  /// Whether a name that nobody knows is a mistake: the policy, if it could be read, might know it.
  private func isMisspelt(_ name: String, among known: [String]) -> Bool { self.known != nil || NearestName.to(name, among: known) != nil }

  /// What a step names.
  mutating func checkNames(of deed: Deed, _ node: SourceNode) {
    if let fact = deed.fact, let place = node["fact"]?.place { checkFact(fact, at: place, ofApp: node["app"] != nil) }
    guard let kind = deed.kind, NameText.isSound(kind.rawValue), let names = policyNames else { return }
    let isSession = deed.verb == .startSession || deed.verb == .stopSession
    let (key, what) = isSession ? ("mode", "mode") : ("kind", deed.verb == .submitTask ? "kind" : "wake")
    let known = names.kinds(isSession ? .session : .wake).filter { isMeant($0, by: deed.verb) }
    guard let place = node[key]?.place, !known.contains(kind) else { return }
    findings.error(at: place) {
      "unknown \(what) '\(kind)'" + $0.hint(for: kind.rawValue, among: known.map(\.rawValue), "allowed here")
    }
  }

  /// Whether a verb can be about wakes that come about as those of a kind do.
  private func isMeant(_ name: KindName, by verb: Verb) -> Bool {
    guard let kind = policyNames?.kind(name) else { return false }
    let start = known?.policy.wakes[kind]?.start ?? kind.asStandard?.start ?? .event
    switch verb {
    case .submitTask: return start == .request
    case .setInterval: return start == .opportunity || start == .interval
    default: return true
    }
  }

  private mutating func checkFact(_ name: String, at place: SourcePlace, ofApp isApp: Bool) {
    guard NameText.isSound(name) else { return findings.error(at: place, NameText.refusal(of: name, "fact")) }
    guard let known else { return }
    let (own, others) = (known.policy.facts.ofApps, known.policy.facts.ofDevice)
    let names = known.policy.names
    let allowed = names.names(of: isApp ? own : others)
    if allowed.contains(name) { return }
    if names.names(of: isApp ? others : own).contains(name) {
      let words = isApp ? ("the device's, and no app's", "without 'app'") : ("an app's, and not the device's", "with the app")
      return findings.error(at: place, "the fact '\(name)' is \(words.0); set it \(words.1)")
    }
    if names.fact(name) != nil {
      return findings.error(at: place, "the fact '\(name)' follows from what the device is like and cannot be set")
    }
    findings.error(at: place) { search in
      allowed.isEmpty
        ? "unknown fact '\(name)'; the policy '\(known.name)' declares none of \(isApp ? "an app" : "the device")"
        : "unknown fact '\(name)'" + search.hint(for: name, among: allowed, "there are")
    }
  }
}
