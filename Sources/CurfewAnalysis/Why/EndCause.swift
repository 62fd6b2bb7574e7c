package import CurfewEngine
import CurfewPolicy
import CurfewTrace

extension RecordedProcessEnd {
  /// A clause about the app that says why its process ended, and the rule of the rule book that
  /// ends it.
  ///
  /// - Parameters:
  ///   - names: The policy's names for its kinds.
  ///   - isOwnDoing: Whether the app exited or crashed by itself, which the reason `normalAppExit`
  ///     alone does not say.
  package func cause(_ names: PolicyNames, isOwnDoing: Bool) -> (words: String, rule: String) {
    let open = (tasks ?? []).map { "'\($0)'" }.joined(separator: ", ")
    switch reason {
    case .backgroundTaskAssertionTimeout where tasks == nil:
      let isSession = details?.kind.flatMap(names.class) == .session
      let what = isSession ? "a session" : "a wake"
      if details?.limit == .budget {
        return ("\(what) that has used up its budget ends its app", "W4")
      }
      return isSession
        ? ("a session that goes on beyond its time ends its app", "L4")
        : ("a wake that is not completed ends its app", "W2")
    case .backgroundTaskAssertionTimeout: return ("the grant ended with \(open) open", "F6")
    case .tooManyBackgroundTasks: return ("it held too many tasks", "F9")
    case .appWatchdog:
      return ("\(details?.callback?.fileName ?? "a callback") had not returned in its time", "A10")
    case .cpuResourceLimit: return ("it used too much of the processor", "D4")
    case .memoryResourceLimit: return ("it took up more than it may", "M2")
    case .memoryPressure: return ("memory was full, and it was its turn to go", "M1")
    case .suspendedWithLockedFile:
      return ("it held a locked file when it was to be suspended", "D3")
    case .userForceQuit: return ("it was quit", "A7")
    case .reboot: return ("its process went with the restart", "A8")
    case .normalAppExit: return ("it left", isOwnDoing ? "D2" : "A9")
    case .abnormalExit where details?.kind != nil:
      return (
        "it completed a wake twice (NSInternalInconsistencyException: this request has been neutered - you can't call -sendResponse: twice nor after encoding it)",
        "W2"
      )
    case .abnormalExit, .badAccess, .illegalInstruction:
      return ("its process ended by its own doing", "D2")
    }
  }
}
