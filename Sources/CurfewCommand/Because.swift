import CurfewEngine
import CurfewFiles

/// Whose word a decision or a death was: the value of the policy or of the manifest that says so, where it stands, and what would change it.
struct Because {
  let scenario: Scenario

  private var policy: PolicyFile { scenario.policy }

  /// For each reason what says so, with its place, and what would change it.
  func lines(_ denied: DenialReasons, _ kind: AssertionKind, app: String?) -> [String] {
    let reasons = DenialReasons.all.filter { denied.contains($0) }
    return reasons.flatMap { reason in
      let name = reasons.count > 1 ? "\(reason.fileName): " : ""
      let word = reason == .exitsOnSuspend ? manifest(of: app) : policy.path(ofDenial: reason, kind: kind).map(value)
      return (word.map { ["\(name)because \($0)"] } ?? []) + ["\(name)to allow it: \(policy.remedy(ofDenial: reason, kind: kind))"]
    }
  }

  /// What ended a process; nothing where the user, the device or the app itself did.
  func lines(_ process: TerminatedProcess, app: String?) -> [String] {
    (path(process).map(value) ?? (process.reason == .normalAppExit ? manifest(of: app) : nil)).map { ["because \($0)"] } ?? []
  }

  /// The value that makes a remark worth making, where there is one.
  func lines(_ diagnostic: Diagnostic) -> [String] {
    switch diagnostic {
    case .slowLaunch: ["because \(value("limits.launchWarning"))"]
    case .taskTooOld: ["because \(value("tasks.ageWarning"))"]
    case .unknownTask, .illegalEvent, .deliveredInForeground, .overCapacity: []
    }
  }

  /// The path of the policy's value that ended a process, if one did.
  func path(_ process: TerminatedProcess) -> String? {
    policy.path(ofTermination: process.reason, kind: process.details?.kind, during: process.details?.callback)
  }

  /// `tasks.grant is 30s (Policies/ios13.yaml:11:10, documented)`; of a row or a table the place alone.
  private func value(_ path: String) -> String {
    let entry = policy.entry(path)
    let place = [policy.place(of: path)?.description, entry?.confidence?.rawValue].compactMap(\.self).joined(separator: ", ")
    return (entry.map { "\(path) is \($0.text)" } ?? "of '\(path)'") + (place.isEmpty ? "" : " (\(place))")
  }

  private func manifest(of identifier: String?) -> String? {
    guard let app = scenario.apps.first(where: { $0.identifier == identifier }), app.manifest.exitsOnSuspend else { return nil }
    return "its manifest says exitsOnSuspend (\(app.place))"
  }
}
