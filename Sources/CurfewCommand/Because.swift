import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// Whose word a decision or a death was: the value of the policy or of the manifest that says so, where it stands, and what would change it.
struct Because {
  private let scenario: Scenario
  private let apps: [String: ScenarioApp]
  /// Whether the file rather than the policy says how much memory there is, and whether it says so more than once.
  private let namesMemory: Bool
  private let changesMemory: Bool

  init(scenario: Scenario) {
    self.scenario = scenario
    apps = Dictionary(scenario.apps.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    changesMemory = scenario.timeline.contains { line in
      line.step.deed.device?.memory != nil
    }
    namesMemory = changesMemory || scenario.device.memory != nil
  }

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

  /// Why a request was not accepted, and what would change it.
  func lines(_ error: TaskRequestError, _ kind: AssertionKind, app: String?) -> [String] {
    let modes = self.app(app)?.manifest.backgroundModes ?? []
    let path = policy.path(ofRefusal: error, kind: kind, declaring: modes)
    return (path.map { ["because \(value($0))"] } ?? []) + ["to have it accepted: \(policy.remedy(ofRefusal: error, kind: kind))"]
  }

  /// What ended a process; nothing where the user, the device or the app itself did.
  func lines(_ process: TerminatedProcess, app: String?) -> [String] {
    (path(process, app: app).map(value) ?? ownWord(process, app)).map { ["because \($0)"] } ?? []
  }

  /// What the scenario rather than the policy says.
  private func ownWord(_ process: TerminatedProcess, _ app: String?) -> String? {
    switch process.reason {
    case .normalAppExit: manifest(of: app)
    case .backgroundTaskAssertionTimeout:
      process.details?.expiration.map { "its grant was cut short: \($0.fileName)" }
    case .memoryResourceLimit:
      self.app(app).flatMap { app in app.manifest.memoryLimit.map { "its memoryLimit is \(HumanSize.text($0)) (\(app.place))" } }
    case .memoryPressure: "the device's memory\(memoryAtStart) is used up (\(scenario.file))"
    default: nil
    }
  }

  /// What makes the system warn of memory.
  var memoryWarning: [String] { ["because \(value("memory.warning"))"] }

  /// The value that makes a remark worth making, where there is one.
  func lines(_ diagnostic: Diagnostic) -> [String] {
    switch diagnostic {
    case .slowLaunch: ["because \(value("limits.launchWarning"))"]
    case .taskTooOld: ["because \(value("tasks.ageWarning"))"]
    case .overCapacity:
      ["because " + (namesMemory ? "the device's memory\(memoryAtStart) is used up (\(scenario.file))" : value("memory.capacity"))]
    case .unknownTask, .illegalEvent, .deliveredInForeground: []
    }
  }

  private func isCutShort(_ process: TerminatedProcess) -> Bool {
    process.details?.expiration.map { $0 != .timeLimit } ?? false
  }

  /// What the device has, where that never changes.
  private var memoryAtStart: String {
    guard !changesMemory, let memory = scenario.device.memory else { return "" }
    return " of \(HumanSize.text(memory))"
  }

  /// The path of the policy's value that ended a process, if one did: a limit that the app or the device has of its own goes before.
  func path(_ process: TerminatedProcess, app: String?) -> String? {
    switch process.reason {
    case .backgroundTaskAssertionTimeout where isCutShort(process): return nil
    case .memoryResourceLimit where self.app(app)?.manifest.memoryLimit != nil: return nil
    case .memoryPressure where namesMemory: return nil
    default: break
    }
    return policy.path(ofTermination: process.reason, kind: process.details?.kind, during: process.details?.callback)
  }

  /// `tasks.grant is 30s (Policies/ios13.yaml:11:10, documented)`; of a row or a table the place alone.
  private func value(_ path: String) -> String {
    let entry = policy.entry(path)
    let place = [policy.place(of: path)?.description, entry?.confidence?.rawValue].compactMap(\.self).joined(separator: ", ")
    return (entry.map { "\(path) is \(HumanSize.readable($0.text))" } ?? "of '\(path)'") + (place.isEmpty ? "" : " (\(place))")
  }

  private func manifest(of identifier: String?) -> String? {
    guard let app = app(identifier), app.manifest.exitsOnSuspend else { return nil }
    return "its manifest says exitsOnSuspend (\(app.place))"
  }

  private func app(_ identifier: String?) -> ScenarioApp? { identifier.flatMap { apps[$0] } }
}
