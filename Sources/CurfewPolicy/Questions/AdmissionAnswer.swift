public import CurfewEngine
import CurfewManifest

/// What a policy says to a question: whether the kind is admitted, each condition that was looked at, and the smallest changes that would turn the answer.
///
/// `PolicyFile.answer(to:)` makes it. Whether something is admitted an engine says; the rows of the policy only say what there is to tell of.
public struct AdmissionAnswer: Hashable, Sendable {
  /// What was asked.
  public let question: AdmissionQuestion
  /// Everything that denies it; nothing where it is admitted.
  public let denials: Denials
  /// What was looked at, in the order in which reasons are told.
  public let conditions: [Condition]
  /// The smallest sets of changes that turn the answer, the smaller first, twenty at most: each has been asked of an engine, and no part of one turns it. Values of the policy
  /// change only where nothing else helps. Where it is admitted, what would deny it, of no more than two changes.
  public let changes: [[AdmissionChange]]

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
  /// - Precondition: The policy knows the kind; a task and a session are asked for in front, since an app that does not run cannot ask.
  /// - Complexity: A few hundred engines are asked, which takes milliseconds.
  public func answer(to question: AdmissionQuestion) -> AdmissionAnswer {
    precondition(policy.names.kind(question.kind) != nil, "The policy '\(name)' knows no kind '\(question.kind)'")
    let denials = denials(of: question)
    var possible = self.denials(possibleFor: question.kind)
    possible += denials.each.filter { denial in !possible.contains { $0 == denial } }
    return AdmissionAnswer(
      question: question, denials: denials, conditions: conditions(of: question, possible, denials),
      changes: ChangeSearch.sets(self, question, about: possible))
  }

  /// A condition for each thing that may deny; one for both positions of a switch that is off.
  private func conditions(of question: AdmissionQuestion, _ possible: [Denials], _ denied: Denials) -> [AdmissionAnswer.Condition] {
    let setting = Explanation.Setting(manifest: question.app, device: question.device)
    return possible.compactMap { reason in
      let isDenied = denied.each.contains(reason)
      // Off is off: restricted is told in the place of denied.
      if reason == .backgroundRefreshRestricted, !isDenied { return nil }
      if reason == .backgroundRefreshDenied, !isDenied, denied.contains(.backgroundRefreshRestricted) { return nil }
      let explanation = isDenied ? explanations(ofDenial: reason, kind: question.kind, in: setting).first : nil
      let (name, value) = state(of: reason, question, isDenied)
      let path = path(ofDenial: reason, kind: question.kind)
      return AdmissionAnswer.Condition(name: name, value: value, rule: path.map(fact), explanation: explanation)
    }
  }

  /// Each single reason for which a kind may be denied, by what its row looks at. Budgets and intervals are not among them: nothing has run yet when a question is asked.
  private func denials(possibleFor kind: KindName) -> [Denials] {
    let kindClass = policy.names.class(of: kind)
    guard kindClass != .task else {
      return [.noMultitasking] + (policy.tasks.refreshGate == .seedStrict ? [.backgroundRefreshDenied, .backgroundRefreshRestricted] : [])
    }
    let conditions = session(kind)?.conditions ?? wake(kind)?.conditions
    let missing: Denials = kindClass == .wake ? .kindNotInPolicy : .modeNotInPolicy
    guard let conditions else { return [.noMultitasking, missing, .exitsOnSuspend] }
    let own = policy.names.denials(DenialReasons(rawValue: 0, blocked: conditions.blockedBy, missing: conditions.requires))
    let standard: [Denials] = [
      .noMultitasking, missing, .modeNotDeclared, .exitsOnSuspend, .backgroundRefreshDenied, .backgroundRefreshRestricted, .lowPowerMode,
      .lowBattery, .forceQuit, .beforeFirstUnlock, .mayNotRelaunch,
    ]
    let hidden = Denials([DenialReasons.lowPowerMode, .lowBattery]).names + [Denials.missing("backgroundRefresh")]
    return standard.filter { mayDeny($0, kind) } + own.each.filter { !hidden.contains("\($0)") }
  }

  /// Whether the row of `kind`, which there is, looks at what a reason is about.
  private func mayDeny(_ reason: Denials, _ kind: KindName) -> Bool {
    let isWake = policy.names.class(of: kind) == .wake
    let path = path(ofDenial: reason, kind: kind)
    switch reason.reasons {
    case .modeNotDeclared: return !modes(askedBy: kind).isEmpty
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      return path != "tasks.seedStrict" || !isWake && policy.tasks.refreshGate == .seedStrict
    case .lowPowerMode, .lowBattery: return path != nil
    case .forceQuit, .mayNotRelaunch: return path.flatMap(entry)?.text == "false"
    case .beforeFirstUnlock: return isWake
    default: return true
    }
  }

  /// What a reason looks at, by its name in questions, and how that stands.
  private func state(of reason: Denials, _ question: AdmissionQuestion, _ isDenied: Bool) -> (name: String, value: String) {
    if let fact = reason.facts.first {
      return (policy.names.fact(behind: fact), "\(Denials.isMissing(fact) != isDenied)")
    }
    let device = question.device
    switch reason.reasons {
    case .noMultitasking: return ("multitasking", "\(policy.multitasking)")
    case .kindNotInPolicy, .modeNotInPolicy: return ("row '\(question.kind)'", isDenied ? "none" : "there")
    case .modeNotDeclared:
      let modes = question.app.modeNames
      return ("modes", modes.isEmpty ? "none" : modes.joined(separator: ", "))
    case .exitsOnSuspend: return ("exitsOnSuspend", "\(question.app.exitsOnSuspend)")
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      let (own, devices) = (question.app.backgroundRefresh.fileName, device.backgroundRefresh.fileName)
      return ("backgroundRefresh", own == devices ? own : "\(devices) for the device, \(own) for the app")
    case .lowPowerMode: return ("lowPowerMode", "\(device.lowPowerMode)")
    case .lowBattery: return ("battery", "\(device.battery)%, \(device.isCharging ? "charging" : "not charging")")
    default: return ("state", question.presence.fileName)
    }
  }
}
