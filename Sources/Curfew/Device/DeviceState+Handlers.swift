import CurfewEngine

/// Handlers on their way to their first lines, and what becomes of them.
extension DeviceState {
  /// Whether a process is to be called with this after all, and counts it: the handler of a task
  /// that has been ended is not called any more (rule F5), nor that of a wake or a session which
  /// is over (rules W6, L4).
  mutating func isWanted(_ delivery: inout Delivery) -> Bool {
    let now = now
    switch delivery {
    case .expiration(let handler, var expiration):
      guard let number = tasks.callHandler(expiration.identifier) else {
        counts.handlersLeftOut += 1
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
    case .callback, .wake, .event, .notification, .localNotification: break
    }
    return true
  }

  /// A task is no more: where its handler was on its way it is not called any more.
  mutating func leaveOutHandler(of task: OpenTasks.Remains, _ cause: Expiration.Cause) {
    guard let number = task.expiration else { return }
    apps[task.app].expirations.change(number) { $0.outcome = .leftOut(cause) }
  }

  /// A process has taken a task along. Its handler is missed if it was due: whether it had been
  /// decided, or waited for the app behind others when the grant ended.
  mutating func noteMiss(of task: OpenTasks.Remains, _ end: Termination) {
    let isOver = end.reason == .backgroundTaskAssertionTimeout && end.kind == .finiteTask
    if task.expiration != nil || task.handler != nil && (task.isHandlerDue || isOver) {
      lateness?.missedHandlers += 1
    }
  }

  /// It will not be delivered any more.
  mutating func leaveOut(_ delivery: Delivery) {
    switch delivery {
    case .expiration: counts.handlersLeftOut += 1
    case .wakeExpiration, .sessionExpiration: if !isClosed { lateness?.missedHandlers += 1 }
    case .turn(let turn): turn.leaveOut()
    case .callback, .wake, .event, .notification, .localNotification: break
    }
    outgoing.deliveries.append(delivery)
  }
}
