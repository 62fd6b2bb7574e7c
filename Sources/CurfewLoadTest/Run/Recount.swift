internal import Curfew
internal import CurfewUV

/// Counts and adds up the values of the report's distributions again, from the same records. It
/// shares no code with the tallies: a mistake in one of them contradicts the other.
struct Recount {
  var decided = ControlSum()
  var decidedByLoop = ControlSum()
  var delivered = ControlSum()
  var begins = ControlSum()
  var ends = ControlSum()
  var callbackDelivered = ControlSum()
  var wakeDelivered = ControlSum()
  var launchToActive = ControlSum()

  /// Adds one task.
  ///
  /// - Parameters:
  ///   - planned: The warning that the plan expects, on the device's clock; nil for none, and for
  ///     one after an interruption.
  ///   - fate: The fate of that warning; nil for none.
  mutating func add(
    _ record: Measurements.TaskRecord, planned: PlannedWarning?, fate: WarningFate?,
    _ scale: TimeScale
  ) {
    if record.begin >= 0 { begins.add(due: 0, happened: record.begin) }
    if record.end >= 0 { ends.add(due: 0, happened: record.end) }
    let due = scale.wall(for: record.due)
    if record.isDecided {
      let happened = scale.wall(for: record.decided)
      decided.add(due: due, happened: happened)
      if record.isByLoop { decidedByLoop.add(due: due, happened: happened) }
    }
    guard let planned, let fate else {
      if record.deliveries > 0 { delivered.add(due: due, happened: record.delivered) }
      return
    }
    switch fate {
    case .endedFirst, .pending: return
    case .delivered:
      delivered.add(due: record.isDecided ? due : planned.due, happened: record.delivered)
    case .missed:
      // A call that never came is as late as the end of its grant, at least.
      delivered.add(
        due: planned.due, happened: record.deliveries > 0 ? record.delivered : planned.end)
      if !record.isDecided { decided.add(due: planned.due, happened: planned.end) }
    }
  }

  /// Adds the callbacks of one visit.
  mutating func add(_ visit: Measurements.VisitRecord) {
    if min(visit.left, visit.entered) >= 0 {
      callbackDelivered.add(due: visit.left, happened: visit.entered)
    }
    if min(visit.sent, visit.received) >= 0 {
      wakeDelivered.add(due: visit.sent, happened: visit.received)
    }
    if min(visit.launched, visit.active) >= 0 {
      launchToActive.add(due: visit.launched, happened: visit.active)
    }
  }
}
