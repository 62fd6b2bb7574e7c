internal import CurfewEngine

/// A task's warning that has been decided, on its way to the task's handler.
struct Warning {
  let app: AppID
  let task: BackgroundTask
  let name: String
  let identifier: BackgroundTaskIdentifier
  let reason: ExpirationReason
  let due: Instant
  let instant: Instant
  let making: Making
  /// The process that was warned.
  let process: AppProcess?
  /// Whether the engine waits for a handler's return.
  let hasHandler: Bool
}

/// Warnings are handed over in slices: one step can warn a hundred thousand apps (rule F11), and whoever wants the device's lock meanwhile waits for one slice of what
/// that leads to, not for all of it.
extension DeviceState {
  /// How many are handed over without letting go of the lock: some hundred microseconds' worth.
  static var slice: Int { 64 }

  var hasWarnings: Bool { firstWarning < warnings.count }

  /// Hands over the first of them, in order.
  mutating func handOverWarnings(_ core: DeviceCore) {
    let end = min(warnings.count, firstWarning + DeviceState.slice)
    while firstWarning < end {
      handOver(warnings[firstWarning], core)
      firstWarning += 1
      handedOver += 1
    }
    guard !hasWarnings else { return }
    warnings.removeAll(keepingCapacity: warnings.count <= DeviceState.slice)
    firstWarning = 0
  }

  private mutating func handOver(_ warning: Warning, _ core: DeviceCore) {
    let (app, task) = (Int(warning.app.rawValue), warning.task)
    var expiration = Expiration(
      app: apps[app].name, task: warning.name, identifier: warning.identifier,
      reason: warning.reason, due: warning.due, instant: warning.instant, outcome: .waiting, making: warning.making)
    guard warning.hasHandler, warning.process === apps[app].process else {
      // Its process has ended since, and took the task along.
      if warning.hasHandler { counts.handlersLeftOut += 1 }
      expiration.outcome = .leftOut(.processEnded)
      apps[app].expirations.append(expiration)
      return
    }
    let number = apps[app].expirations.append(expiration)
    let handler = tasks.takeHandler(task, warning.app, for: number)
    // The app may have ended the task since: the engine still waits for a return, and the handler is not called.
    if handler == nil { apps[app].expirations.change(number) { $0.outcome = .leftOut(.taskEnded) } }
    post(.expiration(handler ?? .plain {}, expiration), to: warning.app, core)
  }

  /// They are not handed over any more.
  mutating func dropWarnings() {
    counts.handlersLeftOut += warnings[firstWarning...].count { $0.hasHandler }
    warnings.removeAll()
    firstWarning = 0
  }
}
