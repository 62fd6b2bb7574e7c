import CurfewEngine
import CurfewPolicy
import CurfewText

extension RawLine {
  /// The event that the line's `do` and its keys mean.
  func traceEvent() throws(Refusal) -> TraceEvent {
    switch try need(`do`, "do") {
    case "launch": return .launch
    case "home": return .home
    case "lock": return .lock
    case "unlock": return .unlock
    case "interrupt": return .interrupt
    case "acceptInterruption": return .acceptInterruption
    case "ignoreInterruption": return .ignoreInterruption
    case "forceQuit": return .forceQuit
    case "reboot": return .reboot
    case "expireTasks": return .expireTasks(try optional(reason, "reason"))
    case "deliver": return .deliver(try named(kind, "kind"))
    case "setRefresh": return .setRefresh(try named(status, "status"))
    case "setDevice": return .setDevice(try deviceChange())
    case "post": return .post(name: try need(name, "name"), value: value)
    case "begin": return .began(try named(callback, "callback"))
    case "return": return .returned(try named(callback, "callback"))
    default: return try ownCall()
    }
  }

  private func ownCall() throws(Refusal) -> TraceEvent {
    switch try need(`do`, "do") {
    case "beginTask":
      guard case .label(let label) = try need(task, "task") else { throw Refusal("a begun task is named by its label") }
      return .beginTask(label, handler == "none" ? .absent : .present)
    case "endTask":
      switch try need(task, "task") {
      case .label(let label): return .endTask(.label(label))
      case .number(let id): return .endTask(.id(TaskID(rawValue: id)))
      }
    case "startSession": return .startSession(try named(mode, "mode"))
    case "stopSession": return .stopSession(try named(mode, "mode"))
    case "completeWake":
      guard let older = UInt32(exactly: after ?? 0) else { throw Refusal("'after' is a number of wakes, found \(after ?? 0)") }
      return .completeWake(try optional(kind, "kind"), try optional(result, "result"), after: older)
    case "setFootprint": return .setFootprint(try SizeText.read(try need(footprint, "footprint")))
    case "lockFile": return .lockFile
    case "unlockFile": return .unlockFile
    case "useCPU":
      return .useCPU(share: try ShareText.read(try need(share, "share")), length: try DurationText.read(try need(`for`, "for")))
    case "setMinimumFetchInterval": return .setMinimumFetchInterval(try IntervalText.read(try need(interval, "interval")))
    case "setKeepAlive": return .setKeepAlive(try IntervalText.read(try need(interval, "interval")))
    case "submitTask": return .submitTask(try request())
    case "cancelTask": return .cancelTask(identifier: try need(identifier, "identifier"))
    case "scheduleNotification":
      return .scheduleNotification(id: try need(id, "id"), after: try DurationText.read(try need(`in`, "in")))
    case "cancelNotification": return .cancelNotification(id: try need(id, "id"))
    case "crash": return .crash(try optional(reason, "reason"))
    case "probe": return .probe
    default: throw unknown(`do`, "do")
    }
  }

  private func optional<Value: FileNamed>(_ text: String?, _ key: String) throws(Refusal) -> Value? {
    guard let text else { return nil }
    return try named(text, key)
  }

  private func deviceChange() throws(Refusal) -> DeviceChange {
    let device = RawDevice(
      backgroundRefresh: backgroundRefresh, lowPowerMode: lowPowerMode, battery: battery, charging: charging, network: network,
      memory: memory, thermal: thermal)
    let change = try device.change()
    guard !change.isEmpty else { throw Refusal("'setDevice' names no fact") }
    return change
  }

  private func request() throws(Refusal) -> TraceEvent.Request {
    var request = TraceEvent.Request(
      identifier: try need(identifier, "identifier"), kind: try requestKind(), requiresNetwork: requiresNetwork ?? false,
      requiresPower: requiresPower ?? false)
    if let earliest { request.earliest = try DurationText.read(earliest) }
    return request
  }
}
