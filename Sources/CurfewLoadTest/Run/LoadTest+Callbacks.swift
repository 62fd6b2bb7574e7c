internal import CurfewEngine

/// The lateness of an app's callbacks, from the call that causes each to its first line.
struct CallbackTally {
  var callbackDelivered = LatenessPercentiles()
  var wakeDelivered = LatenessPercentiles()
  var launchToActive = LatenessPercentiles()

  /// Adds a visit. A callback that has not come is not counted.
  mutating func add(_ visit: Measurements.VisitRecord) {
    if visit.left >= 0, visit.entered >= 0 { callbackDelivered.record(visit.entered - visit.left) }
    if visit.sent >= 0, visit.received >= 0 { wakeDelivered.record(visit.received - visit.sent) }
    if visit.launched >= 0, visit.active >= 0 {
      launchToActive.record(visit.active - visit.launched)
    }
  }
}

extension LoadTest {
  /// The callbacks of a segment so far.
  func callbacks(of segment: Int) -> CallbackTally {
    var tally = CallbackTally()
    for step in plan.segments[segment] where step.verb == .launch {
      tally.add(callbacks(of: step))
    }
    return tally
  }

  /// Adds the callbacks of the whole run to the report and to the second account. Each record is
  /// read once, because an app may still be writing.
  func collectCallbacks(_ report: inout LoadTestReport) {
    var tally = CallbackTally()
    for segment in bases.indices {
      for step in plan.segments[segment] where step.verb == .launch {
        let visit = callbacks(of: step)
        tally.add(visit)
        recount.add(visit)
      }
    }
    (report.callbackDelivered, report.wakeDelivered, report.launchToActive) = (
      tally.callbackDelivered, tally.wakeDelivered, tally.launchToActive
    )
  }

  private func callbacks(of step: LoadStep) -> Measurements.VisitRecord {
    simulated[Int(step.app.rawValue)].withMeasurements { measurements.visits[Int(step.visit)] }
  }
}

extension LoadPlan {
  /// The visits of a segment whose apps are sent away by another app's launch, by the planned
  /// instant of that launch, in nanoseconds from the start of the segment.
  func displaced(_ segment: Int) -> [Int64: [Int]] {
    var left: Set<Int> = []
    for step in segments[segment] where step.verb == .home { left.insert(Int(step.visit)) }
    var displaced: [Int64: [Int]] = [:]
    for step in segments[segment] where step.verb == .launch {
      let visit = Int(step.visit)
      if !left.contains(visit) { displaced[visits[visit].departure, default: []].append(visit) }
    }
    return displaced
  }
}

extension LoadTestReport.Segment {
  /// Notes the callbacks of the segment.
  mutating func noteCallbacks(_ tally: CallbackTally) {
    callbackDelivered = LoadTestReport.Spread(tally.callbackDelivered)
    wakeDelivered = LoadTestReport.Spread(tally.wakeDelivered)
    launchToActive = LoadTestReport.Spread(tally.launchToActive)
  }
}
