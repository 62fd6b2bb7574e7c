package import CurfewEngine

/// An engine in the middle of a run, to be asked about an app: a copy, so that nothing of the run
/// changes by being asked.
package final class AskedEngine {
  private let policy: PolicyFile
  private let app: AppID
  private let kind: AssertionKind
  private let driver: Driver
  /// What is so: the question that the engine stands for.
  package let question: AdmissionQuestion

  /// What the engine says to a question.
  package enum Reply: Hashable, Sendable {
    /// This denies it, or nothing does. `next` is from when a budget that does has room.
    case decision(Denials, next: Instant?)
    /// It cannot be asked for: the app does not run, the session is on already.
    case senseless(Objection)
  }

  /// The engine of `driver` as it stands, to be asked about `kind` for `app`.
  ///
  /// - Precondition: The policy is the engine's and knows the kind.
  /// - Complexity: O(apps + assertions + deadlines).
  package init(
    _ kind: KindName, for app: AppID, in driver: borrowing Driver, under policy: PolicyFile
  ) {
    guard let number = policy.policy.names.kind(kind) else {
      preconditionFailure("The policy '\(policy.name)' knows no kind '\(kind)'")
    }
    (self.policy, self.app, self.kind) = (policy, app, number)
    self.driver = driver.copy()
    question = AdmissionQuestion(kind, app, in: self.driver.engine)
  }

  /// When it is asked.
  package var instant: Instant { driver.now }

  /// What it says where everything is as `question` says, and else as it is.
  package func reply(to changed: AdmissionQuestion) -> Reply {
    var copy = driver.copy()
    if changed != question { copy.change(app, from: question, to: changed, under: policy.policy) }
    return reply(copy)
  }

  /// The first instant at which it is admitted if everything is as `question` says from now on,
  /// and nobody does anything; nil where time alone does not help, or nothing stands against it.
  ///
  /// Looked for where the engine says that there is room again, and after each step that it takes
  /// of itself until then.
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
    // So much else happens that it was not followed to the end. Where a budget or an interval
    // is all that denies, what it says is the best that is known.
    return denied.each.allSatisfy { $0.contains(.budget) || $0.contains(.interval) }
      ? promised : nil
  }

  /// More happens of itself only where other apps are woken again and again.
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
  /// What is so in an engine, as a question has it.
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
  /// Makes so what `changed` says and `question` does not.
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
  /// What brings an app and its user from where this question has them to where `other` has them.
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
