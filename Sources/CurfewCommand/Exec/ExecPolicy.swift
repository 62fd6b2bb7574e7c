import CurfewEngine
import CurfewPolicy
import CurfewText

/// The policy of `curfew exec`. A text is read only if the policy is not the default.
struct ExecPolicy {
  /// The policy without `--policy`.
  static let defaultName = "server"

  /// The values.
  let policy: Policy
  /// The values with their places; nil for the default until they are needed.
  private let file: PolicyFile?

  /// The default policy.
  init() { (policy, file) = (.server, nil) }

  init(_ file: PolicyFile) { (policy, self.file) = (file.policy, file) }

  /// The name, for people.
  var name: String { file?.name ?? ExecPolicy.defaultName }

  /// The policy as a journal names it.
  var recorded: PolicyFile {
    file ?? PolicyFile(builtIn: ExecPolicy.defaultName, .server, digest: ExecPolicy.defaultDigest)
  }

  /// The digest of the default policy. A test compares it with the file's.
  private static let defaultDigest = "5b4b2073f9cf4c0b"

  /// The values with their places.
  func read() throws(FileErrors) -> PolicyFile {
    if let file { return file }
    return try PolicyFile.load(ExecPolicy.defaultName)
  }
}

extension Policy {
  /// The values of `server.yaml`, so that a command starts without reading YAML. A test compares
  /// them with the file.
  static let server: Policy = {
    let names = PolicyNames(ownWakes: ["job"], ownFacts: ["draining"])
    let draining = names.fact("draining") ?? []
    let job = WakeRules(
      modes: [], relaunches: true, survivesForceQuit: true,
      conditions: FactConditions(blockedBy: draining), length: .seconds(86_400),
      warning: .seconds(5), overrun: .kill, code: nil)
    return Policy(
      multitasking: true, foregroundLimit: nil, hasBackgroundRefresh: false, hasLowPowerMode: false,
      suspendDelay: .zero,
      limits: CallbackLimits(
        launch: .seconds(600), launchWarning: .seconds(60), didEnterBackground: .seconds(30),
        willTerminate: .seconds(30), withoutAssertionWarning: .seconds(10), code: nil),
      tasks: TaskRules(
        grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1_000,
        limitCode: nil, code: nil, ageWarning: nil, lateBegin: .valid, refreshGate: .open),
      sessions: [:], wakes: names.kind("job").map { [$0: job] } ?? [:],
      memory: MemoryRules(
        capacity: 1_024 << 30, warningLevel: 100, resetLevel: 100, footprint: 0, appLimit: nil),
      notifications: NotificationRules(kept: 50, queued: 100, names: 1_000),
      facts: FactRules(ofDevice: draining), names: names)
  }()
}
