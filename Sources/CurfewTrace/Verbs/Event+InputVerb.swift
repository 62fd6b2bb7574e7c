package import CurfewEngine

extension Event {
  /// The verb in files.
  package var verb: InputVerb {
    switch self {
    case .launch: .launch
    case .home: .home
    case .lock: .lock
    case .unlock: .unlock
    case .interrupt: .interrupt
    case .acceptInterruption: .acceptInterruption
    case .ignoreInterruption: .ignoreInterruption
    case .forceQuit: .forceQuit
    case .reboot: .reboot
    case .expireTasks: .expireTasks
    case .deliver: .deliver
    case .setRefresh: .setRefresh
    case .setFact: .setFact
    case .setDevice: .setDevice
    case .setFootprint: .setFootprint
    case .removeApp: .removeApp
    case .post: .post
    case .began: .begin
    case .returned: .return
    case .beginTask: .beginTask
    case .endTask: .endTask
    case .startSession: .startSession
    case .stopSession: .stopSession
    case .completeWake: .completeWake
    case .setWakeHandler: .setWakeHandler
    case .setInterval(_, .fetch, _): .setMinimumFetchInterval
    case .setInterval(_, .voipKeepAlive, _): .setKeepAlive
    case .setInterval: .setInterval
    case .submitTask: .submitTask
    case .cancelTask: .cancelTask
    case .lockFile: .lockFile
    case .unlockFile: .unlockFile
    case .useCPU: .useCPU
    case .scheduleNotification: .scheduleNotification
    case .cancelNotification: .cancelNotification
    case .crash: .crash
    case .probe: .probe
    }
  }
}
