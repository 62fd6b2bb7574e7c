internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// Counts and measures warnings: those that the plan expects, each in one class,
/// and unexpected ones.
struct WarningTally {
  var counts = LoadTestReport.Expirations()
  var decided = LatenessPercentiles()
  var decidedByLoop = LatenessPercentiles()
  var delivered = LatenessPercentiles()

  let scale: TimeScale
  /// The instant of the interruption, in wall nanoseconds since the device's start; nil for none.
  let interruption: Int64?
  /// The time for which the process stood still between two instants of the device's clock.
  let standstill: (_ from: Int64, _ to: Int64) -> Int64
  /// Whether the process was catching up after a standstill, or was behind its plan, at any time
  /// between two instants.
  let isCatchingUp: (_ from: Int64, _ to: Int64) -> Bool

  init(
    scale: TimeScale, interruption: Int64?,
    standstill: @escaping (_ from: Int64, _ to: Int64) -> Int64,
    isCatchingUp: @escaping (_ from: Int64, _ to: Int64) -> Bool
  ) {
    (self.scale, self.interruption) = (scale, interruption)
    (self.standstill, self.isCatchingUp) = (standstill, isCatchingUp)
  }

  /// Adds one task.
  ///
  /// - Parameters:
  /// - planned: The warning that the plan expects, on the device's clock; nil for none.
  /// - death: The instant at which its process ended for a reason other than the end of a grant.
  mutating func add(_ record: Measurements.TaskRecord, planned: PlannedWarning?, death: Int64?) {
    counts.twice += max(0, Int(record.deliveries) - 1)
    let due = scale.wall(for: record.due)
    if record.isDecided {
      let lateness = scale.wall(for: record.decided) - due
      decided.record(lateness)
      if record.isByLoop { decidedByLoop.record(lateness) }
    }
    guard let planned, planned.due <= interruption ?? .max else {
      guard record.deliveries > 0 else { return }
      counts.unexpected += 1
      return delivered.record(record.delivered - due)
    }
    counts.expected += 1
    switch WarningFate(record, end: planned.end, interruption: interruption) {
    case .delivered:
      counts.delivered += 1
      delivered.record(record.delivered - (record.isDecided ? due : planned.due))
    case .endedFirst: counts.endedFirst += 1
    case .pending: counts.pending += 1
    case .missed: addMissed(record, planned, death)
    }
  }

  /// Measures lateness from the plan, because any delay moves the engine's own instants. A call
  /// that never came counts as at least as late as the end of its grant.
  private mutating func addMissed(
    _ record: Measurements.TaskRecord, _ planned: PlannedWarning, _ death: Int64?
  ) {
    counts.missed += 1
    if record.deliveries > 0 {
      delivered.record(record.delivered - planned.due)
    } else {
      delivered.record(atLeast: planned.end - planned.due)
    }
    if !record.isDecided { decided.record(atLeast: planned.end - planned.due) }
    let sent = scale.wall(for: record.sent)
    let isLost = record.isLost(
      planned, sent: sent, death: death, standstill: standstill, isCatchingUp: isCatchingUp)
    if isLost { counts.lost += 1 }
  }
}
