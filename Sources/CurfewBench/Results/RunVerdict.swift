import CurfewText

/// The exit code of a run, and the reasons for it.
package struct RunVerdict: Sendable, Hashable {
  /// A reason or a remark, for standard error.
  package struct Remark: Sendable, Hashable {
    /// The words of `Message.Kind`, which the schema of messages has.
    package enum Kind: String, Sendable, CaseIterable {
      case interrupted, contradiction, failed, thresholdCrossed, inconclusive, warning
    }

    package var kind: Kind
    /// One sentence, without a full stop.
    package var text: String
  }

  /// The first that applies: 130 or 143 interrupted; 6 the subject or a peer of this checkout's
  /// code was wrong or early; 99 another peer or the floor was wrong, a contestant failed, or
  /// a threshold fails; 7 inconclusive; 0.
  package let exitCode: Int32
  /// The reasons, the most important first, then the warnings.
  package let remarks: [Remark]

  init(_ record: RunRecord, _ thresholds: [JudgedThreshold], _ figures: [WorkloadFigures]) {
    var remarks: [Remark] = []
    if let signal = record.interruption {
      remarks.append(Remark(kind: .interrupted, text: "interrupted by \(signal)"))
    }
    let findings = record.workloads.flatMap { workload in
      workload.contestants.flatMap { RunVerdict.findings(on: $0, in: workload) }
    }
    remarks += findings.grouped { [$0.kind.rawValue, $0.isDisturbance ? "" : $0.text] }
      .map(RunVerdict.remark)
    for judged in thresholds where judged.answer != .holds {
      remarks.append(
        Remark(
          kind: judged.answer == .fails ? .thresholdCrossed : .inconclusive, text: judged.sentence))
    }
    let isAnythingMeasured = record.workloads.contains { workload in
      workload.contestants.contains { contestant in
        contestant.outcome.hasFigures
          && workload.segments.contains { $0.contestant == contestant.name && !$0.isRepeated }
      }
    }
    if !isAnythingMeasured, record.interruption == nil {
      remarks.append(Remark(kind: .inconclusive, text: "nothing was measured"))
    }
    // A stable order by kind: the sort of the standard library need not keep equal elements.
    self.remarks = Remark.Kind.allCases.flatMap { kind in remarks.filter { $0.kind == kind } }
    exitCode = RunVerdict.exitCode(of: remarks, record.interruption)
  }

  private static func exitCode(of remarks: [Remark], _ interruption: String?) -> Int32 {
    if let interruption { return interruption == "SIGTERM" ? 143 : 130 }
    let kinds = Set(remarks.map(\.kind))
    if kinds.contains(.contradiction) { return 6 }
    if kinds.contains(.failed) || kinds.contains(.thresholdCrossed) { return 99 }
    return kinds.contains(.inconclusive) ? 7 : 0
  }

  /// A finding about a contestant of a workload.
  private struct Finding {
    var kind: Remark.Kind
    var workload: String
    var contestant: String
    var text: String
    /// Whether the text is the reason of a disturbance. These differ only in numbers.
    var isDisturbance = false
  }

  /// The findings with one text: `deadlines/1, spaced, size 2,000, go, jdk; restart/1, size 1,000,
  /// go: ` and the text.
  private static func remark(on group: [Finding]) -> Remark {
    let places = group.grouped(by: \.workload).map { findings in
      ([findings[0].workload] + findings.map(\.contestant)).joined(separator: ", ")
    }
    let first = group[0]
    let text =
      first.isDisturbance
      ? ContestantRecord.Outcome.disturbance(first.text, of: group.count) : first.text
    return Remark(kind: first.kind, text: "\(places.joined(separator: "; ")): \(text)")
  }

  private static func findings(on contestant: ContestantRecord, in workload: WorkloadRecord)
    -> [Finding]
  {
    var findings: [Finding] = []
    func add(_ kind: Remark.Kind, _ text: String, isDisturbance: Bool = false) {
      findings.append(
        Finding(
          kind: kind, workload: workload.title, contestant: contestant.name, text: text,
          isDisturbance: isDisturbance))
    }
    switch contestant.outcome {
    case .wrong(let answer):
      add(contestant.isOwn ? .contradiction : .failed, "wrong answer: \(answer)")
    case .failed(let reason): add(.failed, reason)
    case .disturbed(let reason): add(.inconclusive, reason, isDisturbance: true)
    case .missing(let need, let install):
      add(.warning, "needs \(need), which is missing: \(install)")
    case .measured, .cannot, .tooSlow, .interrupted: break
    }
    if let early = workload.earlyTimers(of: contestant.name) {
      let kind: Remark.Kind =
        switch contestant.role {
        case _ where contestant.isOwn: .contradiction
        case .subject: .contradiction
        case .floor: .inconclusive
        case .peer: .warning
        }
      add(kind, early.sentence(rounding: contestant.rounding))
    }
    return findings
  }
}

extension WorkloadRecord {
  /// `deadlines/1, spaced, size 2,000`.
  package var title: String {
    ([name] + (shape.map { [$0] } ?? []) + ["size \(HumanCount.text(size))"]).joined(
      separator: ", ")
  }
}

extension JudgedThreshold {
  /// `curfew.p50/timerfd.p50<=2: 2.4 [2.2, 2.7]`.
  package var sentence: String {
    let measured =
      ratio.isDisturbed
      ? "disturbed by other processes" : ratio.text ?? Ratio.reasonWithoutValue
    let name = ratio.name == threshold.ratio ? "" : " (\(ratio.name))"
    return "\(threshold)\(name): \(measured)"
  }
}

extension ContestantRecord {
  /// Whether a mistake of it is a mistake of this checkout: the subject's, or that of a peer which
  /// is built from the same sources. The floor is not among them, because it may be the only
  /// contestant that the others are compared with.
  package var isOwn: Bool { role == .subject || role == .peer && ownCode && !isOfOtherCheckout }
}

extension Ratio {
  /// The reason why a ratio has no value.
  package static let reasonWithoutValue = "fewer than five repetitions have both figures"

  /// `2.71 [2.4, 3.05]`; with a `~` if it was disturbed; nil without a value.
  package var text: String? {
    guard let value else { return nil }
    let bounds = interval.map {
      " [\(Ratio.digits($0.lowerBound)), \(Ratio.digits($0.upperBound))]"
    }
    return (isDisturbed ? "~" : "") + Ratio.digits(value) + (bounds ?? "")
  }

  /// Three significant digits, below 1 too.
  package static func digits(_ value: Double) -> String {
    guard value.isFinite, value < 1e15 else { return "\(value)" }
    guard value > 0, value < 0.995 else { return HumanNumber.rounded(value) }
    var (places, scaled) = (2, value)
    while scaled < 0.0995, places < 12 { (places, scaled) = (places + 1, scaled * 10) }
    return HumanNumber.decimal(value, places: places + 1)
  }
}
