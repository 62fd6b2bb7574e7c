import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Reads timelines and the lists of an app's own calls.
extension ScenarioReader {
  mutating func timeline(_ node: SourceNode?, _ policy: PolicyFile?) -> [TimelineStep] {
    var steps: [TimelineStep] = []
    var previous: (at: Instant, node: SourceNode)?
    for node in node?.elements ?? [] {
      guard let place = node["at"], let at = instant(place) else {
        _ = step(node, policy)
        continue
      }
      checkReach(of: node, at: at)
      if let previous, at < previous.at {
        let before =
          "'\(previous.node.text ?? "")' of the step before (line \(previous.node.place.line))"
        findings.error(
          at: place.place, "time goes backwards: '\(place.text ?? "")' after \(before)")
      }
      previous = (at, place)
      guard let step = step(node, policy) else { continue }
      steps.append(TimelineStep(at: at, step: step))
    }
    return steps
  }

  private mutating func step(_ node: SourceNode, _ policy: PolicyFile?) -> Step? {
    let app = node["app"].flatMap { self.app(named: $0) }
    guard let verb = verb(of: node) else { return nil }
    switch verb.row.subject {
    case .required where app == nil: return nil
    case .inFront where app == nil && node["app"] == nil:
      // If several apps can be in the foreground, the step must name one.
      guard let policy, policy.policy.foregroundLimit != 1 else { break }
      let number = policy.policy.foregroundLimit.map(String.init) ?? "any number of"
      findings.error(
        at: node.place,
        "'\(verb.name)' needs 'app': the policy '\(policy.name)' lets \(number) apps be in the foreground"
      )
      return nil
    case .none, .required, .inFront, .optional: break
    }
    return step(node, verb, app)
  }

  /// The steps of a list that belongs to `app`.
  mutating func ownCalls(_ node: SourceNode, of app: AppID) -> [Step] {
    node.elements.compactMap { element in
      guard let verb = verb(of: element), verb.isOwnCall else { return nil }
      return step(element, verb, app)
    }
  }

  private func verb(of node: SourceNode) -> InputVerb? {
    guard let verb = node["do"]?.text.flatMap(InputVerb.named), verb.row.speaker != .host else {
      return nil
    }
    return verb
  }

  private mutating func step(_ node: SourceNode, _ verb: InputVerb, _ app: AppID?) -> Step {
    var deed = EngineInput(verb)
    verb.row.values.read(node, into: &deed)
    checkNames(of: deed, node)
    if verb == .setDevice {
      checkSizes(node)
      if node.pairs.allSatisfy({ ["at", "do"].contains($0.key) }) {
        findings.error(
          at: node.place, "'setDevice' needs at least one fact: \(ScenarioSchema.changeNames)")
      }
    }
    // A value that could not be read has been reported.
    if verb == .crash, let problem = deed.crashProblem,
      verb.row.values.allSatisfy({ node[$0.name] == nil || $0.write(deed) != nil })
    {
      findings.error(at: node.place, problem)
    }
    names.notePost(deed)
    var handler: [Step] = []
    if let app {
      if let node = node["handler"], verb == .beginTask {
        if case .list = node.content {
          handler = ownCalls(node, of: app)
        } else {
          deed.handler = .absent
        }
      }
      names.note(
        deed, of: app, at: verb.row.values.first.flatMap { node[$0.name] }?.place ?? node.place)
    }
    return Step(
      place: node.place, app: app, deed, length: verb == .beginTask ? node["for"]?.interval : nil,
      handler: handler)
  }
}
