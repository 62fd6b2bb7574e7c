package import CurfewEngine

/// An engine in the middle of a run that answers questions about an app. It is a copy, so
/// a question changes nothing in the run.
package final class AskedEngine {
  private let policy: PolicyFile
  private let app: AppID
  private let kind: AssertionKind
  private let driver: Driver
  /// The question that describes the engine's current state.
  package let question: AdmissionQuestion

  /// The engine's answer to a question.
  package enum Reply: Hashable, Sendable {
    /// The denials; empty if admitted. If a budget denies, `next` is the instant at which it has
    /// room again.
    case decision(Denials, next: Instant?)
    /// The kind cannot be requested: the app is not running, or the session is already on.
    case senseless(IllegalEventReason)
  }

  /// Copies the engine of `driver`, to be asked about `kind` for `app`.
  ///
  /// - Precondition: `policy` is the engine's policy and knows `kind`.
  /// - Complexity: O(apps + assertions + deadlines).
  package init(
    _ kind: KindName, for app: AppID, in driver: borrowing Driver, under policy: PolicyFile
  ) {
    guard let number = policy.policy.names.kind(kind) else {
      preconditionFailure("The policy '\(policy.name)' does not know the kind '\(kind)'")
    }
    (self.policy, self.app, self.kind) = (policy, app, number)
    self.driver = driver.copy()
    question = AdmissionQuestion(kind, app, in: self.driver.engine)
  }

  /// The instant of the question.
  package var instant: Instant { driver.now }

  /// Returns the reply that the engine would give in the state that `changed` describes. Everything
  /// that `changed` does not describe stays as it is.
  package func reply(to changed: AdmissionQuestion) -> Reply {
    var copy = driver.copy()
    if changed != question { copy.change(app, from: question, to: changed, under: policy.policy) }
    return reply(copy)
  }

  /// The first instant at which the kind is admitted, if the state is the one that `changed`
  /// describes and nothing else happens. Nil if the kind is admitted now, or if waiting does
  /// not help.
  ///
  /// The search repeats the question at each instant for which the engine promises room, and after
  /// each step that the engine takes by itself before that instant.
  /// - Complexity: O(steps), each of which copies the engine; a few hundred at most.
  package func possibleFrom(as changed: AdmissionQuestion) -> Instant? {
    guard case .decision(let denied, let promised) = reply(to: changed), !denied.isEmpty else {
      return nil
    }
    var ahead = driver.copy()
    if changed != question { ahead.change(app, from: question, to: changed, under: policy.policy) }
    ahead.settle()
    for _ in 0..<AskedEngine.mostSteps {
      guard case .decision(let denied, let next) = reply(ahead) else { return nil }
      if denied.isEmpty { return ahead.now }
      let step = ahead.hasOnlyStarts && next == nil ? nil : ahead.nextInstant
      guard
        let instant = [next.flatMap { $0 > ahead.now ? $0 : nil }, step].compactMap(\.self).min()
      else { return nil }
      if ahead.step(until: instant) { ahead.settle() } else { ahead.move(to: instant) }
    }
    // The run has more steps than the search follows. If only a budget or an interval denies,
    // the instant in the first reply is the best known answer.
    return denied.each.allSatisfy { $0.contains(.budget) || $0.contains(.interval) }
      ? promised : nil
  }

  /// The greatest number of steps that a search follows. A run has more only if other apps are
  /// woken again and again.
  private static let mostSteps = 500

  private func reply(_ driver: borrowing Driver) -> Reply {
    var copy = driver.copy()
    while copy.pull() != nil {}
    let event: Event =
      switch policy.policy.names.class(of: kind) {
      case .task: .beginTask(app, label: 0, handler: .absent)
      case .session: .startSession(app, kind)
      case .wake: .deliver(app, kind)
      }
    if case .decision(_, let denied, let next) = copy.ask(event) {
      return .decision(policy.policy.denials(denied, of: kind), next: next)
    }
    while let item = copy.pull() {
      if case .action(.illegalEvent(_, let objection)) = item { return .senseless(objection) }
    }
    return .decision(Denials(), next: nil)
  }
}

extension AdmissionQuestion {
  /// Creates the question that describes an engine's state.
  fileprivate init(_ kind: KindName, _ app: AppID, in engine: borrowing Engine) {
    let (standing, names) = (engine.standing(of: app), engine.policy.names)
    var manifest = AppManifest(
      exitsOnSuspend: standing.exitsOnSuspend, backgroundRefresh: standing.backgroundRefresh)
    for mode in names.names(of: standing.modes) { manifest.declare(mode) }
    manifest.facts = NamedFacts(standing.facts, names)
    var device = engine.deviceFacts
    device.declared = FactValues()
    let presence: Presence =
      if standing.isInFront {
        .inFront
      } else if standing.state != .notRunning {
        .suspended
      } else {
        standing.isForceQuit
          ? .forceQuit : engine.hasBeenUnlocked ? .notRunning : .beforeFirstUnlock
      }
    let attendance: Attendance =
      presence == .inFront || !engine.hasBeenUnlocked
      ? .nobody : engine.isLocked ? .locked : engine.isUserPresent ? .somebody : .nobody
    self.init(
      kind, app: manifest, presence: presence, attendance: attendance, device: device,
      facts: NamedFacts(engine.deviceFacts.declared, names)
    )
    state = standing.state
  }
}

extension Driver {
  /// Applies the difference between `question` and `changed`.
  fileprivate mutating func change(
    _ app: AppID, from question: AdmissionQuestion, to changed: AdmissionQuestion,
    under policy: Policy
  ) {
    let names = policy.names
    settle()
    if (changed.app.modeNames, changed.app.exitsOnSuspend) != (
      question.app.modeNames, question.app.exitsOnSuspend
    ) {
      let modes = changed.app.modeNames.compactMap(names.mode).reduce(into: BackgroundModes()) {
        $0.formUnion($1)
      }
      redeclare(app, modes: modes, exitsOnSuspend: changed.app.exitsOnSuspend)
    }
    if changed.app.backgroundRefresh != question.app.backgroundRefresh {
      settle(.setRefresh(app, changed.app.backgroundRefresh))
    }
    for fact in changed.app.facts.names where changed.app.facts[fact] != question.app.facts[fact] {
      guard let holds = changed.app.facts[fact], let number = names.fact(fact),
        policy.facts.ofApps.isSuperset(of: number)
      else { continue }
      settle(.setFact(app, number, holds: holds))
    }
    var device = changed.device
    device.declared = changed.facts.numbered(names)
    if device != engine.deviceFacts { settle(.setDevice(device)) }
    guard (changed.presence, changed.attendance) != (question.presence, question.attendance) else {
      return
    }
    let other = addApp()
    for event in question.events(leadingTo: changed, app, beside: other) { settle(event) }
  }
}

extension AdmissionQuestion {
  /// The events that lead an app and its user from this question's state to the state of `other`.
  fileprivate func events(leadingTo other: AdmissionQuestion, _ app: AppID, beside another: AppID)
    -> [Event]
  {
    var events: [Event] = isLocked && other.presence != .beforeFirstUnlock ? [.unlock] : []
    if other.presence != presence {
      events +=
        other.presence == .notRunning
        ? [.launch(app), .crash(app, .normalAppExit)] : other.arrival(app)
    }
    guard other.presence != .inFront, other.presence != .beforeFirstUnlock else { return events }
    switch other.attendance {
    case .nobody: events += [.launch(another), .home(another)]
    case .somebody: events.append(.launch(another))
    case .locked: events.append(.lock)
    }
    return events
  }
}
