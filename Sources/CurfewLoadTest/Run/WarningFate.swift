internal import Curfew

/// What became of the call of a handler that the plan expects: exactly one of these.
enum WarningFate: Hashable, CaseIterable {
  /// The handler's first line was reached by the planned end of the grant.
  case delivered
  /// The app ended the task before, by its own books, as an app may whose planned end lies close
  /// to the warning.
  case endedFirst
  /// Neither, for whatever reason: decided late or never, called late or never, the task not
  /// even begun.
  case missed
  /// The run was interrupted between the warning and the end of the grant.
  case pending

  /// Of a call that was due by the interruption, if there was one.
  ///
  /// - Parameters:
  ///   - end: The planned end of the grant, in wall nanoseconds since the device's start, as is all
  ///     that is recorded.
  ///   - interruption: When the run was interrupted; nil for one that was not.
  init(_ record: Measurements.TaskRecord, end: Int64, interruption: Int64?) {
    let call = record.deliveries > 0 ? record.delivered : nil
    // What never began is not ended by its app, whatever that asked for.
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
  /// Whether a warning that was missed was lost: decided by the planned end of the grant, no
  /// handler called, and nothing but that grant's end has ended its process.
  ///
  /// - Parameters:
  ///   - end: The planned end of the grant, in wall nanoseconds since the device's start.
  ///   - sent: When this handler was to be called, on the same clock.
  ///   - death: When its process ended for another reason than the end of a grant, on the same
  ///     clock; nil if it did not.
  func isLost(end: Int64, sent: Int64, death: Int64?) -> Bool {
    isDecided && sent <= end && deliveries == 0 && (death.map { $0 >= end } ?? true)
  }
}
