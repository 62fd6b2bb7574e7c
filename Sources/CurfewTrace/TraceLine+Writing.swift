import CurfewEngine
import CurfewText

extension TraceLine {
  /// Whether both are written alike. They need not be equal: kinds of event share a callback's name, and of a process's end the engine
  /// knows more than its line says.
  func isWritten(like other: TraceLine) -> Bool { self == other || json() == other.json() }

  /// The line as the format writes it, without a line end.
  public func json(_ names: CallbackNames = .uikit) -> String {
    var line = JSONLine()
    line.add("t", time.nanoseconds)
    line.add("app", app)
    switch body {
    case .event(let event):
      line.add("type", "event")
      event.write(to: &line)
    case .advance:
      line.add("type", "advance")
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
    case .decision(let kind, let denied, let next):
      line.add("type", "decision")
      line.add("kind", kind.fileName)
      line.add("allowed", denied.isEmpty)
      line.add("reasons", denied.fileNames)
      line.add("next", next?.nanoseconds)
    case .wake(let kind, let change):
      line.add("type", "wake")
      line.add("kind", kind.fileName)
      line.add("event", change.rawValue)
    case .notification(let name, let value):
      line.add("type", "notification")
      line.add("name", name)
      line.add("value", value)
    case .localNotification(let id, let fate):
      line.add("type", "notification")
      line.add("id", id)
      line.add("event", fate.fileName)
    case .request(let identifier, let kind, let change):
      line.add("type", "request")
      line.add("identifier", identifier)
      line.add("kind", kind.fileName)
      line.add("event", change.traceName)
      if case .refused(let error) = change { line.add("error", error.fileName) }
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
    case .gap(let dropped):
      line.add("type", "gap")
      line.add("dropped", Int64(dropped))
    }
    return line.closed
  }
}

extension TraceLine: CustomStringConvertible {
  /// The line as the format writes it.
  public var description: String { json() }
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

extension RequestChange {
  fileprivate var traceName: String {
    switch self {
    case .submitted: "submit"
    case .replaced: "replace"
    case .started: "start"
    case .cancelled: "cancel"
    case .refused: "refused"
    }
  }
}
