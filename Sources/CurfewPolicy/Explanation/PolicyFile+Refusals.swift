package import CurfewEngine

/// Finds the value of a policy behind a refused request, and the change that would help.
extension PolicyFile {
  /// The path of the value that makes a request of `kind` fail with `error`; nil if no value does.
  ///
  /// `modes` are the modes that the app declares. They are needed because `notPermitted` alone does
  /// not tell whether a mode or the identifier is missing. If the app declares one of the required
  /// modes, the identifier is missing, and the result is nil.
  package func path(
    ofRefusal error: TaskRequestError, kind: KindName, declaring modes: [String] = []
  ) -> String? {
    switch error {
    case .tooManyPendingTaskRequests: return value("pending", kind)
    case .notPermitted:
      return wake(kind).map {
        policy.names.names(of: $0.modes).allSatisfy { !modes.contains($0) } && !$0.modes.isEmpty
      } ?? false
        ? value("mode", kind) : nil
    case .unavailable:
      guard policy.multitasking else { return "multitasking" }
      guard let row = wake(kind) else { return "wakes" }
      if row.pendingLimit == nil { return value("pending", kind) }
      return path(ofDenial: Denials(.backgroundRefreshDenied), kind: kind).flatMap {
        $0.hasPrefix("wakes.") ? $0 : nil
      }
    }
  }

  /// The change that would keep a request of `kind` from being refused with `error`,
  /// in one sentence.
  package func remedy(ofRefusal error: TaskRequestError, kind: KindName) -> String {
    let row = wake(kind)
    switch error {
    case .tooManyPendingTaskRequests:
      let limit = row?.pendingLimit ?? 0
      return
        "Cancel a pending request, reuse its identifier, or wait until one has started: \(limit) may be pending."
    case .notPermitted:
      let mode = row?.modes.isEmpty ?? true ? "" : " and declare \(self.modes(of: kind))"
      return
        "Permit the identifier\(mode) in the app's manifest, and do not declare exitsOnSuspend."
    case .unavailable:
      if !policy.multitasking { return remedy(ofDenial: DenialReasons.noMultitasking, kind: kind) }
      guard let row else { return remedy(ofDenial: DenialReasons.kindNotInPolicy, kind: kind) }
      if row.pendingLimit == nil {
        return "Use a policy whose row '\(kind)' sets 'pending' to a number."
      }
      return remedy(ofDenial: DenialReasons.backgroundRefreshDenied, kind: kind)
    }
  }
}
