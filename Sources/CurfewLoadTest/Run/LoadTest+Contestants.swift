internal import Curfew
internal import CurfewEngine
internal import CurfewUV

/// The floor and the alternative, on the deadlines that a segment's warnings had.
extension LoadTest {
  func runContestants(_ segment: Int, _ report: inout LoadTestReport) throws {
    var result = LoadTestReport.Segment()
    var (decided, delivered) = (LatenessHistogram(), LatenessHistogram())
    let dues = record(segment, &decided, &delivered)
    (result.decided, result.delivered) = (LoadTestReport.Spread(decided), LoadTestReport.Spread(delivered))
    #if os(Linux)
      if let first = dues.first, let last = dues.last {
        let base = UVClock.Source.monotonic.read() + 20_000_000 - first
        let floor = try BareTimer(deadlines: dues.map { $0 + base }).run(until: watch("floor", segment, part: 1, last - first))
        result.floor = spread(floor, "floor", segment, &report)
        if !mustStop() {
          let alternative = try runAlternative(dues, .up, watch("alternative", segment, part: 2, last - first))
          result.alternative = spread(alternative, "alternative", segment, &report)
        }
        // Once is enough to count by.
        if segment == 0, !mustStop() {
          let unrounded = try runAlternative(dues, .none, watch("alternative", segment, part: 3, last - first))
          if !mustStop() { report.alternativeEarly = LoadTestReport.EarlyTimers(early: unrounded.early, timers: dues.count) }
        }
      }
    #endif
    report.segments.append(result)
  }

  #if os(Linux)
    private func runAlternative(_ dues: [Int64], _ rounding: TimerPerTask.Rounding, _ isStopped: @escaping () -> Bool) throws -> Lateness {
      let tasks = options.policy.policy.tasks
      let length = clock.scale.wall(for: .zero + Interval(nanoseconds: tasks.grant.nanoseconds - tasks.warning.nanoseconds))
      let base = UVClock.Source.monotonic.read() + 20_000_000 + length - dues[0]
      let deadlines = dues.map { $0 + base }
      return try TimerPerTask(deadlines: deadlines, begins: deadlines.map { $0 - length }, rounding: rounding).run(until: isStopped)
    }

    /// What a contestant asks while it runs: tells how far it is, and says whether it is to stop.
    ///
    /// - Parameter length: How long it takes, about, in wall nanoseconds.
    private func watch(_ contestant: String, _ segment: Int, part: Int, _ length: Int64) -> () -> Bool {
      let start = clock.wallNow()
      var last = start
      tell(contestant, segment, 0, part: part, at: start)
      return { [self] in
        let now = clock.wallNow()
        // The floor asks at every deadline, the alternative about every 100 ms.
        if now - last >= LoadTest.slice * 9 / 10 {
          last = now
          tell(contestant, segment, Double(now - start) / Double(max(1, length)), part: part, at: now)
          _ = mustStop()
        }
        return hasStopped
      }
    }

    /// - Returns: nil where it was stopped: what it has measured is another sample than the others'.
    private func spread(
      _ lateness: Lateness, _ contestant: String, _ segment: Int, _ report: inout LoadTestReport
    ) -> LoadTestReport.Spread? {
      guard !mustStop() else { return nil }
      for (count, what) in [(lateness.unfired, "did not fire"), (lateness.repeated, "fired twice")] where count > 0 {
        report.notes.append("\(WallText.grouped(count)) of the timers of the \(contestant) \(what) in segment \(segment + 1).")
      }
      var histogram = LatenessHistogram()
      for nanoseconds in lateness.nanoseconds { histogram.record(nanoseconds) }
      return LoadTestReport.Spread(histogram)
    }
  #endif

  /// Records a segment's warnings.
  /// - Returns: When they were due, ascending.
  private func record(_ segment: Int, _ decided: inout LatenessHistogram, _ delivered: inout LatenessHistogram) -> [Int64] {
    var dues: [Int64] = []
    for visit in plan.visits where visit.segment == segment {
      for record in records(of: visit) where record.deliveries > 0 {
        let due = clock.scale.wall(for: record.due)
        dues.append(due)
        decided.record(clock.scale.wall(for: record.decided) - due)
        delivered.record(record.delivered - due)
      }
    }
    return dues.sorted()
  }
}
