import CurfewEngine
import CurfewPolicy
import CurfewText

extension TraceEvent {
  /// Adds `do` and the event's own keys.
  func write(to line: inout JSONLine) {
    line.add("do", verb)
    switch self {
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .lockFile,
      .unlockFile, .probe:
      break
    case .expireTasks(let reason): line.add("reason", reason?.fileName)
    case .deliver(let kind): line.add("kind", kind.fileName)
    case .setRefresh(let status): line.add("status", status.fileName)
    case .setDevice(let change): change.write(to: &line)
    case .post(let name, let value):
      line.add("name", name)
      line.add("value", value)
    case .began(let moment), .returned(let moment): line.add("callback", moment.fileName)
    case .beginTask(let label, let handler):
      line.add("task", label)
      if handler == .absent { line.add("handler", "none") }
    case .endTask(.label(let label)): line.add("task", label)
    case .endTask(.id(let id)): line.add("task", id.rawValue)
    case .startSession(let kind), .stopSession(let kind): line.add("mode", kind.fileName)
    case .completeWake(let kind, let result, let older):
      line.add("kind", kind?.fileName)
      line.add("result", result?.fileName)
      if older > 0 { line.add("after", older) }
    case .setFootprint(let bytes): line.add("footprint", SizeText.write(bytes))
    case .useCPU(let share, let length):
      line.add("share", "\(share)%")
      line.add("for", DurationText.write(length))
    case .setMinimumFetchInterval(let interval), .setKeepAlive(let interval): line.add("interval", IntervalText.write(interval))
    case .submitTask(let request): request.write(to: &line)
    case .cancelTask(let identifier): line.add("identifier", identifier)
    case .scheduleNotification(let id, let wait):
      line.add("in", DurationText.write(wait))
      line.add("id", id)
    case .cancelNotification(let id): line.add("id", id)
    case .crash(let reason): line.add("reason", reason?.fileName)
    }
  }
}

extension TraceEvent.Request {
  fileprivate func write(to line: inout JSONLine) {
    line.add("identifier", identifier)
    line.add("kind", kind.fileName)
    if earliest > .zero { line.add("earliest", DurationText.write(earliest)) }
    if requiresNetwork { line.add("requiresNetwork", true) }
    if requiresPower { line.add("requiresPower", true) }
  }
}

/// What a trace says of a device in place of a fact's usual value.
enum DeviceWords {
  static let restricted = "restricted"
  static let policysMemory = "policy"
}

extension DeviceChange {
  /// Adds the facts that it names, in the order of a scenario's `device`.
  func write(to line: inout JSONLine) {
    if isRestricted {
      line.add("backgroundRefresh", DeviceWords.restricted)
    } else if let backgroundRefresh {
      line.add("backgroundRefresh", backgroundRefresh)
    }
    if let lowPowerMode { line.add("lowPowerMode", lowPowerMode) }
    line.add("battery", battery.map { "\($0)%" })
    if let charging { line.add("charging", charging) }
    line.add("network", network?.fileName)
    line.add("memory", hasPolicysMemory ? DeviceWords.policysMemory : memory.map(SizeText.write))
    line.add("thermal", thermal?.fileName)
  }
}
