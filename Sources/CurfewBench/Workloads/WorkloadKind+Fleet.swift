internal import CurfewSimulation

extension WorkloadKind {
  static let fleet = WorkloadKind(
    name: "fleet/1", about: "the canonical cycle of apps in virtual time", unit: "apps",
    sizes: Sizes(small: 1_000, standard: 10_000, large: 1_000_000, tiny: 20), shapes: [],
    isRealTime: false,
    figures: [
      .time("cycle", "the time of one cycle of one app"),
      .memory("peak memory of the process for each app"),
    ]
  ) { plan in
    .fleet(fleet(&plan))
  }

  /// The suspensions of a segment. The bare queue then needs about 500 ms; for small plans, which
  /// check answers in CI, a tenth of that.
  private static func cycles(_ apps: Int) -> Int {
    switch apps {
    case ..<100: 2_000
    case ...1_000: 200_000
    case ...10_000: 1_500_000
    default: 1_000_000
    }
  }

  private static func fleet(_ plan: inout PlanWriter) -> FleetReference {
    let cycles = cycles(plan.size)
    plan.header("apps", plan.size)
    plan.header("cycles", cycles)
    let foreground = times("{\"foreground\":[", mean: 60, &plan)
    let work = times("{\"work\":[", mean: 20, &plan)
    let suspended = times("{\"suspended\":[", mean: 300, &plan)
    let tables = FleetTables(foreground: foreground, work: work, suspended: suspended)
    return FleetReference(apps: plan.size, cycles: cycles, tables)
  }

  /// Writes a table of exponential times: small enough to stay in the cache.
  private static func times(_ beginning: StaticString, mean: Double, _ plan: inout PlanWriter)
    -> [Int64]
  {
    let times = (0..<FleetTables.count).map { _ in
      let unit = (Double(plan.next() >> 11) + 0.5) / Double(1 << 53)
      return Int64(-mean * PortableMath.log(unit) * 1e9)
    }
    plan.add(beginning)
    plan.add(times)
    plan.add("]}\n")
    return times
  }
}
