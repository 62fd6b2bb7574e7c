public import CurfewEngine

/// What a policy says to a question: whether the kind is admitted, each condition that was looked
/// at, and the smallest changes that would turn the answer.
///
/// `PolicyFile.answer(to:)` makes it. Whether something is admitted an engine says; the rows
/// of the policy only say what there is to tell of.
public struct AdmissionAnswer: Hashable, Sendable {
  /// What was asked.
  public let question: AdmissionQuestion
  /// Everything that denies it; nothing where it is admitted.
  public let denials: Denials
  /// What was looked at, in the order in which reasons are told.
  public let conditions: [Condition]
  /// The smallest sets of changes that turn the answer, the smaller first, twenty at most: each has
  /// been asked of an engine, and no part of one turns it. Values of the policy change only where
  /// nothing else helps. Where it is admitted, what would deny it, of no more than two changes.
  public let changes: [[AdmissionChange]]
  /// Of a question that was put to a run: when. nil for one without a history, of which nothing has
  /// run yet.
  public var instant: Instant?
  /// From when it is admitted if nobody does anything until then; nil where time alone does
  /// not help, or it is admitted at once.
  public var possibleFrom: Instant?

  /// Whether it is admitted.
  public var isAllowed: Bool { denials.isEmpty }

  /// Something that has to be so for the kind to be admitted.
  public struct Condition: Hashable, Sendable {
    /// What is looked at: a fact, `state`, `modes`, or a value of the policy.
    public let name: String
    /// How it stands: `true`, `notRunning`, `fetch, audio`.
    public let value: String
    /// What says that it matters, with its value and its place; nil where no value says so.
    public let rule: Explanation.Fact?
    /// Why it denies, and what would change that; nil where it passes.
    public let explanation: Explanation?

    /// Whether it is met.
    public var passes: Bool { explanation == nil }
  }
}

extension PolicyFile {
  /// Whether the question's kind is admitted, why, and what would turn that.
  ///
  /// - Precondition: The policy knows the kind; a task and a session are asked for in front, since
  ///   an app that does not run cannot ask.
  /// - Complexity: A few hundred engines are asked, which takes milliseconds.
  public func answer(to question: AdmissionQuestion) -> AdmissionAnswer {
    precondition(
      policy.names.kind(question.kind) != nil,
      "The policy '\(name)' knows no kind '\(question.kind)'")
    let denials = self.denials(of: question)
    let possible = self.denials(possibleFor: question.kind, and: denials)
    return AdmissionAnswer(
      question: question, denials: denials, conditions: conditions(of: question, possible, denials),
      changes: ChangeSearch.sets(self, question, about: possible) {
        self.denials(of: question, after: $0)
      })
  }

  /// Whether the question's kind is admitted in `run` where everything is as the question says,
  /// and else as it is, why, and what would turn that, and when.
  /// - Returns: nil where it cannot be asked for.
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

  /// A condition for each thing that may deny; one for both positions of a switch that is off.
  private func conditions(
    of question: AdmissionQuestion, _ possible: [Denials], _ denied: Denials, _ next: Instant? = nil
  ) -> [AdmissionAnswer.Condition] {
    let setting = Explanation.Setting(manifest: question.app, device: question.device)
    return possible.compactMap { reason in
      let isDenied = denied.each.contains(reason)
      // Off is off: restricted is told in the place of denied.
      if reason == .backgroundRefreshRestricted, !isDenied { return nil }
      if reason == .backgroundRefreshDenied, !isDenied,
        denied.contains(.backgroundRefreshRestricted)
      {
        return nil
      }
      // Those of the question's history know which budgets have no room.
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

  /// Each single reason that there is to tell of: those for which the kind may be denied,
  /// and whether the policy has anything run, and the row, in any case. Budgets and intervals are
  /// not among them: nothing has run yet when a question is asked.
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

  /// What a reason looks at, by its name in questions, and how that stands.
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
      return ("battery", "\(device.battery)%, \(device.isCharging ? "charging" : "not charging")")
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
