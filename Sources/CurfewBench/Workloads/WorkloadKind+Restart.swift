extension WorkloadKind {
  static let restart = WorkloadKind(
    name: "restart/1", about: "stop and start again, among as many outstanding timers",
    unit: "timers", sizes: Sizes(small: 1_000, standard: 100_000, large: 1_000_000, tiny: 50),
    shapes: [],
    isRealTime: false,
    figures: [
      .time("restart", "the time of one stop and start"),
      .memory("peak memory of the process for each timer"),
    ]
  ) { plan in
    .restarts(restarts(&plan, "restart") { $1 = hour + $0.below(hour) })
  }

  static let tasks = WorkloadKind(
    name: "tasks/1",
    about: "end and begin of a background task in the engine, among as many apps with one",
    unit: "tasks", sizes: Sizes(small: 1_000, standard: 100_000, large: 1_000_000, tiny: 50),
    shapes: [],
    isRealTime: false,
    figures: [
      .time("pair", "the time of an end and a begin, or of a stop and a start of a timer"),
      .memory("peak memory of the process for each task"),
    ]
  ) { plan in
    .restarts(restarts(&plan, "pair") { _, _ in })
  }

  /// All deadlines are between one and two hours after the start, so that none of them fires.
  private static let hour: Int64 = 3_600_000_000_000

  /// The number of times that a segment goes through the restarts. The bare queue then needs about
  /// 500 ms; for small plans, which check answers in CI, a tenth of that.
  private static func rounds(_ timers: Int) -> Int {
    switch timers {
    case ..<100: 1
    case ...1_000: 10
    case ...10_000: 100
    case ...100_000: 50
    case ...300_000: 10
    default: 2
    }
  }

  /// - Parameter draw: Changes the deadline of a timer that is started again.
  private static func restarts(
    _ plan: inout PlanWriter, _ figure: String, _ draw: (inout PlanWriter, inout Int64) -> Void
  ) -> RestartExpectation {
    let count = plan.size
    let restarts = max(count, 100_000)
    let rounds = rounds(count)
    plan.header("timers", count)
    plan.header("restarts", restarts)
    plan.header("rounds", rounds)
    var dues: [Int64] = []
    for k in 0..<count {
      dues.append(hour + plan.below(hour))
      plan.add("{\"k\":")
      plan.add(Int64(k))
      plan.add(",\"due\":")
      plan.add(dues[k])
      plan.add("}\n")
    }
    var written = 0
    while written < restarts {
      for k in plan.permutation(count).prefix(restarts - written) {
        draw(&plan, &dues[k])
        plan.add("[")
        plan.add(Int64(k))
        plan.add(",")
        plan.add(dues[k])
        plan.add("]\n")
      }
      written += count
    }
    let sum = dues.reduce(UInt64(0)) { $0 &+ UInt64($1) }
    return RestartExpectation(
      figure: figure, sum: sum, timers: count, operations: restarts * rounds)
  }
}

/// The state after all restarts of a plan. Every round ends with the same deadlines.
package struct RestartExpectation: Sendable {
  /// The figure: the time of one restart.
  let figure: String
  /// The sum of the final deadlines.
  let sum: UInt64
  let timers: Int
  /// The restarts of a segment.
  let operations: Int

  func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    guard let sum = answer["sum"]?.text else {
      return .unreadable(answer.complaint(about: "sum", expected: "text"))
    }
    guard let outstanding = answer["outstanding"]?.number else {
      return .unreadable(answer.complaint(about: "outstanding", expected: "a whole number"))
    }
    guard outstanding == Int64(timers) else {
      return .wrong("\(outstanding) timers are outstanding, \(timers) would be right")
    }
    guard sum == String(self.sum) else {
      return .wrong("the sum of the deadlines is \(sum.prefix(40)), \(self.sum) would be right")
    }
    var findings = SegmentFindings()
    findings.add(figure, segment.length / Double(operations))
    findings.add("memory", Double(segment.peakMemory) / Double(timers))
    return .right(findings)
  }
}
