import CurfewEngine

/// The rows and reasons of a policy that tests can reach.
extension PolicyFile {
  /// The mappings and rows that have an effect, in the language's order, such as `tasks`,
  /// `sessions.audio` and `wakes.fetch`.
  package var rows: [String] {
    var rows: [String] = []
    for entry in entries {
      guard let row = PolicyFile.row(of: entry.path), rows.last != row, !isIdle(row) else {
        continue
      }
      rows.append(row)
    }
    return rows
  }

  /// The row that contains the value at `path`; nil for a policy's own value. For the path
  /// of a row, such as `wakes.fetch`, it is the row itself.
  package static func row(of path: String) -> String? {
    let keys = path.split(separator: ".")
    let isInTable = keys.first == "sessions" || keys.first == "wakes"
    guard keys.count > 1 else { return nil }
    return isInTable ? keys.prefix(2).joined(separator: ".") : String(keys[0])
  }

  private func isIdle(_ row: String) -> Bool {
    switch row {
    case "facts", "groups": true
    case "tasks": !says("multitasking", "true")
    case "lockedFiles": !says("multitasking", "true") || !says("lockedFiles.terminate", "true")
    case "cpu": !says("multitasking", "true") || says("cpu.share", "none")
    case "notifications": !says("multitasking", "true") && says("notifications.kept", "0")
    default: false
    }
  }

  private func says(_ path: String, _ text: String) -> Bool { entry(path)?.text == text }

  private func someRow(_ key: String, otherThan text: String) -> Bool {
    entries.contains {
      $0.text != text && $0.path.hasPrefix("wakes.") && $0.path.hasSuffix("." + key)
    }
  }

  // MARK: Reasons

  /// A sort of reason, by its word in the trace.
  package enum ReasonSort: String, CaseIterable, Sendable { case denial, expiration, end, request }

  /// The reasons of this sort for which this policy may act, in the order of reasons. Ends
  /// and expirations that the user, a crash or a host that expires tasks causes are left out.
  package func reasons(_ sort: ReasonSort) -> [String] {
    switch sort {
    case .denial:
      DenialReasons.all.filter { reason in policy.names.kinds.contains { mayDeny(reason, $0) } }
        .flatMap(\.fileNames) + factsThatDeny
    case .expiration:
      ExpirationReason.fileNames.filter { reason in
        switch reason {
        case "timeLimit": says("multitasking", "true")
        case "thermal": says("multitasking", "true") && !says("tasks.thermalExpiry", "never")
        default: false
        }
      }
    case .end: TerminationReason.fileNames.filter(mayEnd)
    case .request:
      someRow("pending", otherThan: "none")
        ? TaskRequestError.fileNames : [TaskRequestError.unavailable.fileName]
    }
  }

  /// The facts on which some row depends, each once, by the names of the reasons for denial.
  private var factsThatDeny: [String] {
    guard policy.multitasking else { return [] }
    let rows = policy.sessions.values.map(\.conditions) + policy.wakes.values.map(\.conditions)
    let all = rows.reduce(into: FactConditions()) {
      $0.requires.formUnion($1.requires)
      $0.blockedBy.formUnion($1.blockedBy)
    }
    return denials(of: all).flatMap(\.names)
  }

  private func mayEnd(_ reason: String) -> Bool {
    switch reason {
    case "cpuResourceLimit": !isIdle("cpu")
    case "suspendedWithLockedFile": !isIdle("lockedFiles")
    case "backgroundTaskAssertionTimeout", "tooManyBackgroundTasks", "memoryPressure":
      !isIdle("tasks")
    case "abnormalExit", "badAccess", "illegalInstruction", "userForceQuit", "reboot", "oomKill",
      "signal", "spawnFailed", "hostFailure":
      false
    default: true
    }
  }
}
