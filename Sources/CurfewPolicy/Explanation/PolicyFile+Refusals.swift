package import CurfewEngine

/// Which value of a policy is behind a request that was not accepted, and what would change it.
extension PolicyFile {
  /// The path of the value for which a request of `kind` is refused with `error`; nil where no value says so.
  ///
  /// An error alone does not tell whether the app lacks the mode or the identifier; `modes` are those that it declares, and with one that will do
  /// it is the manifest alone that refuses.
  package func path(ofRefusal error: TaskRequestError, kind: AssertionKind, declaring modes: BackgroundModes = []) -> String? {
    switch error {
    case .tooManyPendingTaskRequests: return value("pending", kind)
    case .notPermitted:
      return policy.wakes[kind].map { $0.modes.isDisjoint(with: modes) && !$0.modes.isEmpty } ?? false ? value("mode", kind) : nil
    case .unavailable:
      guard policy.multitasking else { return "multitasking" }
      guard let row = policy.wakes[kind] else { return "wakes" }
      if row.pendingLimit == nil { return value("pending", kind) }
      return row.deniedBy.contains(.backgroundRefreshDenied) ? value("needsBackgroundRefresh", kind) : nil
    }
  }

  /// What would have to change for a request of `kind` not to be refused with `error`: one sentence.
  package func remedy(ofRefusal error: TaskRequestError, kind: AssertionKind) -> String {
    let row = policy.wakes[kind]
    switch error {
    case .tooManyPendingTaskRequests:
      let limit = row?.pendingLimit ?? 0
      return "Cancel a pending request, submit under its identifier, or wait until one has started: \(limit) may be pending."
    case .notPermitted:
      let mode = row?.modes.isEmpty ?? true ? "" : " and declare \(self.modes(of: kind))"
      return "Permit the identifier\(mode) in the app's manifest, without exitsOnSuspend."
    case .unavailable:
      if !policy.multitasking { return remedy(ofDenial: .noMultitasking, kind: kind) }
      guard let row else { return remedy(ofDenial: .kindNotInPolicy, kind: kind) }
      if row.pendingLimit == nil { return "Use a policy whose row '\(kind.fileName)' has a number as 'pending'." }
      return "Turn Background App Refresh on for the app and the device."
    }
  }
}
