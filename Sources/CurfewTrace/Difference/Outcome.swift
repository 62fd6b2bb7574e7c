import CurfewEngine
import CurfewPolicy

/// A decision or an end of a run, as far as two runs are compared.
struct Outcome: Hashable {
  /// Whether it is a decision, else an end.
  let isDecision: Bool
  /// The app; nil for the whole device.
  let app: String?
  /// What was decided, by its name in files; nothing for an end.
  let kind: String
  let time: Instant
  /// Why it was denied, or ended; empty for what was allowed.
  let reasons: [String]
  /// The policy's value that says so; nil where none does.
  let rule: String?
}

/// The decisions and the ends of a run, told line by line.
public struct Outcomes: Sendable {
  private(set) var all: [Outcome] = []
  private var explanations: TraceExplanations

  /// Of a run whose lines `explanations` explains, from the first on.
  public init(_ explanations: TraceExplanations) { self.explanations = explanations }

  /// Takes in the run's next line.
  public mutating func add(_ line: TraceLine) {
    let explained = explanations.explanations(of: line)
    let rule = explained.lazy.map(\.fact).first { $0.owner == .policy }?.key
    switch line.body {
    case .decision(let kind, _, let denied, _):
      add(line, isDecision: true, kind.rawValue, denied.names, rule)
    case .terminated(let process): add(line, isDecision: false, "", [process.reason.fileName], rule)
    default: break
    }
  }

  private mutating func add(_ line: TraceLine, isDecision: Bool, _ kind: String, _ reasons: [String], _ rule: String?) {
    all.append(Outcome(isDecision: isDecision, app: line.app, kind: kind, time: line.time, reasons: reasons, rule: rule))
  }
}
