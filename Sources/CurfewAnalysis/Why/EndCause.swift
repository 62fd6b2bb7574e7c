package import CurfewEngine
import CurfewPolicy
import CurfewTrace

extension RecordedProcessEnd {
  /// A clause that says why the app's process ended, and the rule of the rule book that ended it.
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
        ? ("a session that exceeds its length ends its app", "L4")
        : ("a wake that is not completed ends its app", "W2")
    case .backgroundTaskAssertionTimeout: return ("the grant ended with \(open) open", "F6")
    case .tooManyBackgroundTasks: return ("it held too many tasks", "F9")
    case .appWatchdog:
      return ("\(details?.callback?.fileName ?? "a callback") did not return in time", "A10")
    case .cpuResourceLimit: return ("it used too much processor time", "D4")
    case .memoryResourceLimit: return ("it exceeded its memory limit", "M2")
    case .memoryPressure: return ("memory was full, and it was next to be purged", "M1")
    case .suspendedWithLockedFile:
      return ("it held a locked file when it was to be suspended", "D3")
    case .userForceQuit: return ("the user quit it", "A7")
    case .reboot: return ("the restart ended its process", "A8")
    case .normalAppExit: return ("it exited", isOwnDoing ? "D2" : "A9")
    case .abnormalExit where details?.kind != nil:
      return ("it completed a wake twice (\(CompletedTwice.exception))", "W2")
    case .oomKill: return ("the kernel killed it because memory was short", "D2")
    case .signal: return ("\(exit.map { "\($0)" } ?? "a signal") ended it", "D2")
    case .spawnFailed:
      return ("its process could not be started\(exit.map { " (\($0))" } ?? "")", "D2")
    case .hostFailure: return ("its host failed", "D2")
    case .abnormalExit, .badAccess, .illegalInstruction:
      return (exit.map { "it exited with \($0)" } ?? "it crashed", "D2")
    }
  }

  /// The clause of `cause(_:isOwnDoing:)` for an end that is still to come; nil if that clause
  /// is in the present tense.
  var expectedCause: String? {
    let open = (tasks ?? []).map { "'\($0)'" }.joined(separator: ", ")
    switch reason {
    case .backgroundTaskAssertionTimeout:
      return tasks == nil ? nil : "the grant will end with \(open) open"
    case .tooManyBackgroundTasks: return "it will hold too many tasks"
    case .appWatchdog:
      return "\(details?.callback?.fileName ?? "a callback") will not have returned in time"
    case .cpuResourceLimit: return "it will have used too much processor time"
    case .memoryResourceLimit: return "it will exceed its memory limit"
    case .memoryPressure: return "memory will be full, and it will be next to be purged"
    case .suspendedWithLockedFile: return "it will hold a locked file when it is to be suspended"
    case .userForceQuit: return "the user will quit it"
    case .reboot: return "the restart will end its process"
    case .normalAppExit: return "it will exit"
    case .abnormalExit where details?.kind != nil:
      return "it will complete a wake twice (\(CompletedTwice.exception))"
    case .oomKill: return "memory will be short, and the kernel will kill it"
    case .signal: return "\(exit.map { "\($0)" } ?? "a signal") will end it"
    case .spawnFailed: return "it will not be possible to start its process"
    case .hostFailure: return "its host will fail"
    case .abnormalExit, .badAccess, .illegalInstruction:
      return exit.map { "it will exit with \($0)" } ?? "it will crash"
    }
  }
}
