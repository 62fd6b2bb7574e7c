import CurfewEngine
import CurfewPolicy
import CurfewSimulation

/// Finds figures that can never count anything in a workload, judging by its apps and its
/// policy alone.
///
/// The check is conservative: it rejects a figure only if no behaviour of users and devices can
/// make the figure count anything. A figure that may count something but stays zero is found after
/// the runs.
struct FigureReach {
  let workload: Workload
  private var policy: PolicyFile { workload.policy }

  init(_ workload: Workload) { self.workload = workload }

  /// The reason why the measure counts nothing in any run, as a clause: "'camera' has no wake
  /// 'fetch'"; nil if it may count something.
  func obstacle(to measure: Measure) -> String? {
    let apps = workload.apps.filter { measure.app.isEmpty || $0.name == measure.app }
    // Only another variant has the app; `MeasureReader` warns about that.
    guard !apps.isEmpty else { return nil }
    // This figure is the number of devices.
    if FigureCatalog.isPerDevice(measure.figure), measure.figure.hasSuffix(".n") { return nil }
    let things = FigureCatalog.things(of: measure.figure)
    let subject = measure.app.isEmpty ? "no app" : "'\(measure.app)'"
    let verb = measure.app.isEmpty ? "has" : "has no"
    if things.contains(.kinds), !measure.about.isEmpty {
      return obstacle(measure, KindName(rawValue: measure.about), apps, subject, verb)
    }
    if things.contains(.reasons), !measure.about.isEmpty {
      return obstacle(toEndsFor: measure.about)
    }
    if things.contains(.works) || FigureCatalog.isOfTasks(measure.figure) {
      guard apps.contains(where: { $0.asks(for: .finiteTask, named: measure.about) }) else {
        return "\(subject) \(verb) background tasks"
      }
      if FigureCatalog.isOfLostWork(measure.figure),
        !apps.contains(where: { $0.losesWork(named: measure.about) })
      {
        return "\(subject) \(verb) tasks whose 'unfinished' is 'lost'"
      }
    }
    if FigureCatalog.isOfWakes(measure.figure),
      !apps.contains(where: { app in app.wakes.contains { app.asks(for: $0.kind) } })
    {
      return "\(subject) \(verb) wakes"
    }
    if measure.figure == "processorTime", !apps.contains(where: \.usesProcessor) {
      return "\(subject) \(verb) 'processor'"
    }
    return nil
  }

  // MARK: Kinds

  private func obstacle(
    _ measure: Measure, _ kind: KindName, _ apps: [WorkloadApp], _ subject: String, _ verb: String
  ) -> String? {
    let thing = self.thing(kind)
    let asking = apps.filter { $0.asks(for: kind) }
    guard !asking.isEmpty else { return "\(subject) \(verb) \(thing)" }
    if FigureCatalog.isDenials(measure.figure) {
      let reasons = measure.figure.dropFirst("denied.".count).split(separator: "+").map(String.init)
      let obstacles = asking.map { obstacle(toDenying: $0, kind, for: reasons) }
      return obstacles.contains(nil) ? nil : obstacles[0]
    }
    switch FigureCatalog.stem(of: measure.figure) {
    case "denied":
      let isDenied =
        DenialReasons.all.contains { policy.mayDeny($0, kind) }
        || !policy.factsThatDeny(kind).isEmpty
      return isDenied ? nil : "the policy '\(policy.name)' never denies \(thing)"
    case _ where kind == .finiteTask:
      return
        "for background tasks, only denials are counted as decisions; 'tasksBegun', 'tasksEnded' and others count the tasks"
    case "failed" where policy.policy.names.class(of: kind) == .session:
      return "a session does not fail"
    case "requested"
    where !asking.contains(where: { $0.wakes.contains { $0.kind == kind && $0.earliest != nil } }):
      return "\(subject) \(verb) \(thing) with 'earliest', which makes requests"
    default:
      let denials = asking.map { standingDenials(of: $0, kind) }
      guard denials.allSatisfy({ !$0.isEmpty }) else { return nil }
      return
        "\(thing) of '\(asking[0].name)' is always denied: \(denials[0].joined(separator: ", "))"
    }
  }

  private func thing(_ kind: KindName) -> String {
    switch policy.policy.names.class(of: kind) {
    case .task: "background tasks"
    case .session: "session '\(kind)'"
    case .wake, nil: "wake '\(kind)'"
    }
  }

  /// The reason why requests of an app for a kind are never denied for exactly these reasons.
  private func obstacle(toDenying app: WorkloadApp, _ kind: KindName, for reasons: [String])
    -> String?
  {
    let standing = standingDenials(of: app, kind)
    if let missing = standing.first(where: { !reasons.contains($0) }) {
      return "\(thing(kind)) of '\(app.name)' is always denied for '\(missing)' too"
    }
    // If the policy has no multitasking or no row for the kind, the policy does not say which other
    // reasons apply.
    guard standing.allSatisfy({ !Self.ofWholePolicy.contains($0) }) else { return nil }
    let facts = policy.factsThatDeny(kind)
    for reason in reasons where !standing.contains(reason) {
      if reason == DenialReasons.forceQuit.fileName, workload.user.forceQuits == 0,
        workload.recording == nil
      {
        return "the workload's user has no 'forceQuits'"
      }
      if let obstacle = obstacle(toState: reason) { return obstacle }
      if let denial = DenialReasons.all.first(where: { $0.fileName == reason }) {
        if !policy.mayDeny(denial, kind) {
          return "the policy '\(policy.name)' never denies \(thing(kind)) for '\(reason)'"
        }
        if Self.ofManifests.contains(reason) {
          return
            "\(thing(kind)) of '\(app.name)' is never denied for '\(reason)', because of its manifest"
        }
      } else if !facts.contains(reason) {
        return "the policy '\(policy.name)' never denies \(thing(kind)) for '\(reason)'"
      }
    }
    return nil
  }

  /// The reason why no device of the workload is ever in the state that a denial's reason names;
  /// nil if a device may be in that state. A program's closures may change the state of a device.
  private func obstacle(toState reason: String) -> String? {
    guard !workload.apps.contains(where: { $0.behavior != nil }) else { return nil }
    let device = workload.device
    var states = [device.start]
    for daily in device.daily {
      var facts = states[states.count - 1]
      daily.change(&facts)
      states.append(facts)
    }
    switch reason {
    case DenialReasons.lowPowerMode.fileName:
      let isPossible =
        device.battery?.lowPowerModeUnder ?? 0 > 0 || states.contains(where: \.lowPowerMode)
      return isPossible ? nil : "no device of the workload is ever in Low Power Mode"
    case DenialReasons.lowBattery.fileName:
      let isPossible =
        device.battery != nil || states.contains { $0.battery < policy.policy.lowBattery }
      return isPossible
        ? nil : "no battery of the workload is ever low: the device has no 'batteryLife'"
    default: return nil
    }
  }

  private static let ofWholePolicy = [
    DenialReasons.noMultitasking, .kindNotInPolicy, .modeNotInPolicy,
  ].map(\.fileName)
  private static let ofManifests = [DenialReasons.modeNotDeclared, .exitsOnSuspend].map(\.fileName)

  /// The reasons for which every request of an app for a kind is denied. They follow from its
  /// manifest and the policy alone.
  private func standingDenials(of app: WorkloadApp, _ kind: KindName) -> [String] {
    let whole = [DenialReasons.noMultitasking, .kindNotInPolicy, .modeNotInPolicy].filter {
      policy.mayDeny($0, kind)
    }
    guard whole.isEmpty, kind != .finiteTask else { return whole.map(\.fileName) }
    var reasons: [DenialReasons] = []
    let modes = policy.modes(askedBy: kind)
    if !modes.isEmpty, !modes.contains(where: app.manifest.modeNames.contains) {
      reasons.append(.modeNotDeclared)
    }
    if app.manifest.exitsOnSuspend { reasons.append(.exitsOnSuspend) }
    return reasons.map(\.fileName)
  }

  // MARK: Ends

  private func obstacle(toEndsFor reason: String) -> String? {
    if reason == TerminationReason.userForceQuit.fileName {
      return workload.user.forceQuits > 0 || workload.recording != nil
        ? nil : "the workload's user has no 'forceQuits'"
    }
    if reason == TerminationReason.cpuResourceLimit.fileName,
      !workload.apps.contains(where: \.usesProcessor)
    {
      return "no app has 'processor'"
    }
    if reason == TerminationReason.suspendedWithLockedFile.fileName,
      !workload.apps.contains(where: { $0.behavior != nil })
    {
      return "no app of a workload locks a file"
    }
    if policy.reasons(.end).contains(reason) { return nil }
    let isOfWorld =
      reason == TerminationReason.reboot.fileName
      || reason != TerminationReason.normalAppExit.fileName
        && CrashReason.terminations.map(\.fileName).contains(reason)
    // A closure may crash its app.
    if isOfWorld, workload.apps.contains(where: { $0.behavior != nil }) { return nil }
    return isOfWorld
      ? "no app of a workload crashes, and no device restarts"
      : "the policy '\(policy.name)' ends no process for '\(reason)'"
  }
}

extension WorkloadApp {
  /// Whether the app, or the simulated world on its behalf, may ever ask for a kind. For background
  /// tasks, only a task named `name` counts, or any task if `name` is empty.
  func asks(for kind: KindName, named name: String = "") -> Bool {
    if behavior != nil { return true }
    if kind == .finiteTask {
      return tasks.contains { $0.chance > 0 && (name.isEmpty || $0.name == name) }
    }
    return sessions.contains { $0.kind == kind && $0.chance > 0 }
      || wakes.contains {
        $0.kind == kind && ($0.perDay > 0 || $0.interval != nil || $0.earliest != nil)
      }
  }

  fileprivate var usesProcessor: Bool { behavior != nil || processor != nil }

  /// Whether a task named `name`, or any task if `name` is empty, loses its work when it
  /// is cut off.
  fileprivate func losesWork(named name: String) -> Bool {
    behavior != nil
      || tasks.contains {
        $0.chance > 0 && $0.unfinished == .lost && (name.isEmpty || $0.name == name)
      }
  }
}
