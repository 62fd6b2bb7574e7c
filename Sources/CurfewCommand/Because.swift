import CurfewEngine
import CurfewFiles

/// The policy's side of a decision or a death: which value says so, where it stands, and what would change it.
struct Because {
  let policy: PolicyFile

  /// One line a reason: the value that denies, its place, and the remedy.
  func lines(_ denied: DenialReasons, _ kind: AssertionKind) -> [String] {
    DenialReasons.all.filter { denied.contains($0) }.map { reason in
      let value = policy.path(ofDenial: reason, kind: kind).map(value) ?? "the app says so itself"
      return "\(reason.fileName): \(value). \(policy.remedy(ofDenial: reason, kind: kind))"
    }
  }

  /// The value that ended a process; nothing where the user, the device or the app did.
  func lines(_ process: TerminatedProcess) -> [String] {
    path(process).map { [value($0)] } ?? []
  }

  func path(_ process: TerminatedProcess) -> String? {
    policy.path(ofTermination: process.reason, kind: process.details?.kind, during: process.details?.callback)
  }

  /// `tasks.grant is 30s, Policies/ios13.yaml:11:10 (documented: …)`. A value that is a whole table has the place alone.
  private func value(_ path: String) -> String {
    guard let entry = policy.entry(path) else { return "\(policy.file) has no such row in '\(path)'" }
    var text = "\(path) is \(entry.text), \(entry.place)"
    let provenance = [entry.confidence?.rawValue, entry.source].compactMap(\.self)
    if !provenance.isEmpty { text += " (\(provenance.joined(separator: ": ")))" }
    return text
  }
}
