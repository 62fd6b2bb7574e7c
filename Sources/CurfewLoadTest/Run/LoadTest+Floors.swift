import CurfewText
internal import CurfewUV

/// The planned deadlines of a segment's warnings, ascending, in wall nanoseconds from its start.
/// The floor waits for them.
struct FloorDeadlines {
  /// The deadlines of the floor's run before the segment, then of its run after it. Together
  /// the two runs take as long as one run over all deadlines.
  let before: [Int64]
  let after: [Int64]

  init(_ dues: [Int64]) {
    before = Array(dues[..<(dues.count / 2)])
    after = Array(dues[(dues.count / 2)...])
  }
}

extension LoadTest {
  /// The greatest difference, in nanoseconds, that the kernel's rounding explains between
  /// the instant to which the floor's timer was set and the instant to which it is set.
  private static let greatestArmingDelay: Int64 = 1_000

  /// The instants at which a segment's handlers are planned to be due, ascending.
  func plannedDues(_ segment: Int) -> [Int64] {
    var dues: [Int64] = []
    for step in plan.segments[segment] where step.verb == .launch {
      let visit = plan.visits[Int(step.visit)]
      for place in visit.firstTask..<visit.firstTask + visit.taskCount {
        if let planned = rehearsed.warnings[place] { dues.append(planned.due) }
      }
    }
    return dues.sorted()
  }

  /// - Returns: nil if there was nothing to wait for, if the run was stopped (its sample would
  ///   differ), or if no timer was available.
  func runFloor(_ dues: [Int64], _ segment: Int, part: Part, _ report: inout LoadTestReport)
    -> LatenessPercentiles?
  {
    #if os(Linux)
      guard let first = dues.first, let last = dues.last else { return nil }
      let base = UVClock.Source.monotonic.read() + 20_000_000 - first
      let floor = trying(&report) {
        try BareTimer(deadlines: dues.map { $0 + base }).run(
          until: watch(part, segment, last - first))
      }
      if let floor, floor.armedLate > LoadTest.greatestArmingDelay {
        floorContradictions.append(
          "the floor's timer was set to an instant \(HumanTime.rounded(floor.armedLate)) after its deadline, in segment \(segment + 1)"
        )
      }
      guard let floor, let histogram = histogram(floor, segment, &report) else { return nil }
      report.work.floorNanoseconds += floor.processorNanoseconds
      report.work.floorDeadlines += dues.count
      return histogram
    #else
      return nil
    #endif
  }

  /// - Returns: nil if the run was stopped, or if there was no thread for it.
  func runHandOff(_ report: inout LoadTestReport) -> LatenessPercentiles? {
    // A quarter of a segment at most, so that a short test stays short.
    let count = min(
      HandOff.usualCount, Int(options.segmentNanoseconds / 4 / HandOff.spacing))
    guard count > 0, !mustStop() else { return nil }
    let lengths = HandOff(count: count).run(until: mustStop)
    guard !mustStop(), let lengths else { return nil }
    report.handOff.add(lengths.percentiles)
    handOffRecount.add(lengths.control)
    return lengths.percentiles
  }

  #if os(Linux)
    /// Leaves the floor out if the system has no timer for it. Adds one note about this, because
    /// the device itself has been measured.
    private func trying(_ report: inout LoadTestReport, _ body: () throws -> Lateness) -> Lateness?
    {
      do {
        return try body()
      } catch {
        let note = "The floor was left out: \(error)."
        if !report.notes.contains(note) { report.notes.append(note) }
        return nil
      }
    }

    /// Returns the closure that the floor calls while it runs: it reports progress and returns
    /// whether to stop.
    ///
    /// - Parameter length: The approximate length of its run, in wall nanoseconds.
    private func watch(_ part: Part, _ segment: Int, _ length: Int64) -> () -> Bool {
      let start = clock.wallNow()
      var last = start
      tell(part, segment, 0, at: start)
      return { [self] in
        let now = clock.wallNow()
        // The floor calls this at every deadline.
        if now - last >= LoadTest.slice * 9 / 10 {
          last = now
          tell(part, segment, Double(now - start) / Double(max(1, length)), at: now)
          _ = mustStop()
        }
        return hasStopped
      }
    }

    /// - Returns: nil if the run was stopped: its sample would differ from the others'.
    private func histogram(
      _ lateness: Lateness, _ segment: Int, _ report: inout LoadTestReport
    ) -> LatenessPercentiles? {
      guard !mustStop() else { return nil }
      for (count, what) in [(lateness.unfired, "did not fire"), (lateness.repeated, "fired twice")]
      where count > 0 {
        report.notes.append(
          "\(HumanCount.text(count)) of the floor's deadlines \(what) in segment \(segment + 1)."
        )
      }
      var histogram = LatenessPercentiles()
      for nanoseconds in lateness.nanoseconds { histogram.record(nanoseconds) }
      return histogram
    }
  #endif
}
