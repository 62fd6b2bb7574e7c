internal import Curfew

/// The fate of a handler call that the plan expects: exactly one of these.
enum WarningFate: Hashable, CaseIterable {
  /// The handler's first line was reached by the planned end of the grant.
  case delivered
  /// The app ended the task before the handler ran, by its own records. This happens if the planned
  /// end lies close to the warning.
  case endedFirst
  /// Neither, for any reason: the call was decided late or never, was made late or never, or the
  /// task was not even begun.
  case missed
  /// The run was interrupted between the warning and the end of the grant.
  case pending

  /// Determines the fate of a call that was due before any interruption.
  ///
  /// - Parameters:
  /// - end: The planned end of the grant, in wall nanoseconds since the device's start, like
  ///   all records.
  /// - interruption: The instant of the interruption; nil for none.
  init(_ record: Measurements.TaskRecord, end: Int64, interruption: Int64?) {
    let call = record.deliveries > 0 ? record.delivered : nil
    // An app cannot have ended a task that never began, even if it made the call.
    let ownEnd = record.isBegun && record.isEnded ? record.ended : nil
    let isEndedFirst = ownEnd.map { ownEnd in call.map { ownEnd < $0 } ?? true } ?? false
    if let call, call <= end, !isEndedFirst {
      self = .delivered
    } else if let ownEnd, ownEnd <= end, isEndedFirst {
      self = .endedFirst
    } else if let interruption, end > interruption {
      self = .pending
    } else {
      self = .missed
    }
  }
}

extension Measurements.TaskRecord {
  /// Whether a missed warning was lost: the handler could have been called, and was not. It was
  /// decided by the planned end of the grant, nothing but that end ended the app's process
  /// before, and the load test was running for at least half of the time that a punctual host has
  /// for a handler. If the test stood still for longer, the machine is the reason.
  ///
  /// While the test catches up after a standstill (`Heartbeat.catchUpFactor`) or is behind its plan
  /// (`Backlog`), nothing is known: a handler may be waiting for a core, for a thread, or for
  /// another callback of its app that waits for one.
  ///
  /// - Parameters:
  ///   - planned: The warning that the plan expects.
  ///   - sent: The instant at which this handler was to be called, on the same clock.
  ///   - death: The instant at which the app's process ended for a reason other than the end of
  ///     a grant, on the same clock; nil if it did not.
  ///   - standstill: The time for which the load test stood still between two instants.
  ///   - isCatchingUp: Whether the load test was catching up after a standstill, or was behind its
  ///     plan, at any time between two instants.
  func isLost(
    _ planned: PlannedWarning, sent: Int64, death: Int64?,
    standstill: (_ from: Int64, _ to: Int64) -> Int64,
    isCatchingUp: (_ from: Int64, _ to: Int64) -> Bool
  ) -> Bool {
    guard isDecided, deliveries == 0, sent <= planned.end, death.map({ $0 >= planned.end }) ?? true
    else { return false }
    let lead = planned.end - planned.due
    // A standstill shortly before the warning leaves work to catch up with.
    let running = planned.end - sent - standstill(planned.due - 2 * lead, planned.end)
    guard running >= lead / 2 else { return false }
    return !isCatchingUp(planned.due, planned.end)
  }
}
