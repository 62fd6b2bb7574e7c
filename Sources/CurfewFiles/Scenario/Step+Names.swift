extension Step.Action {
  /// The verb: what files write after `do:`.
  public var fileName: String {
    switch self {
    case .launch: "launch"
    case .home: "home"
    case .lock: "lock"
    case .unlock: "unlock"
    case .interrupt: "interrupt"
    case .acceptInterruption: "acceptInterruption"
    case .ignoreInterruption: "ignoreInterruption"
    case .forceQuit: "forceQuit"
    case .reboot: "reboot"
    case .expireTasks: "expireTasks"
    case .deliver: "deliver"
    case .call(_, let call): call.fileName
    }
  }
}

extension Call {
  /// The verb: what files write after `do:`.
  public var fileName: String {
    switch self {
    case .beginTask: "beginTask"
    case .endTask: "endTask"
    case .startSession: "startSession"
    case .stopSession: "stopSession"
    case .completeWake: "completeWake"
    case .crash: "crash"
    case .probe: "probe"
    }
  }
}
