internal import CVirtualTime

/// The steps of a thread that runs other captured work inside its wait: the thread of a test,
/// a handler or a task. Such waits end in the reverse order of their beginnings.
extension Capture {
  enum Step {
    case wentOn, reachedLimit
    /// Nothing is left that may run, now or later.
    case nothingLeft
  }

  /// Notes that the calling thread begins to wait. While the main thread waits, none of its jobs
  /// runs, as on a phone.
  func waitBegins() {
    if cvt_is_main_thread() { scheduler.beginMainThreadUse(by: nil) }
    scheduler.beginIdling()
  }

  func waitEnds() { if cvt_is_main_thread() { scheduler.endMainThreadUse() } }

  /// Runs one job of other work. If there is none, lets time pass to the next instant at which
  /// something is due, or to `limit`.
  func stepAside(until limit: Nanoseconds) -> Step {
    guard !isRestless else { return .nothingLeft }
    scheduler.resumeWorkers()
    if scheduler.idleJobs == nil, let entry = scheduler.next(withBody: !isHostDue) {
      run(entry)
      return .wentOn
    }
    if EscapeLedger.shared.settle() || EscapeLedger.shared.handOverNext(untilSignal: true) {
      return .wentOn
    }
    if now >= limit { return .reachedLimit }
    let end = limit == .max ? nil : limit
    guard advanceToNext(upTo: end) else { return .nothingLeft }
    scheduler.beginIdling()
    return .wentOn
  }

  private func advanceToNext(upTo limit: Nanoseconds?) -> Bool {
    if let host { return host.advanceToNext(orSleep: nextSleep, upTo: limit) }
    guard let instant = [nextSleep, limit].compactMap(\.self).min() else { return false }
    wake(upTo: instant)
    return true
  }
}
