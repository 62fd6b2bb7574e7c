import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Stories as sentences, each with its rule and the values behind it.
extension WhyReading {
  /// The steps of a story; lines after number `last` are future steps.
  func steps(of story: Story, toComeAfter last: Int = .max) -> [Why.Step] {
    let hasTask =
      story.marks.contains { if case .task = $0.line.body { true } else { false } }
      || holds.contains { $0.what.kind == .finiteTask }
    return story.marks.enumerated().map { index, mark in
      let saying = saying(mark, after: story.marks[..<index], hasTask: hasTask)
      let isAhead = mark.number > last
      return Why.Step(
        line: isAhead ? nil : mark.number, instant: mark.line.time,
        owner: owner(of: mark, after: story.marks[..<index]),
        words: isAhead ? saying.ahead ?? saying.words : saying.words,
        rule: saying.rule, facts: saying.facts)
    }
  }

  /// The future steps: the steps of the lines that `ahead` has read and this reading has not.
  func steps(toComeIn ahead: WhyReading) -> [Why.Step] {
    ahead.steps(of: ahead.story, toComeAfter: number).filter { $0.line == nil }
  }

  private struct Saying {
    var words: String
    /// The words for a step that is still to come; nil if such a step never lies ahead.
    var ahead: String?
    var rule: String?
    var facts: [Explanation.Fact] = []

    init(
      _ words: String, ahead: String? = nil, _ rule: String? = nil,
      _ facts: [Explanation.Fact?] = []
    ) {
      (self.words, self.ahead, self.rule) = (words, ahead, rule)
      self.facts = facts.compactMap(\.self)
    }
  }

  private func owner(of mark: Story.Mark, after before: ArraySlice<Story.Mark>) -> Why.Owner {
    let app = mark.line.app == app ? Why.Owner.app : .otherApp
    switch mark.line.body {
    case .event(let deed):
      switch deed.verb.row.speaker {
      case .user: return .user
      case .device, .world: return .world
      case .app: return app
      case .host: return .system
      }
    case .session(_, .end, _): return before.last?.line.body.endsSession ?? false ? .system : app
    case .task, .session(_, .begin, _), .wake(_, _, _, .complete, _), .request(_, _, .submitted),
      .request(_, _, .replaced):
      return app
    case .state where mark.line.app != self.app: return app
    default: return .system
    }
  }

  /// `it`, another app's name, or nil for the device.
  private func who(_ line: TraceLine) -> String? { line.app == app ? "it" : line.app }

  private func saying(_ mark: Story.Mark, after before: ArraySlice<Story.Mark>, hasTask: Bool)
    -> Saying
  {
    let line = mark.line
    switch line.body {
    case .event(let deed): return Saying(deed.clause(of: who(line)))
    case .state(.notRunning, _) where line.app != app:
      let other = line.app ?? ""
      return Saying(
        "\(other) was started and took up memory",
        ahead: "\(other) will be started and take up memory", "M1")
    case .state(let from, .background):
      return entering(from, hasTask: hasTask, isRenewal: before.last?.line.body.isRenewal ?? false)
    case .state(_, .suspended): return suspended(before)
    case .state(let from, let to): return moved(from, to)
    case .task(.begin, let id, let name):
      return Saying("it began task \(id.rawValue) '\(name)'", "F1")
    case .task(.end, let id, let name):
      return Saying(
        "it ended task \(id.rawValue) '\(name)'",
        ahead: "it will end task \(id.rawValue) '\(name)'", "F8")
    case .expiration(_, let name, let reason, let due): return expired(name, reason, due)
    case .session(let kind, let change, let due): return session(kind, change, due)
    case .wake(let kind, let id, _, let change, _):
      return woken(
        kind, id, change, mark.times,
        isInterrupted: before.last { !$0.line.body.isWarning }?.line.body.isEvent ?? false)
    case .decision(let kind, let wake, let denied, _):
      return decided(kind, wake, denied, mark.explanations)
    case .request(let identifier, let kind, .started):
      return Saying(
        "the system started its request '\(identifier)'",
        ahead: "the system will start its request '\(identifier)'", "W5",
        [fact("wakes.\(kind).alignment")])
    case .request(let identifier, let kind, _):
      return Saying("it submitted request '\(identifier)' for \(kind)", "W5")
    case .callback(let callback):
      let name = CallbackNames.uikit.name(of: callback)
      return Saying("\(name) was called", ahead: "\(name) will be called", "A10")
    case .terminated(let process): return ended(process, after: before, mark.explanations)
    case .advance, .notification, .localNotification, .probe, .diagnostic, .resumed, .end, .gap:
      preconditionFailure("A line that causes nothing is in a story: \(line)")
    }
  }

  private func fact(_ path: String) -> Explanation.Fact? {
    policy.entry(path) == nil ? nil : policy.fact(path)
  }

  // MARK: States

  private func entering(_ from: AppState, hasTask: Bool, isRenewal: Bool) -> Saying {
    let isVisit = from == .inactive
    let (words, ahead) =
      isVisit
      ? ("it entered the background", "it will enter the background")
      : from == .suspended
        ? ("it ran again, in the background", "it will run again, in the background")
        : ("it was launched into the background", "it will be launched into the background")
    guard hasTask, let grant = fact(isVisit ? "tasks.grant" : "tasks.grantAfterWake") else {
      return Saying(words, ahead: ahead, isVisit ? "A4" : isRenewal ? "L4" : "W1")
    }
    let tasks = ", with a grant of \(readable(grant)) for its tasks"
    return Saying(words + tasks, ahead: ahead + tasks, "F2", [grant])
  }

  private func moved(_ from: AppState, _ to: AppState) -> Saying {
    switch (from, to) {
    case (.notRunning, _): Saying("it was launched", ahead: "it will be launched", "A3")
    case (_, .active): Saying("it became active", ahead: "it will become active", "A4")
    case (.active, _): Saying("it became inactive", ahead: "it will become inactive", "A4")
    default:
      Saying(
        "it came back to the foreground", ahead: "it will come back to the foreground", "A4")
    }
  }

  /// The last assertion that the app held determines the rule and the linger.
  private func suspended(_ before: ArraySlice<Story.Mark>) -> Saying {
    let delay = fact("suspendDelay").flatMap { $0.value == "0s" ? nil : $0 }
    func unheld(_ rule: String, _ facts: [Explanation.Fact?]) -> Saying {
      Saying(
        "nothing kept it running any more: suspended",
        ahead: "nothing will keep it running any more: it will be suspended", rule, facts)
    }
    switch before.last?.line.body {
    case .task(.end, _, _): return unheld("F8", [delay])
    case .session(_, .defer, _): return unheld("L4", [delay])
    case .session(_, .end, _) where before.dropLast().last?.line.body.isOverrun ?? false:
      return unheld("L4", [delay])
    case .session(let kind, .end, _):
      return unheld("L2", [linger("sessions.\(kind)"), delay])
    case .wake(let kind, _, _, _, _):
      return unheld("W2", [linger("wakes.\(kind)"), delay])
    default:
      let gate =
        policy.policy.tasks.refreshGate == .seedStrict && !holds.isEmpty
        ? fact("tasks.seedStrict") : nil
      return Saying(
        gate == nil
          ? "nothing kept it running: suspended"
          : "Background App Refresh was off: suspended at once",
        ahead: gate == nil
          ? "nothing will keep it running: it will be suspended"
          : "Background App Refresh will be off: it will be suspended at once",
        gate == nil ? "A6" : "F12",
        [gate, delay])
    }
  }

  private func linger(_ row: String) -> Explanation.Fact? {
    fact("\(row).linger").flatMap { $0.value == "0s" ? nil : $0 }
  }

  private func readable(_ fact: Explanation.Fact) -> String { fact.value ?? "" }

  // MARK: Assertions

  private func expired(_ name: String, _ reason: ExpirationReason, _ due: Instant?) -> Saying {
    let late = due.map { " at \(HumanTime.text($0))" } ?? ""
    if reason == .timeLimit {
      let warning = fact("tasks.warning")
      return Saying(
        "its grant had \(warning.map(readable) ?? "little") left: the handler of '\(name)' was due\(late)",
        ahead:
          "its grant will have \(warning.map(readable) ?? "little") left: the handler of '\(name)' will be due",
        "F5", [warning])
    }
    return Saying(
      "its grant was cut short (\(reason.fileName)): the handler of '\(name)' was due\(late)",
      ahead:
        "its grant will be cut short (\(reason.fileName)): the handler of '\(name)' will be due",
      "F11",
      [reason == .thermal ? fact("tasks.thermalExpiry") : nil])
  }

  private func session(_ kind: KindName, _ change: TraceLine.SessionChange, _ due: Instant?)
    -> Saying
  {
    let length = fact("sessions.\(kind).length").flatMap { $0.value == "none" ? nil : $0 }
    let deferral = ["deferral", "deferralFactor", "deferralMost"].map {
      fact("sessions.\(kind).\($0)")
    }.filter {
      !["none", "1"].contains($0?.value)
    }
    switch change {
    case .begin: return Saying("it began session \(kind)", "L1", [length])
    case .end, .denied:
      return Saying("its session \(kind) ended", ahead: "its session \(kind) will end", "L2")
    case .warning:
      let late = due.map { " at \(HumanTime.text($0))" } ?? ""
      return Saying(
        "session \(kind) was about to end: its handler was due\(late)",
        ahead: "session \(kind) will be about to end: its handler will be due", "L4",
        [fact("sessions.\(kind).warning")])
    case .overrun:
      return Saying(
        "session \(kind) reached its time limit in the background",
        ahead: "session \(kind) will reach its time limit in the background", "L4",
        [length])
    case .overBudget:
      return Saying(
        "session \(kind) used up the run time of its budget",
        ahead: "session \(kind) will use up the run time of its budget", "W4",
        [fact("sessions.\(kind).budgets")])
    case .defer:
      return Saying(
        "session \(kind) was deferred", ahead: "session \(kind) will be deferred", "L4", deferral)
    case .renew:
      return Saying(
        "session \(kind) continued after its deferral",
        ahead: "session \(kind) will continue after its deferral", "L4", deferral)
    }
  }

  private func woken(
    _ kind: KindName, _ id: WakeID, _ change: TraceLine.WakeChange,
    _ delivered: DeliveredTimes.Times?, isInterrupted: Bool
  ) -> Saying {
    let wake = "wake \(id.rawValue), \(kind),"
    let length =
      delivered?.length.map { Explanation.Fact.delivered(length: $0) }
      ?? fact("wakes.\(kind).length")
    let warning =
      delivered?.warning.map { Explanation.Fact.delivered(warning: $0) }
      ?? fact("wakes.\(kind).warning")
    switch change {
    case .begin:
      let time = "with \(length.map(readable) ?? "some time") to run"
      return Saying(
        "\(wake) was delivered, \(time)", ahead: "\(wake) will be delivered, \(time)", "W1",
        [length])
    case .complete:
      return Saying(
        "it completed wake \(id.rawValue), \(kind)",
        ahead: "it will complete wake \(id.rawValue), \(kind)", "W2")
    case .warning where isInterrupted:
      return Saying(
        "\(wake) is only for an idle device: its handler was due",
        ahead: "\(wake) is only for an idle device: its handler will be due", "W5",
        [warning])
    case .warning:
      return Saying(
        "\(wake) was about to end: its handler was due",
        ahead: "\(wake) will be about to end: its handler will be due", "W6",
        [warning])
    case .overrun where isInterrupted:
      return Saying(
        "\(wake) is only for an idle device, and ended",
        ahead: "\(wake) is only for an idle device, and will end", "W5")
    case .overrun:
      return Saying(
        "\(wake) was not completed in time",
        ahead: "\(wake) will not have been completed in time", "W2", [length])
    case .unhandled:
      let why = isInterrupted ? "is only for an idle device, and" : "was about to end and"
      let later = isInterrupted ? "is only for an idle device, and" : "will be about to end and"
      return Saying(
        "\(wake) \(why) had no expiration handler: it ended unsuccessfully",
        ahead: "\(wake) \(later) has no expiration handler: it will end unsuccessfully", "W6",
        [fact("wakes.\(kind).unhandledWarning"), warning])
    case .overBudget:
      return Saying(
        "\(wake) used up the run time of its budget",
        ahead: "\(wake) will use up the run time of its budget", "W4",
        [fact("wakes.\(kind).budgets")])
    }
  }

  private func decided(_ kind: KindName, _ wake: WakeID?, _ denied: Denials, _ why: [Explanation])
    -> Saying
  {
    guard denied.isEmpty else {
      return Saying(
        "\(kind) was denied: \(denied)", ahead: "\(kind) will be denied: \(denied)", "D1",
        why.map(\.fact))
    }
    let number = wake.map { " as wake \($0.rawValue)" } ?? ""
    return Saying(
      "\(kind) was admitted\(number)", ahead: "\(kind) will be admitted\(number)", "W1")
  }

  // MARK: The end

  private func ended(
    _ process: RecordedProcessEnd, after before: ArraySlice<Story.Mark>, _ why: [Explanation]
  ) -> Saying {
    let code = process.code.map { " (\($0.fileName))" } ?? ""
    let end = "terminated, \(process.reason.fileName)\(code)"
    let isOwnDoing = before.last?.line.body.isCrash ?? false
    let (cause, rule) = process.cause(policy.policy.names, isOwnDoing: isOwnDoing)
    let expected = process.expectedCause ?? cause
    // The step before has named the cause.
    return Saying(
      isOwnDoing ? end : "\(cause): \(end)", ahead: "\(expected): it will be \(end)", rule,
      why.flatMap { [$0.fact] + $0.others }.filter { $0.place != .nowhere })
  }
}

extension TraceLine.Body {
  var isEvent: Bool { if case .event = self { true } else { false } }

  /// Whether the app ended its own process.
  fileprivate var isCrash: Bool {
    if case .event(let deed) = self { deed.verb == .crash } else { false }
  }

  /// Whether the handler of a wake is called.
  var isWarning: Bool { if case .wake(_, _, _, .warning, _) = self { true } else { false } }

  /// Whether a deferred session continues.
  fileprivate var isRenewal: Bool { if case .session(_, .renew, _) = self { true } else { false } }

  /// Whether a session has reached its limit.
  fileprivate var isOverrun: Bool {
    switch self {
    case .session(_, .overrun, _), .session(_, .overBudget, _): true
    default: false
    }
  }

  /// Whether a session's end right after this line is not the app's own call.
  fileprivate var endsSession: Bool {
    if case .decision(_, _, let denied, _) = self { return !denied.isEmpty }
    return isOverrun || isEvent
  }
}

extension Why.Step: CustomStringConvertible {
  /// The time and the words, then the rule and the values with their places:
  /// `38s  the grant ended with 'upload' open: … (F6; tasks.grant is 30s, Policies/ios13.yaml:12:18)`.
  package var description: String { "\(HumanTime.text(instant))  \(words)\(source)" }

  /// The rule and the values, in brackets; empty for an actor's own action.
  package var source: String {
    let told = facts.map {
      $0.wordsOfDelivery.map { "\($0), rule W7" }
        ?? "\($0.key)\($0.value.map { " is \(SizeText.readable($0))" } ?? ""), \($0.place)"
    }
    let all = [rule].compactMap(\.self) + told
    return all.isEmpty ? "" : " (\(all.joined(separator: "; ")))"
  }
}
