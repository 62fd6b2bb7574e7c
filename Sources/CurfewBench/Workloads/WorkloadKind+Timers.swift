extension WorkloadKind {
  private static let timerFigures = [
    FigureKind.time("p50", "the median of the lateness, to the first line of the handler"),
    .time("p99", "the 99th percentile of the lateness"),
    .time("max", "the greatest lateness", isMain: false),
    .time("cpu", "processor time for each timer that fired"),
  ]

  static let deadlines = WorkloadKind(
    name: "deadlines/1",
    about: "timers in real time, a third of which is cancelled: lateness and processor time",
    unit: "timers", sizes: Sizes(small: 2_000, standard: 10_000, large: 100_000, tiny: 60),
    shapes: ["spaced", "uniform", "clustered", "same", "tight"], isRealTime: true,
    figures: timerFigures
  ) { plan in
    .timers(timers(&plan, cancelsThird: true))
  }

  static let expirations = WorkloadKind(
    name: "expirations/1",
    about: "expirations of grants in real time, each of which ends its task: the cost of a device",
    unit: "timers", sizes: Sizes(small: 500, standard: 2_000, large: 10_000, tiny: 20), shapes: [],
    isRealTime: true, entersBackground: true,
    figures: timerFigures + [
      .time("cpuFromStart", "the same without the time before the start, when apps leave the front")
    ]
  ) { plan in
    .timers(timers(&plan, cancelsThird: false))
  }

  /// The first deadline is this long after the start, so that every cancellation has its distance.
  private static let lead: Int64 = 20_000_000
  private static let millisecond: Int64 = 1_000_000
  /// The number of instants of the shape `clustered`.
  private static let bursts: Int64 = 100

  private static func timers(_ plan: inout PlanWriter, cancelsThird: Bool) -> TimerExpectation {
    let count = Int64(plan.size)
    // 500 us, or less so that all deadlines are within 5 s.
    let distance = min(500_000, 5_000_000_000 / count)
    plan.header("timers", plan.size)
    var timers = TimerExpectation()
    var chosen: Int64 = 0
    for k in 0..<count {
      let due = due(&plan, k, of: count, distance)
      var cancel = TimerExpectation.never
      // One of each three timers, drawn at the first of them.
      if k % 3 == 0 { chosen = k + plan.below(3) }
      if cancelsThird, k == chosen {
        cancel =
          plan.shape == "tight"
          ? due - 10_000 - plan.below(990_001)
          : millisecond + plan.below(due - 11 * millisecond)
      }
      timers.dues.append(due)
      timers.cancels.append(cancel)
      plan.add("{\"k\":")
      plan.add(k)
      plan.add(",\"due\":")
      plan.add(due)
      if cancel != TimerExpectation.never {
        plan.add(",\"cancel\":")
        plan.add(cancel)
      }
      plan.add("}\n")
    }
    return timers
  }

  private static func due(
    _ plan: inout PlanWriter, _ k: Int64, of count: Int64, _ distance: Int64
  ) -> Int64 {
    switch plan.shape {
    case "uniform": lead + plan.below(count * distance)
    case "clustered":
      lead + k * min(bursts, count) / count * (count * distance / min(bursts, count))
    case "same": lead + count * distance / 2
    default: lead + k * distance
    }
  }
}
