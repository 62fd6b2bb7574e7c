public import CurfewEngine

/// The answer of a policy to a question: whether the kind is admitted, each condition that was
/// checked, and the smallest changes that would reverse the answer.
///
/// `PolicyFile.answer(to:)` creates answers. An engine decides the admission; the policy's rows
/// only tell which conditions exist.
public struct AdmissionAnswer: Hashable, Sendable {
  /// The question.
  public let question: AdmissionQuestion
  /// All reasons that deny the kind; empty if it is admitted.
  public let denials: Denials
  /// The conditions that were checked, in the order of reasons.
  public let conditions: [Condition]
  /// The smallest sets of changes that reverse the answer, smaller sets first, at most twenty. Each
  /// set was tried on an engine, and no subset of it suffices. Values of the policy change only if
  /// nothing else helps. If the kind is admitted, these are the sets of at most two changes that
  /// would deny it.
  public let changes: [[AdmissionChange]]
  /// The instant of the question, if it was put to a run; nil for a question without a run, before
  /// anything has happened.
  public var instant: Instant?
  /// The instant from which the kind is admitted if nothing else happens; nil if time alone does
  /// not help, or if the kind is already admitted.
  public var possibleFrom: Instant?

  /// Whether the kind is admitted.
  public var isAllowed: Bool { denials.isEmpty }

  /// A condition of the admission.
  public struct Condition: Hashable, Sendable {
    /// The subject: a fact, `state`, `modes`, or a value of the policy.
    public let name: String
    /// The state of the subject: `true`, `notRunning`, `fetch, audio`.
    public let value: String
    /// The rule behind the condition, with its value and its place; nil if no value is behind it.
    public let rule: Explanation.Fact?
    /// The explanation of the denial, with a remedy; nil if the condition is met.
    public let explanation: Explanation?

    /// Whether the condition is met.
    public var passes: Bool { explanation == nil }
  }
}

extension PolicyFile {
  /// Tells whether the question's kind is admitted, why, and which changes would reverse that.
  ///
  /// - Precondition: The policy knows the kind. In a question about a task or a session the app
  ///   is in front, because an app that is not running cannot request either.
  /// - Complexity: Asks a few hundred engines, which takes milliseconds.
  public func answer(to question: AdmissionQuestion) -> AdmissionAnswer {
    precondition(
      policy.names.kind(question.kind) != nil,
      "The policy '\(name)' does not know the kind '\(question.kind)'")
    let denials = self.denials(of: question)
    let possible = self.denials(possibleFor: question.kind, and: denials)
    return AdmissionAnswer(
      question: question, denials: denials, conditions: conditions(of: question, possible, denials),
      changes: ChangeSearch.sets(self, question, about: possible) {
        self.denials(of: question, after: $0)
      })
  }

  /// Tells whether `run` would admit the question's kind in the state that the question describes,
  /// if the rest of the run stayed as it is. Also tells why, which changes would reverse the
  /// answer, and from when on the kind would be admitted.
  /// - Returns: nil if the kind cannot be requested.
  package func answer(to question: AdmissionQuestion, in run: AskedEngine) -> AdmissionAnswer? {
    guard case .decision(let denials, let next) = run.reply(to: question) else { return nil }
    var possible = self.denials(possibleFor: question.kind, and: denials)
    if mayDeny(.budget, question.kind), !possible.contains(.budget) { possible.append(.budget) }
    let changes = ChangeSearch.sets(self, question, about: possible, inRun: true) { changes in
      if case .decision(let denied, _) = run.reply(to: question.changed(by: changes)) {
        denied
      } else {
        nil
      }
    }
    return AdmissionAnswer(
      question: question, denials: denials,
      conditions: conditions(of: question, possible, denials, next), changes: changes,
      instant: run.instant, possibleFrom: run.possibleFrom(as: question))
  }

  private func denials(possibleFor kind: KindName, and denied: Denials) -> [Denials] {
    let possible = denials(possibleFor: kind)
    return possible + denied.each.filter { denial in !possible.contains { $0 == denial } }
  }

  /// Returns a condition for each possible reason. The two positions of a switch that is off share
  /// one condition.
  private func conditions(
    of question: AdmissionQuestion, _ possible: [Denials], _ denied: Denials, _ next: Instant? = nil
  ) -> [AdmissionAnswer.Condition] {
    let setting = Explanation.Setting(manifest: question.app, device: question.device)
    return possible.compactMap { reason in
      let isDenied = denied.each.contains(reason)
      // A switch has one condition: its restricted position replaces its denied one.
      if reason == .backgroundRefreshRestricted, !isDenied { return nil }
      if reason == .backgroundRefreshDenied, !isDenied,
        denied.contains(.backgroundRefreshRestricted)
      {
        return nil
      }
      // `denied` also has the budgets that have no room, which equality ignores.
      let told = denied.each.first { $0 == reason } ?? reason
      let explanation =
        isDenied
        ? explanations(ofDenial: told, kind: question.kind, next: next, in: setting).first : nil
      let (name, value) = state(of: reason, question, isDenied)
      let path = path(ofDenial: reason, kind: question.kind)
      return AdmissionAnswer.Condition(
        name: name, value: value, rule: path.map(fact), explanation: explanation)
    }
  }

  /// Each single reason to report: the reasons for which the kind may be denied, and in any case
  /// `multitasking` and the row. Budgets and intervals are not included: nothing has run when
  /// a question is asked.
  private func denials(possibleFor kind: KindName) -> [Denials] {
    let kindClass = policy.names.class(of: kind)
    let row: [DenialReasons] =
      kindClass == .task ? [] : [kindClass == .wake ? .kindNotInPolicy : .modeNotInPolicy]
    let told = [.noMultitasking] + row
    let history: [DenialReasons] = [.terminating, .budget, .interval]
    let others = DenialReasons.all.filter {
      !told.contains($0) && !history.contains($0) && mayDeny($0, kind)
    }
    return (told + others).map { Denials($0) } + denials(of: conditions(of: kind))
  }

  /// Returns the subject of a reason, under its name in questions, and the state of the subject.
  private func state(of reason: Denials, _ question: AdmissionQuestion, _ isDenied: Bool) -> (
    name: String, value: String
  ) {
    if let fact = reason.facts.first {
      return (policy.names.fact(behind: fact), "\(Denials.isMissing(fact) != isDenied)")
    }
    let device = question.device
    switch reason.reasons {
    case .interval: return ("interval", isDenied ? "not over" : "over")
    case .noMultitasking: return ("multitasking", "\(policy.multitasking)")
    case .kindNotInPolicy, .modeNotInPolicy:
      return ("row '\(question.kind)'", isDenied ? "none" : "there")
    case .modeNotDeclared:
      let modes = question.app.modeNames
      return ("modes", modes.isEmpty ? "none" : modes.joined(separator: ", "))
    case .exitsOnSuspend: return ("exitsOnSuspend", "\(question.app.exitsOnSuspend)")
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      let (own, devices) = (
        question.app.backgroundRefresh.fileName, device.backgroundRefresh.fileName
      )
      return (
        "backgroundRefresh", own == devices ? own : "\(devices) for the device, \(own) for the app"
      )
    case .lowBattery:
      return ("battery", "\(device.battery)%, \(device.charging ? "charging" : "not charging")")
    case .beforeFirstUnlock: return ("unlocked since the restart", "\(!isDenied)")
    case .budget: return ("budget", isDenied ? "no room" : "there is room")
    case .terminating: return ("state", "terminating")
    default:
      if let (fact, isMissing) = StandardFact.behind(reason.reasons) {
        return (fact.row.name, "\(isMissing != isDenied)")
      }
      return ("state", question.state?.fileName ?? question.presence.fileName)
    }
  }
}
