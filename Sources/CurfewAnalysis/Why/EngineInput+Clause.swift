import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

extension EngineInput {
  /// A clause that describes the event: `the user pressed Home`.
  ///
  /// The switch is total: a new verb needs its wording here.
  ///
  /// - Parameter who: The app that acted or was acted on: `it`, or another app's name.
  func clause(of who: String?) -> String {
    switch verb {
    case .launch: "the user opened \(who ?? "it")"
    case .home: "the user pressed Home"
    case .lock: "the user locked the device"
    case .unlock: "the user unlocked the device"
    case .interrupt: "a call or an alert came up"
    case .acceptInterruption: "the user accepted the interruption"
    case .ignoreInterruption: "the user dismissed the interruption"
    case .forceQuit: "the user force-quit \(who ?? "it") in the app switcher"
    case .reboot: "the device restarted"
    case .expireTasks: "grants were revoked: \((expiration ?? .policyRevoked).fileName)"
    case .deliver:
      "the world asked for a wake\(who == "it" ? "" : " of \(who ?? "")"): \(kind?.rawValue ?? "")"
    case .setRefresh:
      "Background App Refresh was turned \(status == .available ? "on" : "off")\(status == .restricted ? " and restricted" : "") for \(who ?? "the device")"
    case .setFact: "'\(fact ?? "")' \(holds ? "became true" : "became false")"
    case .setDevice: "the device changed: \(device?.words ?? "")"
    case .removeApp: "the user removed \(who ?? "it")"
    case .post: "'\(name ?? "")' was posted"
    case .beginTask: "\(who ?? "it") began a task '\(name ?? "")'"
    case .endTask, .startSession, .stopSession, .completeWake, .submitTask, .cancelTask,
      .scheduleNotification,
      .cancelNotification, .probe, .begin, .return, .setWakeHandler, .addApp:
      "\(who ?? "it"): \(self)"
    case .setFootprint: "\(who ?? "it") took up \(HumanSize.text(footprint ?? 0))"
    case .lockFile: "\(who ?? "it") locked a file"
    case .unlockFile: "\(who ?? "it") unlocked a file"
    case .useCPU:
      "\(who ?? "it") used \(share ?? 0)% of the processor for \(HumanTime.text(length ?? .zero))"
    case .setMinimumFetchInterval:
      "\(who ?? "it") asked for fetches \(EngineInput.often(interval ?? nil))"
    case .setKeepAlive: "\(who ?? "it") asked for keep-alives \(EngineInput.often(interval ?? nil))"
    case .setInterval:
      "\(who ?? "it") asked for \(kind?.rawValue ?? "wakes") \(EngineInput.often(interval ?? nil))"
    case .crash:
      crashClause(of: who)
    }
  }

  private func crashClause(of who: String?) -> String {
    let who = who ?? "it"
    return switch crashReason {
    case .normalAppExit: "\(who) exited by itself"
    case .exit(let status): "\(who) exited with status \(status)"
    case .oomKill: "the kernel killed \(who) because memory was short"
    case .signal(let number): "signal \(number) ended \(who)"
    case .spawnFailed(let error):
      "\(who == "it" ? "its process" : "the process of \(who)") could not be started (\(error.rawValue))"
    case .hostFailure: "\(who == "it" ? "its host" : "the host of \(who)") failed"
    case .abnormalExit, .badAccess, .illegalInstruction, nil: "\(who) crashed"
    }
  }

  private static func often(_ interval: Interval?) -> String {
    interval.map { "every \(HumanTime.text($0))" } ?? "never"
  }
}
