package import CurfewEngine
package import CurfewText

/// Creates all explanations; no other code does.
extension PolicyFile {
  /// Explains why `kind` was denied: one explanation for each reason, in the order of reasons; none
  /// if it was allowed.
  ///
  /// `next` is the instant from which a budget or an interval allows the kind.
  package func explanations(
    ofDenial denied: Denials, kind: KindName, next: Instant? = nil, in setting: Explanation.Setting
  ) -> [Explanation] {
    denied.each.map { reason in
      let others = others(reason, kind, setting)
      return Explanation(
        .denial(reason), in: setting, kind: kind, saidBy: fact(reason, kind, setting),
        others: others,
        remedy: isSwitch(reason)
          ? remedy(turningOn: others, reason) : remedy(ofDenial: reason, kind: kind),
        possibleFrom: reason.contains(.budget) || reason.contains(.interval) ? next : nil)
    }
  }

  /// Explains why a request of `kind` was refused.
  package func explanation(
    ofRefusal error: TaskRequestError, kind: KindName, in setting: Explanation.Setting
  ) -> Explanation {
    let path = path(ofRefusal: error, kind: kind, declaring: setting.manifest.modeNames)
    let gate = path.map { $0.hasSuffix(".requires") } ?? false
    let others =
      gate
      ? switches(setting).filter { $0.value != BackgroundRefreshStatus.available.fileName } : []
    let isUndeclared = error == .notPermitted && path != nil
    return Explanation(
      .refusal(error), in: setting, kind: kind,
      saidBy: path.map(fact) ?? manifestFact(error, setting),
      others: isUndeclared ? [modes(setting)] : others,
      remedy: gate
        ? remedy(turningOn: others, Denials(.backgroundRefreshDenied))
        : remedy(ofRefusal: error, kind: kind))
  }

  /// Explains a request that reached no engine, because its app is not running or the device
  /// is closed.
  package func explanation(ofUnheardRequest kind: KindName, in setting: Explanation.Setting)
    -> Explanation
  {
    Explanation(
      .refusal(.unavailable), in: setting, kind: kind, saidBy: Explanation.Fact(.app, "notRunning"),
      remedy: "Submit it while the app runs.")
  }

  /// Explains why a process ended.
  package func explanation(of end: Explanation.End, in setting: Explanation.Setting) -> Explanation
  {
    let isCutShort =
      end.reason == .backgroundTaskAssertionTimeout
      && end.expiration.map { $0 != .timeLimit } ?? false
    let rule = isCutShort ? cut(end, setting) : fact(end, setting)
    return Explanation(
      .termination(end.reason), in: setting, kind: end.kind, saidBy: end.late.map(lateness) ?? rule,
      others: end.late == nil ? others(end, setting) : [rule],
      expiration: isCutShort ? end.expiration : nil,
      remedy: end.late == nil ? nil : remedy(ofLateEndOf: end.kind))
  }

  /// Explains why a diagnostic was reported.
  package func explanation(of diagnostic: Diagnostic, in setting: Explanation.Setting)
    -> Explanation
  {
    let fact =
      switch diagnostic {
      case .slowLaunch: fact("limits.launchWarning")
      case .taskTooOld: fact("tasks.ageWarning")
      case .overCapacity: memory(setting)
      case .unknownTask: Explanation.Fact(.app, "endTask")
      case .illegalEvent: Explanation.Fact(.host, Explanation.Fact.illegalEvent)
      case .deliveredInForeground: Explanation.Fact(.app, "runLoop")
      case .stillOpenAfterExpiration: fact("tasks.warning")
      case .notificationDropped: fact("notifications.names")
      case .alreadyCompleted: Explanation.Fact(.app, "completeWake")
      case .slowDidEnterBackground: fact("limits.didEnterBackgroundWarning")
      case .runsWithoutAssertion: fact("limits.withoutAssertionWarning")
      }
    return Explanation(.diagnostic(diagnostic), in: setting, saidBy: fact)
  }

  /// Explains why a step was illegal, with the step's own place. Without an `objection` the
  /// explanation says only that the step was illegal.
  package func explanation(
    ofIllegalStep objection: IllegalEventReason?, at place: SourcePlace?,
    in setting: Explanation.Setting
  ) -> Explanation {
    let (key, place) = (
      objection?.fileName ?? Explanation.Fact.illegalEvent,
      place.map { Explanation.Place.at($0) } ?? .nowhere
    )
    return Explanation(
      .diagnostic(.illegalEvent), in: setting, saidBy: Explanation.Fact(.host, key, nil, place))
  }

  /// Explains a memory warning.
  package func explanationOfMemoryWarning(in setting: Explanation.Setting) -> Explanation {
    Explanation(
      .memoryWarning, in: setting, saidBy: fact("memory.warning"), others: [memory(setting)])
  }

  // MARK: Facts behind a reason

  private func fact(_ reason: Denials, _ kind: KindName, _ setting: Explanation.Setting)
    -> Explanation.Fact
  {
    if reason.contains(.exitsOnSuspend) { return exitsOnSuspend(setting) }
    if reason.contains(.budget), let first = facts(ofBudgetsOf: kind, full: reason.budgets).first {
      return first
    }
    if let path = path(ofDenial: reason, kind: kind) { return fact(path) }
    return switch reason.reasons {
    case .forceQuit: Explanation.Fact(.user, "forceQuit")
    case .beforeFirstUnlock: Explanation.Fact(.device, "beforeFirstUnlock")
    default: Explanation.Fact(.app, reason.description)
    }
  }

  private func fact(_ end: Explanation.End, _ setting: Explanation.Setting) -> Explanation.Fact {
    switch end.reason {
    case .oomKill: return Explanation.Fact(.device, end.reason.fileName)
    case .signal: return Explanation.Fact(.app, end.reason.fileName, end.exit?.value)
    case .spawnFailed, .hostFailure:
      return Explanation.Fact(.host, end.reason.fileName, end.exit?.value)
    case .abnormalExit where end.exit != nil:
      return Explanation.Fact(.app, Explanation.Fact.exitStatus, end.exit?.value)
    default: if end.isByItself { return Explanation.Fact(.app, "crash") }
    }
    switch end.reason {
    case .memoryPressure:
      return policy.memory.purgeAbove < 100 ? fact("memory.purgeAbove") : memory(setting)
    case .memoryResourceLimit:
      if let limit = setting.manifest.memoryLimit {
        return Explanation.Fact(
          .manifest, "memoryLimit", SizeText.write(limit), setting.manifestPlace)
      }
    case .normalAppExit where policy.multitasking && setting.manifest.exitsOnSuspend:
      return exitsOnSuspend(setting)
    case .backgroundTaskAssertionTimeout where end.limit == .length:
      if let length = end.ownLength { return .delivered(length: length) }
    default: break
    }
    if let path = path(
      ofTermination: end.reason, kind: end.kind, limit: end.limit, during: end.callback)
    {
      return fact(path)
    }
    return switch end.reason {
    case .userForceQuit: Explanation.Fact(.user, "forceQuit")
    case .reboot: Explanation.Fact(.device, "reboot")
    default: Explanation.Fact(.app, "crash")
    }
  }

  /// The host's lateness, which is the fact behind an end without a timely warning.
  private func lateness(_ late: Interval) -> Explanation.Fact {
    Explanation.Fact(.host, Explanation.Fact.late, DurationText.write(late))
  }

  private func remedy(ofLateEndOf kind: KindName?) -> String {
    let isSpared = kind != .finiteTask || policy.tasks.whenLate == .extend
    return
      "Keep the host's process running\(isSpared ? "" : ", or set 'tasks.whenLate' to extend")."
  }

  /// The fact that cut a grant short: `tasks.thermalExpiry` if heat ended the grant and the policy
  /// has that value, else the host.
  private func cut(_ end: Explanation.End, _ setting: Explanation.Setting) -> Explanation.Fact {
    if end.expiration == .thermal, let limit = policy.tasks.thermalExpiry,
      setting.device.thermal >= limit
    {
      return fact("tasks.thermalExpiry")
    }
    return Explanation.Fact(.host, "expireTasks")
  }

  package func fact(_ path: String) -> Explanation.Fact { fact(path, value: entry(path)?.text) }

  /// - Parameter value: The part of the value that decides.
  func fact(_ path: String, value: String?) -> Explanation.Fact {
    let entry = entry(path)
    return Explanation.Fact(
      .policy, path, value, place(of: path).map { .at($0) } ?? .file(file),
      confidence: entry?.confidence)
  }

  private func memory(_ setting: Explanation.Setting) -> Explanation.Fact {
    guard let memory = setting.device.memory else { return fact("memory.capacity") }
    return Explanation.Fact(
      .device, Explanation.Fact.memory, SizeText.write(memory), setting.devicePlace)
  }

  /// Further values that decide which apps are purged, and how many.
  private func others(_ end: Explanation.End, _ setting: Explanation.Setting) -> [Explanation.Fact]
  {
    guard end.reason == .memoryPressure, !end.isByItself else { return [] }
    let rules = policy.memory
    return (rules.purgeAbove < 100 ? [memory(setting)] : [])
      + (rules.purgeTo == nil ? [] : [fact("memory.purgeTo")])
      + (rules.purge == .largest ? [] : [fact("memory.purge")])
  }

  private func manifestFact(_ error: TaskRequestError, _ setting: Explanation.Setting)
    -> Explanation.Fact
  {
    guard error == .notPermitted else { return Explanation.Fact(.app, error.fileName) }
    if setting.manifest.exitsOnSuspend { return exitsOnSuspend(setting) }
    return Explanation.Fact(
      .manifest, Explanation.Fact.permittedIdentifiers, nil, setting.manifestPlace)
  }

  private func exitsOnSuspend(_ setting: Explanation.Setting) -> Explanation.Fact {
    Explanation.Fact(.manifest, Explanation.Fact.exitsOnSuspend, "true", setting.manifestPlace)
  }

  private func modes(_ setting: Explanation.Setting) -> Explanation.Fact {
    Explanation.Fact(
      .manifest, "backgroundModes",
      setting.manifest.modeNames.isEmpty
        ? "none" : setting.manifest.modeNames.joined(separator: ", "),
      setting.manifestPlace)
  }

  // MARK: Further facts

  private func others(_ reason: Denials, _ kind: KindName, _ setting: Explanation.Setting)
    -> [Explanation.Fact]
  {
    let device = setting.device
    if let name = reason.facts.first { return [fact(behind: name, setting)] }
    switch reason.reasons {
    case .modeNotDeclared: return [modes(setting)]
    case .backgroundRefreshDenied:
      return switches(setting).filter { $0.value == BackgroundRefreshStatus.denied.fileName }
    case .backgroundRefreshRestricted:
      return switches(setting).filter { $0.value == BackgroundRefreshStatus.restricted.fileName }
    case .budget where kind != .finiteTask:
      return Array(facts(ofBudgetsOf: kind, full: reason.budgets).dropFirst())
    case .lowBattery:
      return [
        fact("lowBattery"),
        Explanation.Fact(.device, "battery", "\(device.battery)%", setting.devicePlace),
      ]
    default:
      guard let (fact, isMissing) = StandardFact.behind(reason.reasons) else { return [] }
      return [Explanation.Fact(.device, fact.row.name, "\(!isMissing)", setting.devicePlace)]
    }
  }

  /// The failed fact, with its owner and its value.
  private func fact(behind name: String, _ setting: Explanation.Setting) -> Explanation.Fact {
    let key = policy.names.fact(behind: name)
    let value = key == name ? "true" : "false"
    if policy.names.fact(key).map(policy.facts.ofApps.isSuperset) ?? false {
      return Explanation.Fact(.manifest, key, value, setting.manifestPlace)
    }
    return Explanation.Fact(.device, key, value, setting.devicePlace)
  }

  private func switches(_ setting: Explanation.Setting) -> [Explanation.Fact] {
    let key = Explanation.Fact.refreshSwitch
    return [
      Explanation.Fact(
        .manifest, key, setting.manifest.backgroundRefresh.fileName, setting.manifestPlace),
      Explanation.Fact(
        .device, key, setting.device.backgroundRefresh.fileName, setting.devicePlace),
    ]
  }

  private func isSwitch(_ reason: Denials) -> Bool {
    reason.contains(.backgroundRefreshDenied) || reason.contains(.backgroundRefreshRestricted)
  }

  /// Returns the remedy, which names only these switches.
  private func remedy(turningOn switches: [Explanation.Fact], _ reason: Denials) -> String {
    let denied = switches.filter { $0.value == BackgroundRefreshStatus.denied.fileName }
    guard reason.contains(.backgroundRefreshDenied), switches.isEmpty || !denied.isEmpty else {
      return remedy(ofDenial: DenialReasons.backgroundRefreshRestricted, kind: .finiteTask)
    }
    let names = denied.map { $0.owner == .device ? "the device" : "the app" }
    return
      "Turn Background App Refresh on for \(names.isEmpty ? "the app and the device" : names.joined(separator: " and "))."
  }
}

extension Explanation.Fact {
  static let exitsOnSuspend = "exitsOnSuspend"
  static let late = "late"
  static let exitStatus = "exitStatus"
  static let permittedIdentifiers = "permittedIdentifiers"
  static let illegalEvent = "illegalEvent"
  static let deliveredLength = "length"
  static let deliveredWarning = "warning"

  /// The length of a wake, named by its delivery (rule W7).
  package static func delivered(length: Interval) -> Explanation.Fact {
    Explanation.Fact(.host, deliveredLength, DurationText.write(length), .unwritten)
  }

  /// The time between a wake's warning and its end, named by its delivery (rule W7).
  package static func delivered(warning: Interval) -> Explanation.Fact {
    Explanation.Fact(.host, deliveredWarning, DurationText.write(warning), .unwritten)
  }

  /// The value in words, if a wake's delivery named it; otherwise nil.
  package var wordsOfDelivery: String? {
    guard owner == .host, [Self.deliveredLength, Self.deliveredWarning].contains(key) else {
      return nil
    }
    return "its delivery named a \(key) of \(value.map(DurationText.readable) ?? "")"
  }
}

extension Explanation {
  init(
    _ reason: Reason, in setting: Setting, kind: KindName? = nil, saidBy fact: Fact,
    others: [Fact] = [],
    expiration: ExpirationReason? = nil, remedy: String? = nil, possibleFrom: Instant? = nil
  ) {
    self.reason = reason
    app = setting.app
    self.kind = kind
    self.fact = fact
    self.others = others
    self.expiration = expiration
    self.remedy = remedy
    self.possibleFrom = possibleFrom
  }
}
