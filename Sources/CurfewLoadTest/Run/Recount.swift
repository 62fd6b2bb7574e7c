internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// Counts and adds up the values of the report's distributions again. Both accounts read the same
/// records of the apps and the device, the same planned warnings and the same time scale. All else
/// is decided twice: whether a value belongs to a distribution, and its amount. A mistake in either
/// account contradicts the other; a record that is wrong itself contradicts neither.
struct Recount {
  var decided = ControlSum()
  var decidedByLoop = ControlSum()
  var delivered = ControlSum()
  var begins = ControlSum()
  var ends = ControlSum()
  var callbackDelivered = ControlSum()
  var wakeDelivered = ControlSum()
  var launchToActive = ControlSum()
  var grantEnds = ControlSum()

  /// Adds one task.
  ///
  /// - Parameters:
  ///   - warning: The warning that the plan expects, on the device's clock; nil for none.
  ///   - interruption: The instant of the interruption; nil for none.
  mutating func add(
    _ record: Measurements.TaskRecord, warning: PlannedWarning?, interruption: Int64?,
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
    let stop = interruption ?? .max
    let isCalled = record.deliveries > 0
    guard let warning, warning.due <= stop else {
      if isCalled { delivered.add(due: due, happened: record.delivered) }
      return
    }
    // The app ended a task that it had begun, before any call.
    let isEndedBefore =
      record.identifier != .invalid && record.ended >= 0
      && (!isCalled || record.ended < record.delivered)
    if isEndedBefore, record.ended <= warning.end { return }
    if isCalled, !isEndedBefore, record.delivered <= warning.end {
      return delivered.add(
        due: record.isDecided ? due : warning.due, happened: record.delivered)
    }
    if warning.end > stop { return }
    // A call that never came is as late as the end of its grant, at least.
    delivered.add(due: warning.due, happened: isCalled ? record.delivered : warning.end)
    if !record.isDecided { decided.add(due: warning.due, happened: warning.end) }
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

extension LoadTest {
  /// Adds the ends of grants to the second account, from the device's ends of processes and not
  /// from the visits: each end belongs to the last visit that its app had begun.
  func recountGrantEnds() {
    let (scale, warning) = (clock.scale, options.policy.policy.tasks.warning)
    for app in apps.indices where plan.apps[app].role == .plain {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      var former = Int64.min
      for end in records.ends[app] {
        let instant = scale.wall(for: end.instant)
        defer { former = instant }
        guard end.isOfGrant,
          let place = visits.indices.last(where: { visitStarts[$0] <= instant }),
          // Only the first end of a process in a visit is the visit's.
          former < visitStarts[place]
        else { continue }
        let tasks = records(of: plan.visits[place])
        guard let first = tasks.first(where: \.isDecided),
          end.openTasks.contains(where: { open in
            tasks.contains { $0.identifier == open.identifier }
          })
        else { continue }
        recount.grantEnds.add(
          due: scale.wall(for: first.due + warning),
          happened: scale.wall(for: end.making.decided))
      }
    }
  }
}
