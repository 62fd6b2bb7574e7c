package import CurfewBench

/// Invented runs for tests of results.
package enum BenchFixture {
  package static let machine = made(.blank) { (machine: inout MachineRecord) in
    machine.date = "2026-11-28T01:00:00Z"
    machine.commit = "9c1e0f2"
    machine.isClean = true
    machine.compiler = "Swift 6.2"
    machine.flags = "-O"
    machine.kernel = "Linux 6.1.0"
    machine.architecture = "x86_64"
    machine.processor = "Example 3000"
    machine.cores = 2
    machine.frequencyScaling = "intel_pstate"
    machine.memoryBytes = 8_589_934_592
    machine.load = [0.5, 0.25, 1]
  }

  package static let kinds = [
    kind("p50", .nanoseconds, "The median lateness."),
    kind("cpu", .nanoseconds, "The processor time of a timer."),
    kind("max", .nanoseconds, "The greatest lateness.", isMain: false),
  ]

  package static func kind(
    _ name: String, _ unit: FigureKind.Unit, _ about: String, isMain: Bool = true
  ) -> FigureKind {
    made(.blank) { (kind: inout FigureKind) in
      (kind.name, kind.unit, kind.about, kind.isMain) = (name, unit, about, isMain)
    }
  }

  /// A value with some changes.
  private static func made<Value>(_ blank: Value, _ change: (inout Value) -> Void) -> Value {
    var value = blank
    change(&value)
    return value
  }

  /// A contestant and the value of its first figure in each repetition. The other figures are twice
  /// and ten times that value.
  package struct Entry: Sendable {
    package var contestant: ContestantRecord
    package var values: [Double]

    package init(
      _ name: String, _ role: ContestantRecord.Role, _ values: [Double],
      division: ContestantRecord.Division = .closed, rounding: String? = nil,
      _ outcome: ContestantRecord.Outcome = .measured
    ) {
      contestant = .blank
      (contestant.name, contestant.about) = (name, "The timer of \(name)")
      (contestant.role, contestant.division, contestant.outcome) = (role, division, outcome)
      (contestant.version, contestant.rounding) = ("1.0", rounding)
      self.values = values
    }
  }

  /// A workload with these contestants. Each repetition has three segments, and the middle one has
  /// the value.
  package static func workload(
    named name: String = "deadlines/1", size: Int = 2_000, shape: String? = "spaced",
    figures: [FigureKind] = kinds, _ entries: [Entry]
  ) -> WorkloadRecord {
    var workload = WorkloadRecord.blank
    (workload.name, workload.size, workload.shape) = (name, size, shape)
    workload.figures = figures
    workload.contestants = entries.map(\.contestant)
    let most = entries.map(\.values.count).max() ?? 0
    workload.plans = (0..<most).map {
      repetition in
      made(.blank) { (plan: inout PlanRecord) in
        (plan.repetition, plan.seed) = (repetition + 1, UInt64(repetition) + 1)
        plan.digest = "0123456789abcdef"
      }
    }
    for repetition in 0..<most {
      for entry in entries where repetition < entry.values.count {
        for (place, share) in [0.75, 1, 1.5].enumerated() {
          let value = entry.values[repetition] * share
          workload.segments.append(
            segment(
              entry.contestant.name, repetition + 1, place + 1,
              zip(figures, [1.0, 2, 10, 20]).map { kind, factor in
                made(.blank) { (figure: inout FigureRecord) in
                  (figure.name, figure.value) = (kind.name, value * factor)
                }
              }))
        }
      }
    }
    return workload
  }

  package static func segment(
    _ contestant: String, _ repetition: Int, _ segment: Int, _ figures: [FigureRecord]
  ) -> SegmentRecord {
    made(.blank) { (record: inout SegmentRecord) in
      record.contestant = contestant
      (record.repetition, record.segment, record.attempt) = (repetition, segment, 1)
      record.began = Int64(repetition) * 10_000_000_000 + Int64(segment) * 1_000_000_000
      record.ended = record.began + 750_000_000
      record.processorNanoseconds = 31_000_000
      record.othersShare = 0.0125
      record.figures = figures
    }
  }

  package static func record(_ workloads: [WorkloadRecord], thresholds: [String] = []) -> RunRecord
  {
    let repetitions = workloads.flatMap(\.plans).map(\.repetition).max() ?? 0
    var record = RunRecord.blank
    record.machine = machine
    (record.options.repetitions, record.options.seed) = (repetitions, 1)
    record.workloads = workloads
    record.options.thresholds = thresholds
    return record
  }

  /// Ten values around a middle, the same in every run.
  package static func values(_ middle: Double, _ count: Int = 10, spread: Double = 0.05)
    -> [Double]
  {
    (0..<count).map { middle * (1 + spread * Double(($0 * 7) % 10 - 4) / 5) }
  }

  /// A run with a contestant of every outcome.
  package static var full: RunRecord {
    var deadlines = Self.workload([
      Entry("timerfd", .floor, values(16_500), rounding: "none"),
      Entry("curfew", .subject, values(31_000), rounding: "none"),
      Entry("jdk", .peer, values(82_000, spread: 0.2), rounding: "none"),
      Entry("netty", .peer, values(50_400_000), rounding: "up to 100 ms"),
      Entry("netty-open", .peer, values(700_000), division: .open, rounding: "up to 1 ms"),
      Entry("node", .peer, values(728_000), rounding: "none"),
      Entry(
        "go", .peer, [], .missing(need: "go", install: "apt-get install golang-go")),
      Entry("io_uring", .peer, [], .cannot("the kernel forbids io_uring_setup")),
      Entry("asyncio", .peer, [], .tooSlow("at most 10,000 timers")),
      Entry(
        "broken", .peer, values(9), .wrong("timer 317 fired, which was cancelled 12 ms before")),
      Entry("crash", .peer, values(9, 2), .failed("exited with 11 after {\"segment\":2}")),
    ])
    for place in deadlines.segments.indices
    where deadlines.segments[place].contestant == "node" && deadlines.segments[place].segment == 2 {
      deadlines.segments[place].early = 79
      deadlines.segments[place].earliestNanoseconds = 970_000
    }
    let sizes = [(10_000, 1.0), (1_000_000, 2.5)].map { size, factor in
      workload(
        named: "fleet/1", size: size, shape: nil,
        figures: [
          kind("cycle", .nanoseconds, "The time of a cycle."),
          kind("memory", .bytes, "The peak memory."),
        ],
        [
          Entry("bare-queue", .floor, values(190 * factor)),
          Entry("curfew", .subject, values(441 * factor)),
          Entry("lazy-heap", .peer, values(560 * factor)),
        ])
    }
    var record = Self.record(
      [deadlines] + sizes,
      thresholds: [
        "deadlines/1:curfew.p50/timerfd.p50<=2", "curfew.cycle@1000000/curfew.cycle@10000<=2.2",
      ])
    record.notes = ["The machine is virtual."]
    return record
  }
}
