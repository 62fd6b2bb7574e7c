import CurfewEngine

/// Which deliveries of a trace returned at once.
///
/// A return at once is not written. A delivery without a written return has returned at once, or has not returned before its process ended; which of
/// the two can be told from what follows, because a busy run loop takes nothing, changes no state, and dies of its limit.
struct TraceReturns {
  /// For each line whether it is a delivery that returned at once.
  private(set) var atOnce: [Bool]
  /// The deliveries whose process ended at the very instant of their limit, and not by it: what was due first is known to an engine alone.
  private(set) var untilLimit: Set<Int> = []

  /// - Complexity: O(lines).
  init(_ trace: Trace, limits: CallbackLimits) {
    atOnce = Array(repeating: false, count: trace.lines.count)
    /// What comes next for an app, seen from the line that is being looked at.
    var next: [String: Next] = [:]
    let end = trace.lines.last?.time ?? .zero
    for index in trace.lines.indices.reversed() {
      let line = trace.lines[index]
      guard let app = line.app else { continue }
      switch line.body {
      case .event(let deed) where deed.verb == .return: next[app] = .returned
      case .state(_, .notRunning): next[app] = .death(at: line.time, next[app]?.reason, line: index)
      case .terminated(let process): next[app] = .record(process.reason)
      case .state, .notification, .localNotification(_, .delivered): next[app] = .life
      case .callback, .expiration, .wake(_, .begin):
        atOnce[index] = TraceReturns.isAtOnce(line, index, next[app], end: end, limits)
        if atOnce[index], case .callback(.lifecycle(.didEnterBackground)) = line.body, case .death(let time, _, _) = next[app],
          time - line.time == limits.didEnterBackground
        {
          atOnce[index] = false
          untilLimit.insert(index)
        }
        next[app] = .life
      default: break
      }
    }
  }

  private enum Next {
    /// Something that only a free run loop does.
    case life
    case returned
    /// The record that follows a death.
    case record(TerminationReason)
    /// In this line.
    case death(at: Instant, TerminationReason?, line: Int)

    var reason: TerminationReason? {
      if case .record(let reason) = self { reason } else { nil }
    }
  }

  private static func isAtOnce(_ line: TraceLine, _ index: Int, _ next: Next?, end: Instant, _ limits: CallbackLimits) -> Bool {
    let reason: TerminationReason?
    let last: Instant
    switch next {
    case .life: return true
    case .returned, .record: return false
    case .death(let time, let its, let death):
      // willTerminate that returns at once ends the process in the very next line.
      if case .callback(.lifecycle(.willTerminate)) = line.body {
        return death == index + 1 && time == line.time && (its == .userForceQuit || its == .normalAppExit || its == .memoryPressure)
      }
      // Only an app whose run loop has come to rest is about to be suspended.
      if its == .suspendedWithLockedFile { return true }
      (last, reason) = (time, its)
    case nil: (last, reason) = (end, nil)
    }
    // Nothing shows that the run loop was free again. That would show soon after most callbacks, and after those that have no limit
    // it does not matter; one that had a limit and outlived it must have returned.
    guard case .callback(.lifecycle(.didEnterBackground)) = line.body else { return false }
    return reason != .appWatchdog && last - line.time >= limits.didEnterBackground
  }
}
