package import CurfewEngine

/// The reasons for which this policy may deny a kind, whatever the app, the device and the history
/// are. Questions and coverage both use these functions.
extension PolicyFile {
  /// Whether a kind may be denied for a single reason. Without multitasking the only reasons are
  /// `noMultitasking` and a missing row.
  package func mayDeny(_ reason: DenialReasons, _ kind: KindName) -> Bool {
    let kindClass = policy.names.class(of: kind)
    let hasRow = session(kind) != nil || wake(kind) != nil
    switch reason {
    case .noMultitasking: return !policy.multitasking
    case .kindNotInPolicy: return kindClass == .wake && !hasRow
    case .modeNotInPolicy: return kindClass == .session && !hasRow
    case _ where !policy.multitasking: return false
    case .backgroundRefreshDenied, .backgroundRefreshRestricted:
      return policy.hasBackgroundRefresh && mayBeDeniedByRefresh(kind, hasRow)
    case .budget where kindClass == .task: return policy.tasks.lateBegin == .invalid
    case _ where kindClass == .task: return false
    case .exitsOnSuspend: return true
    case _ where !hasRow: return false
    case .modeNotDeclared: return !modes(askedBy: kind).isEmpty
    case .forceQuit, .mayNotRelaunch:
      return path(ofDenial: Denials(reason), kind: kind).flatMap(entry)?.text == "false"
    case .beforeFirstUnlock, .terminating: return kindClass == .wake
    case .budget: return wake(kind)?.budget != nil || !budgets(of: kind).isEmpty
    case .interval where kindClass == .session:
      return session(kind).map { $0.deferral > .zero } ?? false
    case .interval: return value("start", kind).flatMap(entry)?.text == "interval"
    default:
      return StandardFact.behind(reason)?.fact.exists(under: policy) ?? false
        && path(ofDenial: Denials(reason), kind: kind) != nil
    }
  }

  private func mayBeDeniedByRefresh(_ kind: KindName, _ hasRow: Bool) -> Bool {
    let isStrict = policy.tasks.refreshGate == .seedStrict
    guard policy.names.class(of: kind) != .task, hasRow else {
      return policy.names.class(of: kind) == .task && isStrict
    }
    return path(ofDenial: .backgroundRefreshDenied, kind: kind) != "tasks.seedStrict"
      || policy.names.class(of: kind) == .session && isStrict
  }

  /// The facts for which a kind's row may deny it, as the names of reasons; none if nothing runs
  /// in the background, or if the row is missing.
  package func factsThatDeny(_ kind: KindName) -> [String] {
    policy.multitasking ? denials(of: conditions(of: kind)).flatMap(\.names) : []
  }

  /// The denials that a row with these conditions may give for facts without a standard reason; one
  /// denial for each fact.
  func denials(of conditions: FactConditions) -> [Denials] {
    let others = conditions.divided.others
    return policy.names.denials(
      DenialReasons(rawValue: 0, blocked: others.blockedBy, missing: others.requires)
    ).each
  }
}
