import CurfewEngine
import CurfewPolicy
public import CurfewTrace

/// A decision, a running out of time or an end of a run, as far as two runs are compared.
struct Outcome: Hashable {
  let sort: RunDifference.Sort
  /// The app; nil for the whole device.
  let app: String?
  /// What was decided or ran out, by its name in files; nothing for an end.
  let kind: String
  let time: Instant
  /// Why it was denied, ran out or ended; empty for what was allowed.
  let reasons: [String]
  /// The policy's value that says so; nil where none does.
  let rule: String?
}

/// The decisions of a run, what ran out of time in it, and the ends of processes, told line by line.
public struct Outcomes: Sendable {
  private(set) var all: [Outcome] = []
  private var explanations: TraceExplanations

  /// Of a run whose lines `explanations` explains, from the first on.
  public init(_ explanations: TraceExplanations) { self.explanations = explanations }

  /// Takes in the run's next line.
  public mutating func add(_ line: TraceLine) {
    switch line.body {
    case .decision(let kind, _, let denied, _): add(line, .decision, kind.rawValue, denied.names)
    // A request is accepted or refused before its start is decided on.
    case .request(_, let kind, .submitted), .request(_, let kind, .replaced): add(line, .decision, kind.rawValue, [])
    case .request(_, let kind, .refused(let error)):
      let reason = explanations.hasRow(of: kind) ? error.fileName : DenialReasons.kindNotInPolicy.fileName
      add(line, .decision, kind.rawValue, [reason])
    case .expiration(_, _, let reason, _): add(line, .expiration, KindName.finiteTask.rawValue, [reason.fileName])
    case .session(let kind, let change, _) where change.isRunningOut: add(line, .expiration, kind.rawValue, [change.rawValue])
    case .wake(let kind, _, _, let change, _) where change.isRunningOut: add(line, .expiration, kind.rawValue, [change.rawValue])
    case .terminated(let process): add(line, .end, "", [process.reason.fileName])
    // What an explanation says may depend on any line before.
    default: _ = explanations.explanations(of: line)
    }
  }

  private mutating func add(_ line: TraceLine, _ sort: RunDifference.Sort, _ kind: String, _ reasons: [String]) {
    let rule = explanations.explanations(of: line).lazy.map(\.fact).first { $0.owner == .policy }?.key
    all.append(Outcome(sort: sort, app: line.app, kind: kind, time: line.time, reasons: reasons, rule: rule))
  }
}

extension TraceLine.SessionChange {
  fileprivate var isRunningOut: Bool { self == .warning || self == .overrun || self == .overBudget }
}

extension TraceLine.WakeChange {
  fileprivate var isRunningOut: Bool { self == .warning || self == .overrun || self == .overBudget }
}
