import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// Asks two policies the same questions, situation by situation, and describes in as few words as
/// possible where their answers differ.
///
/// A situation is described by the reasons of the denial, since each reason is a fact. Only minimal
/// sets of reasons are listed: if a kind is denied while Low Power Mode is on, it is also denied
/// while Low Power Mode is on and the battery is low.
struct AnswerComparison {
  private(set) var answers: [PolicyDifference.Answer] = []
  private let before: PolicyFile
  private let after: PolicyFile
  private let desks: (before: AdmissionDesk, after: AdmissionDesk)

  init(_ before: PolicyFile, _ after: PolicyFile) {
    (self.before, self.after) = (before, after)
    desks = (AdmissionDesk(before), AdmissionDesk(after))
    add(KindName.finiteTask, modes: [[]], presences: [.inFront])
    for kind in shared("sessions") { add(kind, modes: manifests(of: kind), presences: [.inFront]) }
    for kind in shared("wakes") {
      add(
        kind, modes: manifests(of: kind),
        presences: AdmissionQuestion.Presence.allCases.filter { $0 != .inFront })
    }
  }

  /// The kinds that have a row in both policies. A kind with a row in only one policy is reported
  /// as a row.
  private func shared(_ group: String) -> [KindName] {
    let others = after.rows(of: group)
    return before.rows(of: group).filter(others.contains).map { KindName(rawValue: $0) }
  }

  /// The mode declarations that matter to a wake: no mode, each mode that either row requires,
  /// and all these modes.
  private func manifests(of kind: KindName) -> [[String]] {
    let modes = (before.modes(askedBy: kind) + after.modes(askedBy: kind)).reduce(into: [String]())
    {
      if !$0.contains($1) { $0.append($1) }
    }
    return [[]] + modes.map { [$0] } + (modes.count > 1 ? [modes] : [])
  }

  /// Full, empty, and, if the two low-battery limits differ, the lower limit, which is low under
  /// only one policy.
  private var batteries: Set<UInt8> {
    let limits = [before.policy.lowBattery, after.policy.lowBattery]
    return Set([0, 100] + (limits[0] == limits[1] ? [] : [limits.min() ?? 0]))
  }

  private mutating func add(
    _ kind: KindName, modes: [[String]], presences: [AdmissionQuestion.Presence]
  ) {
    var denied: [(AdmissionQuestion, [Denials])] = []
    var allowed = denied
    let facts = before.facts(askedBy: kind).union(after.facts(askedBy: kind)).sorted()
    let questions = AdmissionQuestion.all(
      kind, presences: presences, manifests: modes, batteries: batteries, facts: facts, before)
    for question in questions {
      let (old, new) = (desks.before.denials(of: question), desks.after.denials(of: question))
      if old.isEmpty, !new.isEmpty { denied.append((question, new.each)) }
      if !old.isEmpty, new.isEmpty { allowed.append((question, old.each)) }
    }
    add(kind, denied, isDenied: true)
    add(kind, allowed, isDenied: false)
  }

  /// Adds the minimal denials, each with the situation in which it applies.
  private mutating func add(
    _ kind: KindName, _ denials: [(AdmissionQuestion, [Denials])], isDenied: Bool
  ) {
    let (policy, other) = isDenied ? (after, before) : (before, after)
    let modes = (needed: policy.modes(askedBy: kind), enough: other.modes(askedBy: kind))
    var told: [[Denials]] = []
    for (_, all) in denials.sorted(by: { $0.1.count < $1.1.count })
    where !told.contains(where: { Set($0).isSubset(of: all) }) {
      // Without multitasking, the denial is unconditional, so other reasons do not matter.
      let reasons = all.contains(.noMultitasking) ? [.noMultitasking] : all
      told.append(reasons)
      let isBetween = !denials.contains { $0.1 == all && $0.0.device.battery == 0 }
      let words = reasons.map { reason in
        reason == .lowBattery && isBetween
          ? betweenBatteries : DifferenceWords.situation("\(reason)", modes)
      }
      let answer = PolicyDifference.Answer(
        kinds: ["\(kind)"], isDenied: isDenied, reasons: reasons.map(\.description),
        situation: words.joined(separator: " and "),
        paths: reasons.compactMap { policy.path(ofDenial: $0, kind: kind) })
      add(answer)
    }
  }

  /// Merges kinds that have the same answer in the same situation.
  private mutating func add(_ answer: PolicyDifference.Answer) {
    let same = answers.firstIndex {
      $0.isDenied == answer.isDenied && $0.reasons == answer.reasons
        && $0.situation == answer.situation
    }
    guard let same else { return answers.append(answer) }
    answers[same].kinds += answer.kinds
    answers[same].paths += answer.paths.filter { !answers[same].paths.contains($0) }
  }

  private var betweenBatteries: String {
    let limits = [before.policy.lowBattery, after.policy.lowBattery].sorted()
    return "with a battery of \(limits[0])% to \(limits[1] - 1)% that is not charging"
  }
}

extension PolicyFile {
  /// The names of the facts that the row of `kind` tests. Leaves out facts with their own reason,
  /// because every comparison varies these anyway.
  fileprivate func facts(askedBy kind: KindName) -> Set<String> {
    guard session(kind) != nil || wake(kind) != nil else { return [] }
    let conditions = conditions(of: kind).divided.others
    return Set(
      policy.names.names(
        of: conditions.requires.union(conditions.blockedBy).union(groupFacts(askedBy: kind))))
  }
}
