internal import CurfewEngine

extension TraceHeader {
  /// The header's line, without a line end.
  public var json: String {
    var line = JSONLine()
    line.add("curfew", "trace/1")
    line.add("name", name)
    line.add("policy", policy)
    line.add("policyDigest", policyDigest)
    line.add("seed", seed)
    if apps.count > 1 { line.add("apps", apps) }
    if !exitsOnSuspend.isEmpty { line.add("exitsOnSuspend", exitsOnSuspend) }
    return line.closed
  }
}

extension TraceLine {
  /// The line as the format writes it, without a line end.
  public func json(_ names: CallbackNames = .uikit) -> String {
    var line = JSONLine()
    line.add("t", time.nanoseconds)
    line.add("app", app)
    switch body {
    case .event(let event):
      line.add("type", "event")
      event.write(to: &line)
    case .state(let from, let to):
      line.add("type", "state")
      line.add("from", from.fileName)
      line.add("to", to.fileName)
    case .callback(let callback):
      line.add("type", "callback")
      line.add("name", names.name(of: callback))
    case .task(let change, let id, let name):
      line.add("type", "task")
      line.add("event", change.rawValue)
      line.add("task", id.rawValue)
      line.add("name", name)
    case .expiration(let id, let name, let reason, let due):
      line.add("type", "expiration")
      line.add("task", id.rawValue)
      line.add("name", name)
      line.add("reason", reason.fileName)
      line.add("due", due?.nanoseconds)
    case .session(let kind, let change):
      line.add("type", "session")
      line.add("mode", kind.fileName)
      line.add("event", change.traceName)
    case .decision(let kind, let denied):
      line.add("type", "decision")
      line.add("kind", kind.fileName)
      line.add("allowed", denied.isEmpty)
      line.add("reasons", denied.fileNames)
    case .wake(let kind, let change):
      line.add("type", "wake")
      line.add("kind", kind.fileName)
      line.add("event", change.rawValue)
    case .probe(let state, let remaining):
      line.add("type", "probe")
      line.add("state", state.fileName)
      line.add("backgroundTimeRemaining", remaining?.nanoseconds)
    case .terminated(let process):
      line.add("type", "terminated")
      line.add("reason", process.reason.fileName)
      line.add("code", process.code?.fileName)
      line.add("tasks", process.tasks)
    case .diagnostic(let diagnostic, let subject):
      line.add("type", "diagnostic")
      line.add("name", diagnostic.fileName)
      switch subject {
      case .none: break
      case .step(let verb): line.add("do", verb)
      case .task(let id): line.add("task", id.rawValue)
      }
    }
    return line.closed
  }
}

extension TraceEvent {
  fileprivate func write(to line: inout JSONLine) {
    line.add("do", verb)
    switch self {
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .probe: break
    case .expireTasks(let reason): line.add("reason", reason?.fileName)
    case .deliver(let kind): line.add("kind", kind.fileName)
    case .returned(let moment): line.add("callback", moment.fileName)
    case .beginTask(let label, let handler):
      line.add("task", label)
      if handler == .absent { line.add("handler", "none") }
    case .endTask(.label(let label)): line.add("task", label)
    case .endTask(.id(let id)): line.add("task", id.rawValue)
    case .startSession(let kind), .stopSession(let kind): line.add("mode", kind.fileName)
    case .completeWake(let kind, let result):
      line.add("kind", kind?.fileName)
      line.add("result", result?.fileName)
    case .crash(let reason): line.add("reason", reason?.fileName)
    }
  }
}

extension SessionChange {
  var traceName: String {
    switch self {
    case .began: "begin"
    case .ended: "end"
    case .denied: "denied"
    }
  }

  init?(traceName: String) {
    switch traceName {
    case "begin": self = .began
    case "end": self = .ended
    case "denied": self = .denied
    default: return nil
    }
  }
}
