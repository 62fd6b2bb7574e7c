import CurfewEngine
import CurfewTrace

/// What entered the engine, in the words of the step that it comes from.
enum EventText {
  static func of(_ event: TraceEvent) -> String {
    switch event {
    case .beginTask(let label, let handler): "beginTask '\(label)'" + (handler == .absent ? ", no handler" : "")
    case .endTask(.label(let label)): "endTask '\(label)'"
    case .endTask(.id(let id)): "endTask \(id.rawValue)"
    case .began(let moment): "\(moment.fileName) begins"
    case .returned(let moment): "\(moment.fileName) returns"
    case .deliver(let kind): "deliver \(kind.fileName)"
    case .startSession(let kind): "startSession \(kind.fileName)"
    case .stopSession(let kind): "stopSession \(kind.fileName)"
    case .completeWake(let kind, let result, _): words("completeWake", kind?.fileName, result?.fileName)
    case .crash(let reason): words("crash", reason?.fileName)
    case .expireTasks(let reason): words("expireTasks", reason?.fileName)
    case .setRefresh(let status): "setRefresh \(status.fileName)"
    case .setDevice(let change): "setDevice " + of(change)
    case .post(let name, let value): words("post", name, value)
    case .setFootprint(let bytes): "setFootprint \(HumanSize.text(bytes))"
    case .useCPU(let share, let length): "useCPU \(share)% for \(HumanTime.text(length))"
    case .setMinimumFetchInterval(let interval): "setMinimumFetchInterval \(interval.map(HumanTime.text) ?? "never")"
    case .setKeepAlive(let interval): "setKeepAlive \(interval.map(HumanTime.text) ?? "never")"
    case .submitTask(let request): of(request)
    case .cancelTask(let identifier): "cancelTask '\(identifier)'"
    case .scheduleNotification(let id, let interval): "scheduleNotification '\(id)' in \(HumanTime.text(interval))"
    case .cancelNotification(let id): "cancelNotification '\(id)'"
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .lockFile,
      .unlockFile, .probe:
      event.verb
    }
  }

  private static func words(_ words: String?...) -> String { words.compactMap(\.self).joined(separator: " ") }

  private static func of(_ request: TraceEvent.Request) -> String {
    let conditions = [
      request.earliest > .zero ? "in \(HumanTime.text(request.earliest)) at the earliest" : nil,
      request.requiresNetwork ? "with a network" : nil, request.requiresPower ? "on power" : nil,
    ]
    return (["submitTask '\(request.identifier)' \(request.kind.fileName)"] + conditions.compactMap(\.self)).joined(separator: ", ")
  }

  private static func of(_ change: DeviceChange) -> String {
    let facts = [
      change.isRestricted ? "backgroundRefresh restricted" : change.backgroundRefresh.map { "backgroundRefresh \($0)" },
      change.lowPowerMode.map { "lowPowerMode \($0)" },
      change.battery.map { "battery \($0)%" }, change.charging.map { "charging \($0)" }, change.network.map { "network \($0.fileName)" },
      change.hasPolicysMemory ? "memory as the policy says" : change.memory.map { "memory \(HumanSize.text($0))" },
      change.thermal.map { "thermal \($0.fileName)" },
    ]
    return facts.compactMap(\.self).joined(separator: ", ")
  }
}

/// Sizes as files write them, in the largest unit that leaves a whole number: `120MiB`, `1500B`.
enum HumanSize {
  static func text(_ bytes: Int64) -> String {
    for (unit, scale) in [("GiB", Int64(1) << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= scale && bytes % scale == 0 {
      return "\(bytes / scale)\(unit)"
    }
    return "\(bytes)B"
  }

  /// A policy's text for a value, with a size in it made readable.
  static func readable(_ text: String) -> String {
    guard text.hasSuffix("B"), let bytes = Int64(text.dropLast()) else { return text }
    return self.text(bytes)
  }
}
