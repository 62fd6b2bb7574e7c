import CurfewEngine

/// Handlers that are about to start, and their outcomes.
extension DeviceState {
  /// Whether a delivery must still be performed; if so, counts it. The handler of a task that has
  /// ended is no longer called (rule F5); nor is the handler of a wake or a session that is over
  /// (rules W6, L4), nor a suspension that has been left (rule A6).
  mutating func isWanted(_ delivery: inout Delivery) -> Bool {
    let now = now
    switch delivery {
    case .expiration(let handler, var expiration):
      guard let number = tasks.callHandler(expiration.identifier) else {
        counts.skippedHandlers += 1
        return false
      }
      counts.handlersCalled += 1
      lateness?.firstLines.record(now - expiration.due)
      expiration.outcome = .called(at: now)
      apps[expiration.identifier.app].expirations.change(number) { $0.outcome = expiration.outcome }
      delivery = .expiration(handler, expiration)
    case .wakeExpiration(_, let (app, wake), let due):
      guard apps[app].process?.wakes[wake]?.handler != nil else { return false }
      lateness?.firstLines.record(now - due)
    case .sessionExpiration(_, let (app, session, start), let due):
      guard apps[app].process?.sessions[session]?.start == start else { return false }
      lateness?.firstLines.record(now - due)
    case .turn(let turn):
      guard driver.engine.state(of: turn.app) != .suspended else {
        turn.leaveOut()
        return false
      }
    case .host(let calls, let call): return !isClosed && calls.begin(call)
    case .callback, .wake, .event, .notification, .localNotification: break
    }
    return true
  }

  /// Notes that the handler of an ended task will not be called, if it was about to start.
  mutating func leaveOutHandler(of task: OpenTasks.Remains, _ cause: Expiration.Cause) {
    guard let number = task.expiration else { return }
    apps[task.app].expirations.change(number) { $0.outcome = .leftOut(cause) }
  }

  /// Counts a missed handler if the process ended before a due handler of the task was called.
  /// A handler is due if the device has decided to call it, or if it was waiting behind other
  /// deliveries when the grant ended.
  mutating func noteMiss(of task: OpenTasks.Remains, _ end: EngineProcessEnd) {
    let isOver = end.reason == .backgroundTaskAssertionTimeout && end.kind == .finiteTask
    if task.expiration != nil || task.handler != nil && (task.isHandlerDue || isOver) {
      lateness?.missedHandlers += 1
    }
  }

  /// Notes that a delivery will not be performed.
  mutating func leaveOut(_ delivery: Delivery) {
    switch delivery {
    case .expiration: counts.skippedHandlers += 1
    case .wakeExpiration, .sessionExpiration: if !isClosed { lateness?.missedHandlers += 1 }
    case .turn(let turn): turn.leaveOut()
    case .callback, .wake, .event, .notification, .localNotification, .host: break
    }
    outgoing.deliveries.append(delivery)
  }
}
