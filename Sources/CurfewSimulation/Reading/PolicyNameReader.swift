import CurfewEngine
import CurfewPolicy
import CurfewText

/// A reader of a file that runs under a policy. It checks the names in the file against the
/// policy's names.
///
/// If the policy cannot be read, an unknown name is an error only if it is close to a
/// standard name.
protocol PolicyNameReader {
  /// The policy that the file runs under, once it has been read.
  var known: PolicyFile? { get }
  var findings: Findings { get set }
}

extension PolicyNameReader {
  /// The `override` if there is one, otherwise the policy that the file names. Nil, with an error,
  /// if the policy cannot be read.
  mutating func policy(_ root: SourceNode, unless override: PolicyFile?) -> PolicyFile? {
    if let override { return override }
    guard let node = root["policy"], let name = node.text, !name.isEmpty else { return nil }
    do {
      return try PolicyFile.load(name, at: node.place)
    } catch {
      findings.add(error)
      return nil
    }
  }

  /// The policy's names for kinds, modes and facts.
  var policyNames: PolicyNames? { known?.policy.names }

  /// Reports `memory` and `memoryLimit` of 0 bytes, into which nothing would fit.
  mutating func checkSizes(_ node: SourceNode?) {
    for key in ["memory", "memoryLimit"] {
      if let value = node?[key], value.text.flatMap({ try? SizeText.read($0) }) == 0 {
        findings.error(at: value.place, "'\(key)' must be more than 0B")
      }
    }
  }

  /// Checks the entries of `facts`, for an app or for the device.
  mutating func checkFacts(_ node: SourceNode?, ofApp isApp: Bool) {
    var seen: Set<String> = []
    for element in node?.elements ?? [] {
      guard let text = element.text else { continue }
      let name = text.hasPrefix("not ") ? String(text.dropFirst("not ".count)) : text
      checkFact(name, at: element.place, ofApp: isApp)
      if !seen.insert(name).inserted {
        findings.error(at: element.place, "the fact '\(name)' is listed twice")
      }
    }
  }

  /// Checks the modes that an app declares.
  mutating func checkModes(_ node: SourceNode?) {
    let names = policyNames ?? PolicyNames()
    for element in node?.elements ?? [] {
      guard let text = element.text, NameText.isSound(text), names.mode(text) == nil,
        isMisspelt(text, among: names.modes)
      else { continue }
      findings.error(at: element.place) {
        "unknown mode '\(text)'" + $0.hint(for: text, among: names.modes, "allowed here")
      }
    }
  }

  /// Whether an unknown name is an error: always if the policy has been read. Otherwise the policy
  /// might define the name, so it is an error only if it is close to a known one.
  func isMisspelt(_ name: String, among known: [String]) -> Bool {
    self.known != nil || NearestName.to(name, among: known) != nil
  }

  mutating func checkFact(_ name: String, at place: SourcePlace, ofApp isApp: Bool) {
    guard NameText.isSound(name) else {
      return findings.error(at: place, NameText.refusal(of: name, "fact"))
    }
    guard let known else { return }
    let (own, others) = (known.policy.facts.ofApps, known.policy.facts.ofDevice)
    let names = known.policy.names
    let allowed = names.names(of: isApp ? own : others)
    if allowed.contains(name) { return }
    if names.names(of: isApp ? others : own).contains(name) {
      let words =
        isApp
        ? ("the device, not to an app", "without 'app'")
        : ("an app, not to the device", "with the app")
      return findings.error(
        at: place, "the fact '\(name)' belongs to \(words.0); set it \(words.1)")
    }
    if names.fact(name) != nil {
      return findings.error(
        at: place, "the fact '\(name)' follows from other facts and cannot be set")
    }
    findings.error(at: place) { search in
      allowed.isEmpty
        ? "unknown fact '\(name)'; the policy '\(known.name)' declares no facts of \(isApp ? "an app" : "the device")"
        : "unknown fact '\(name)'" + search.hint(for: name, among: allowed, "expected one of")
    }
  }
}
