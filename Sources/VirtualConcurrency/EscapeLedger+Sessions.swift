internal import CVirtualTime
internal import Foundation

/// `URLSession` tasks hold virtual time back: real time serves them, and no virtual time-out may
/// come before an answer that is under way.
extension EscapeLedger {
  /// Waits for the `URLSession` tasks that captured work has resumed: until one of them is done,
  /// until outside work resumes a captured task, or until `isInterrupted`. Each task holds time
  /// back for `patience` at most, and so do all tasks of one instant, because a client may begin
  /// one task after another.
  /// - Returns: Whether there was such a task, so that captured work may be able to go on.
  func waitForSessions(
    at instant: Nanoseconds, patience: Double, isInterrupted: () -> Bool
  ) -> Bool {
    condition.lock()
    let isHeldBack = isHeldBack(at: instant, for: patience)
    let before = resumptions
    condition.unlock()
    guard isHeldBack else { return false }
    handOverAll { $0.escape.kind == .session }
    // The wait is for something outside, so the thread does not count as one that hangs.
    let driver = cvt_pause_driver()
    defer { cvt_resume_driver(driver) }
    let count = sessionsUnderWay(for: patience)
    while count > 0, sessionsUnderWay(for: patience) == count, !isInterrupted() {
      condition.lock()
      let isHoldOver = hold.map { $0.since.age >= patience } ?? true
      let isOver = resumptions != before || isHoldOver
      if !isOver { _ = condition.wait(forReal: 0.002) }
      condition.unlock()
      if isOver { break }
    }
    return true
  }

  /// Whether captured work has resumed `URLSession` tasks that may not be done.
  fileprivate var hasSessions: Bool {
    condition.lock()
    defer { condition.unlock() }
    return known.contains { $0.kind == .session && $0.parent == nil }
  }

  private func sessionsUnderWay(for patience: Double) -> Int {
    condition.lock()
    let count = known.count { $0.holdsTimeBack(for: patience) }
    let released = releases
    releases = []
    condition.unlock()
    withExtendedLifetime(released) {}
    return count
  }

  /// The lock is held.
  private func isHeldBack(at instant: Nanoseconds, for patience: Double) -> Bool {
    guard known.contains(where: { $0.holdsTimeBack(for: patience) }) else { return false }
    if hold?.instant != instant { hold = (instant, .now) }
    return hold!.since.age < patience
  }
}

extension Capture {
  /// Waits for `URLSession` tasks in flight. Called before time passes.
  /// - Returns: Whether captured work may be able to go on, so that time must not pass yet.
  package func waitForSessions() -> Bool {
    guard EscapeLedger.shared.hasSessions, cvt_clock() != nil, !isRestless, !isAbandoned,
      !isCancelled
    else { return false }
    let arrivals = scheduler.countArrivals()
    return EscapeLedger.shared.waitForSessions(at: now, patience: patience) {
      scheduler.countArrivals() != arrivals
    }
  }

  private var isCancelled: Bool {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return cancellation != nil
  }
}
