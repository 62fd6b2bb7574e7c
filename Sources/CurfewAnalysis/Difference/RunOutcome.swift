import CurfewEngine
import CurfewPolicy
package import CurfewTrace

/// A decision, an expiration or an end of a process, with the properties by which two runs
/// are compared.
struct RunOutcome: Hashable {
  let sort: RunDifference.Sort
  /// The app; nil for the whole device.
  let app: String?
  /// The kind that was decided or expired, by its name in files; empty for an end.
  let kind: String
  let time: Instant
  /// The reasons of the denial, expiration or end; empty for an admission.
  let reasons: [String]
  /// The policy value behind the outcome; nil if there is none.
  let rule: String?
}

/// The decisions, expirations and ends of processes of a run, read line by line.
package struct Outcomes: Sendable {
  private(set) var all: [RunOutcome] = []
  private var explanations: TraceExplanations
  private var lives: AppLives

  /// Creates an empty list; `explanations` explains the lines of the run.
  package init(_ explanations: TraceExplanations) {
    self.explanations = explanations
    lives = AppLives(apps: [], policy: explanations.policy.policy)
  }

  /// Reads the run's next line.
  package mutating func add(_ line: TraceLine) {
    // Every line is explained: a later explanation may depend on it.
    let rule = explanations.explanations(of: line).lazy.map(\.fact).first { $0.owner == .policy }?
      .key
    lives.read(line)
    for change in lives.changes {
      guard let (sort, kind, reasons) = outcome(of: change.body, line) else { continue }
      all.append(
        RunOutcome(
          sort: sort, app: line.app, kind: kind?.rawValue ?? "", time: line.time, reasons: reasons,
          rule: rule))
    }
  }

  private func outcome(
    of change: LifeChange.Body, _ line: TraceLine
  ) -> (sort: RunDifference.Sort, kind: KindName?, reasons: [String])? {
    func kind(_ number: KindNumber?) -> KindName? { number.map { lives.names[$0] } }
    switch change {
    case .began(let span):
      // A request is accepted or refused before its start is decided.
      guard case .request = span.subject else { return nil }
      return (.decision, kind(span.subject.kind), [])
    case .ended(let span):
      guard case .process = span.subject, case .process(let reason, _)? = span.ending else {
        return nil
      }
      return (.end, nil, [reason.fileName])
    case .moment(.allowed(let number, _)): return (.decision, kind(number), [])
    case .moment(.denied(let number, _)):
      guard case .decision(_, _, let denied, _) = line.body else { return nil }
      return (.decision, kind(number), denied.names)
    case .moment(.refused(let number, let error)):
      let isKnown = kind(number).map(explanations.hasRow) ?? false
      return (
        .decision, kind(number), [isKnown ? error.fileName : DenialReasons.kindNotInPolicy.fileName]
      )
    case .moment(.handler(.task)):
      guard case .expiration(_, _, let reason, _) = line.body else { return nil }
      return (.expiration, .finiteTask, [reason.fileName])
    case .moment(.handler(let subject)): return (.expiration, kind(subject.kind), ["warning"])
    case .moment(.overran(let subject, let limit)):
      return (.expiration, kind(subject.kind), [limit.outcome])
    case .moment: return nil
    }
  }
}

extension RunLimit {
  /// The trace's event for a run that ends at this limit.
  fileprivate var outcome: String {
    switch self {
    case .length: "overrun"
    case .budget: "overBudget"
    case .warning: "unhandled"
    }
  }
}
