import CurfewEngine
import CurfewPolicy
import CurfewText

/// Reading timelines and the lists of an app's own calls.
extension ScenarioReader {
  mutating func timeline(_ node: SourceNode?, _ policy: PolicyFile?) -> [TimelineStep] {
    var steps: [TimelineStep] = []
    var previous: (at: Instant, node: SourceNode)?
    for node in node?.elements ?? [] {
      guard let place = node["at"], let at = instant(place) else {
        _ = action(node, policy)
        continue
      }
      checkReach(of: node, at: at)
      if let previous, at < previous.at {
        let before = "'\(previous.node.text ?? "")' of the step before (line \(previous.node.place.line))"
        findings.error(at: place.place, "time goes backwards: '\(place.text ?? "")' after \(before)")
      }
      previous = (at, place)
      guard let action = action(node, policy) else { continue }
      steps.append(TimelineStep(at: at, step: Step(place: node.place, action: action)))
    }
    return steps
  }

  private mutating func action(_ node: SourceNode, _ policy: PolicyFile?) -> Step.Action? {
    let app = node["app"].flatMap { self.app(named: $0) }
    switch node["do"]?.text {
    case "launch": return app.map(Step.Action.launch)
    case "forceQuit": return app.map(Step.Action.forceQuit)
    case "lock": return .lock
    case "unlock": return .unlock
    case "reboot": return .reboot
    case "home": return inFront(node, app, policy).map { .home($0.app) }
    case "interrupt": return inFront(node, app, policy).map { .interrupt($0.app) }
    case "acceptInterruption": return inFront(node, app, policy).map { .acceptInterruption($0.app) }
    case "ignoreInterruption": return inFront(node, app, policy).map { .ignoreInterruption($0.app) }
    case "expireTasks": return .expireTasks(app, node["reason"]?.text.flatMap(ExpirationReason.init(fileName:)))
    case "deliver":
      guard let app, let kind = node["kind"]?.text.flatMap(AssertionKind.init(fileName:)) else { return nil }
      return .deliver(app, kind)
    case "setRefresh":
      return node["status"]?.text.flatMap(BackgroundRefreshStatus.init(fileName:)).map { .setRefresh(app, $0) }
    case "setDevice": return deviceChange(node)
    case "post":
      guard let name = node["name"]?.text else { return nil }
      return .post(app, name: texts.index(of: name), value: node["value"]?.text.map { texts.index(of: $0) })
    default:
      guard let app else { return nil }
      return call(node, of: app).map { .call(app, $0) }
    }
  }

  /// The app in front that a step is about. Where several can be in front the step has to say which.
  private mutating func inFront(_ node: SourceNode, _ app: AppID?, _ policy: PolicyFile?) -> (app: AppID?, Void)? {
    if app == nil, node["app"] == nil, let policy, policy.policy.foregroundLimit != 1 {
      let verb = node["do"]?.text ?? ""
      let number = policy.policy.foregroundLimit.map(String.init) ?? "any number of"
      findings.error(at: node.place, "'\(verb)' needs 'app': the policy '\(policy.name)' lets \(number) apps be in the foreground")
      return nil
    }
    return (app, ())
  }

  /// The steps of a list that belongs to `app`.
  mutating func ownCalls(_ node: SourceNode, of app: AppID) -> [Step] {
    node.elements.compactMap { element in
      call(element, of: app).map { Step(place: element.place, action: .call(app, $0)) }
    }
  }

  private mutating func call(_ node: SourceNode, of app: AppID) -> Call? {
    switch node["do"]?.text {
    case "beginTask":
      guard let label = node["task"]?.text else { return nil }
      let index = texts.make(.task, label, of: app)
      return .beginTask(label: index, length: node["for"]?.interval, handler: handler(node["handler"], of: app))
    case "endTask": return meant(.task, node["task"], of: app).map { .endTask(label: $0) }
    case "startSession": return session(node).map(Call.startSession)
    case "stopSession": return session(node).map(Call.stopSession)
    case "completeWake":
      return .completeWake(
        node["kind"]?.text.flatMap(AssertionKind.init(fileName:)), node["result"]?.text.flatMap(WakeResult.init(fileName:)))
    case "setFootprint": return node["footprint"]?.size.map(Call.setFootprint)
    case "lockFile": return .lockFile
    case "unlockFile": return .unlockFile
    case "useCPU":
      guard let share = node["share"]?.text.flatMap({ try? ShareText.read($0) }), let length = node["for"]?.interval else { return nil }
      return .useCPU(share: share, length: length)
    case "setMinimumFetchInterval": return interval(node["interval"]).map { .setMinimumFetchInterval($0.interval) }
    case "setKeepAlive": return interval(node["interval"]).map { .setKeepAlive($0.interval) }
    case "submitTask": return request(node, of: app).map(Call.submitTask)
    case "cancelTask": return meant(.request, node["identifier"], of: app).map { .cancelTask(identifier: $0) }
    case "scheduleNotification":
      guard let id = node["id"]?.text.map({ texts.make(.notification, $0, of: app) }), let wait = node["in"]?.interval else { return nil }
      return .scheduleNotification(id: id, after: wait)
    case "cancelNotification": return meant(.notification, node["id"], of: app).map { .cancelNotification(id: $0) }
    case "crash": return .crash(node["reason"]?.text.flatMap(CrashReason.init(fileName:)))
    case "probe": return .probe
    default: return nil
    }
  }

  private mutating func meant(_ sort: ScenarioTexts.Sort, _ node: SourceNode?, of app: AppID) -> UInt32? {
    guard let node, let text = node.text else { return nil }
    return texts.mean(sort, text, of: app, at: node.place)
  }

  private mutating func request(_ node: SourceNode, of app: AppID) -> TaskRequest? {
    guard let identifier = node["identifier"]?.text.map({ texts.make(.request, $0, of: app) }),
      let kind = node["kind"]?.text.flatMap(AssertionKind.init(fileName:))
    else { return nil }
    return TaskRequest(
      identifier: identifier, kind: kind, earliest: node["earliest"]?.interval ?? .zero,
      requiresNetwork: node["requiresNetwork"]?.flag ?? false, requiresPower: node["requiresPower"]?.flag ?? false)
  }

  /// A duration, or nil for never; nothing at all where it is neither.
  private func interval(_ node: SourceNode?) -> (interval: Interval?, Void)? {
    if node?.text == IntervalText.never { return (nil, ()) }
    return node?.interval.map { ($0, ()) }
  }

  private mutating func deviceChange(_ node: SourceNode) -> Step.Action {
    if node.pairs.allSatisfy({ ["at", "do"].contains($0.key) }) {
      findings.error(at: node.place, "'setDevice' needs a fact at least: \(ScenarioSchema.changeNames)")
    }
    return .setDevice(change(node))
  }

  private mutating func handler(_ node: SourceNode?, of app: AppID) -> Call.Handler {
    guard let node else { return .default }
    if case .list = node.content { return .steps(ownCalls(node, of: app)) }
    return .none
  }

  private func session(_ node: SourceNode) -> AssertionKind? {
    node["mode"]?.text.flatMap(AssertionKind.init(fileName:))
  }
}
