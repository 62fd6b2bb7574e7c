import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestRuns
import Testing

/// Every reason of every decision and of every termination can be produced (rules D1, D2), and only
/// by the fact in question.
@Suite(.inTurn) struct ReasonTests {
  /// A kind, and a fact that denies it.
  struct Case: CustomTestStringConvertible {
    let kind: KindName
    let reason: DenialReasons
    /// The latest profile under which the fact denies the kind.
    let policy: String

    var testDescription: String { "\(kind): \(reason.fileName)" }
  }

  /// The facts that may deny a standard kind under any profile of iOS, read from the profiles'
  /// own rows.
  static let cases: [Case] = {
    let profiles = PolicyFile.builtInNames.filter { $0.hasPrefix("ios") }.compactMap {
      try? PolicyFile.load($0)
    }
    return KindName.standard.flatMap { kind in
      DenialReasons.all.compactMap { reason in
        profiles.last { $0.policy.mayDeny(kind, reason) }.map {
          Case(kind: kind, reason: reason, policy: $0.name)
        }
      }
    }
  }()

  @Test(arguments: cases)
  func `every fact that may deny a kind denies it, and without the fact it is allowed`(_ item: Case)
    throws
  {
    let setting = ReasonSetting(item.kind, item.reason, policy: item.policy)
    let denials = try ReasonTests.denials(setting.text(.present), of: item.kind)
    #expect(denials.contains { $0.contains(item.reason) }, "\(setting.text(.present))")
    let others = try ReasonTests.denials(setting.text(.absent), of: item.kind)
    #expect(others == [], "\(setting.text(.absent))")
  }

  @Test func `every reason can deny some kind`() {
    let met = ReasonTests.cases.reduce(into: DenialReasons()) { $0.formUnion($1.reason) }
    #expect(met == DenialReasons.all.reduce(into: DenialReasons()) { $0.formUnion($1) })
  }

  @Test func `the rules' scenarios use every word of a trace`() throws {
    var met = Words()
    for rule in RuleTests.cases { for line in try rule.run().lines { met.note(line) } }
    #expect(met.terminations == Set(TerminationReason.allCases))
    #expect(met.diagnostics == Set(Diagnostic.allCases))
    #expect(met.refusals == Set(TaskRequestError.allCases))
    #expect(met.fates == Set(LocalNotificationFate.allCases))
    #expect(met.denials == DenialReasons.all.reduce(into: DenialReasons()) { $0.formUnion($1) })
    #expect(met.wakes == Set(PolicyNames().kinds(.wake)))
    #expect(met.sessions == Set(PolicyNames().kinds(.session)))
  }

  private struct Words {
    var terminations: Set<TerminationReason> = []
    var diagnostics: Set<Diagnostic> = []
    var refusals: Set<TaskRequestError> = []
    var fates: Set<LocalNotificationFate> = []
    var denials: DenialReasons = []
    var wakes: Set<KindName> = []
    var sessions: Set<KindName> = []

    mutating func note(_ line: TraceLine) {
      switch line.body {
      case .terminated(let process): terminations.insert(process.reason)
      case .diagnostic(let diagnostic, _): diagnostics.insert(diagnostic)
      case .request(_, _, .refused(let error)): refusals.insert(error)
      case .localNotification(_, let fate): fates.insert(fate)
      case .decision(_, _, let reasons, _): denials.formUnion(reasons.reasons)
      case .wake(let kind, _, _, .begin, _): wakes.insert(kind)
      case .session(let kind, .begin, _) where PolicyNames().kind(kind) != nil:
        sessions.insert(kind)
      default: break
      }
    }
  }

  /// The denials of `kind` in a run of `text`.
  private static func denials(_ text: String, of kind: KindName) throws -> [DenialReasons] {
    let scenario = try Scenario.decode(SourceFile(name: "reason.yaml", bytes: Array(text.utf8)))
    var simulation = Simulation(scenario)
    var denials: [DenialReasons] = []
    _ = try simulation.run { line in
      if case .decision(kind, _, let reasons, _) = line.body, !reasons.isEmpty {
        denials.append(reasons.reasons)
      }
    }
    return denials
  }
}

extension Policy {
  /// Whether a fact may deny a kind, by the kind's row and the rules for all kinds.
  fileprivate func mayDeny(_ name: KindName, _ reason: DenialReasons) -> Bool {
    guard let kind = names.kind(name) else { return false }
    switch names.class(of: kind) {
    case .task:
      return reason == .noMultitasking && !multitasking
    case .session:
      guard sessions[kind] != nil else {
        return reason == .modeNotInPolicy || (reason == .noMultitasking && !multitasking)
      }
      return reason == .modeNotDeclared || reason == .exitsOnSuspend
    case .wake:
      guard let row = wakes[kind] else {
        return reason == .kindNotInPolicy || (reason == .noMultitasking && !multitasking)
      }
      switch reason {
      case .exitsOnSuspend, .terminating, .beforeFirstUnlock: return true
      case .modeNotDeclared: return !row.modes.isEmpty
      case .forceQuit: return !row.survivesForceQuit && row.relaunches
      case .mayNotRelaunch: return !row.relaunches
      case .budget: return row.budget != nil
      case .interval: return kind == .voipKeepAlive
      default: return row.conditions.divided.reasons.contains(reason)
      }
    }
  }
}
