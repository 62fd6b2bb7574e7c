import CurfewEngine

/// The delivery of warnings to their processes.
extension DeviceState {
  /// Hands over the first warnings, in order, up to the limit of the call.
  mutating func handOverWarnings(_ call: inout Call) {
    while call.slice > 0, let warning = warnings.popFirst() {
      handOver(warning)
      call.slice -= 1
    }
  }

  private mutating func handOver(_ warning: Warning) {
    let app = warning.app
    var expiration = Expiration(
      app: apps[app].name, task: warning.name, identifier: warning.identifier,
      reason: warning.reason, due: warning.due, instant: warning.instant, outcome: .waiting,
      making: warning.making)
    guard warning.hasHandler, warning.process === apps[app].process else {
      // The process and its task have ended since the decision.
      if warning.hasHandler { counts.skippedHandlers += 1 }
      expiration.outcome = .leftOut(.processEnded)
      apps[app].expirations.append(expiration)
      return
    }
    let number = apps[app].expirations.append(expiration)
    let handler = tasks.takeHandler(warning.task, app, for: number)
    // The app may have ended the task since the decision. The engine then still waits for a return,
    // but the handler is not called.
    if handler == nil { apps[app].expirations.change(number) { $0.outcome = .leftOut(.taskEnded) } }
    post(.expiration(handler ?? .plain {}, expiration), to: app)
  }
}
