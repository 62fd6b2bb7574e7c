import CurfewEngine

/// Reading timelines and the lists of an app's own calls.
extension ScenarioReader {
  mutating func timeline(_ node: SourceNode?, _ policy: PolicyFile?) -> [TimelineStep] {
    var steps: [TimelineStep] = []
    var previous: (at: Instant, node: SourceNode)?
    for node in node?.elements ?? [] {
      guard let place = node["at"], let at = place.instant else {
        _ = action(node, policy)
        continue
      }
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
      return .beginTask(label: begin(label, of: app), length: node["for"]?.interval, handler: handler(node["handler"], of: app))
    case "endTask":
      guard let label = node["task"], let text = label.text else { return nil }
      return .endTask(label: end(text, of: app, at: label.place))
    case "startSession": return session(node).map(Call.startSession)
    case "stopSession": return session(node).map(Call.stopSession)
    case "completeWake":
      return .completeWake(
        node["kind"]?.text.flatMap(AssertionKind.init(fileName:)), node["result"]?.text.flatMap(WakeResult.init(fileName:)))
    case "crash": return .crash(node["reason"]?.text.flatMap(CrashReason.init(fileName:)))
    case "probe": return .probe
    default: return nil
    }
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

extension SourceNode {
  /// A time of the timeline.
  var instant: Instant? { interval.map { Instant(nanoseconds: $0.nanoseconds) } }
  var interval: Interval? { text.flatMap { try? DurationText.read($0) } }
  var size: Int64? { text.flatMap { try? SizeText.read($0) } }
  var percentage: Int64? { text.flatMap { try? PercentageText.read($0) } }
  var flag: Bool? { text.flatMap { try? BooleanText.read($0) } }
}
