internal import CVirtualTime

/// The steps of a thread that waits and that nobody has called. Each step runs on a worker, so
/// that code which waits in it keeps its own thread.
extension Capture {
  enum Step {
    case wentOn, reachedLimit
    /// Nothing is left that may run, now or later.
    case nothingLeft
  }

  /// The result of steps on a worker; incomplete if the worker has left its turn.
  final class Steps {
    var last = Step.wentOn
    var isOver = false
  }

  /// Takes steps until the wait is over or nothing is left, or until this worker itself has waited.
  func stepAside(until limit: Nanoseconds, isOver: () -> Bool, _ steps: Steps) {
    let turn = lanes.current
    let waits = turn?.waits
    repeat {
      let step = stepAside(until: limit)
      guard turn?.waits == waits else { return }
      steps.last = step
      guard step == .wentOn else { return }
      steps.isOver = isOver()
    } while !steps.isOver
  }

  /// Runs one job of other work. If there is none, lets time pass to the next instant at which
  /// something is due, or to `limit`.
  private func stepAside(until limit: Nanoseconds) -> Step {
    guard !isRestless else { return .nothingLeft }
    scheduler.notifyEmptyGroups()
    scheduler.resumeWaits()
    if scheduler.idleJobs == nil, let entry = scheduler.next(withBody: !isHostDue) {
      run(entry)
      return .wentOn
    }
    if EscapeLedger.shared.settle() || EscapeLedger.shared.handOverNext(untilSignal: true) {
      return .wentOn
    }
    if now >= limit { return .reachedLimit }
    if waitForSessions() { return .wentOn }
    let end = limit == .max ? nil : limit
    guard advanceToNext(upTo: end) else { return .nothingLeft }
    scheduler.beginIdling()
    return .wentOn
  }

  private func advanceToNext(upTo limit: Nanoseconds?) -> Bool {
    if let host, host.advanceToNext(orSleep: nextSleep, upTo: limit) { return true }
    // A host that has ended does not advance; sleeps and limits continue without it.
    guard let instant = [nextSleep, limit].compactMap(\.self).min() else { return false }
    wake(upTo: instant)
    return true
  }
}
