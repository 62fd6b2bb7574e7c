/// The costs of the API. Their plans have a header only.
extension WorkloadKind {
  static let beginEnd = WorkloadKind(
    name: "begin-end/1", about: "begin and end of a background task", unit: "pairs",
    sizes: Sizes(small: 20_000, standard: 1_000_000, large: 1_000_000, tiny: 100),
    shapes: ["plain", "named", "handler"], isRealTime: false,
    figures: [.time("pair", "the time of one begin and end")]
  ) { plan in
    plan.header("cycles", plan.size)
    return .operations(
      OperationExpectation(
        figure: "pair", operations: .count(plan.size),
        known: [("begun", plan.size), ("ended", plan.size)]))
  }

  static let jobs = WorkloadKind(
    name: "jobs/1", about: "jobs that end at once, bounded by a grant", unit: "jobs",
    sizes: Sizes(small: 400, standard: 20_000, large: 200_000, tiny: 16), shapes: [],
    isRealTime: false,
    figures: [
      .time("job", "the time of one job"), .time("cpu", "processor time for each job"),
    ]
  ) { plan in
    plan.header("jobs", plan.size)
    return .operations(
      OperationExpectation(
        figure: "job", operations: .count(plan.size), measuresProcessor: true,
        known: [("finished", plan.size)], agreed: ["sum"]))
  }

  static let memoryPressure = WorkloadKind(
    name: "memory-pressure/1", about: "the choice of the app that is purged", unit: "apps",
    sizes: Sizes(small: 1_000, standard: 10_000, large: 100_000, tiny: 100), shapes: [],
    isRealTime: false,
    figures: [.time("victim", "the time of one purge")]
  ) { plan in
    plan.header("apps", plan.size)
    // The number is small enough for a scan of all apps to finish.
    plan.header("steps", max(200, min(20_000, 20_000_000 / plan.size)))
    return .operations(
      OperationExpectation(
        figure: "victim", operations: .answer("victims"), agreed: ["victims", "checksum"]))
  }

  static let fleetRate = WorkloadKind(
    name: "fleet-rate/1", about: "the default workload on many devices for a day", unit: "devices",
    sizes: Sizes(small: 20, standard: 200, large: 2_000, tiny: 1), shapes: [], isRealTime: false,
    figures: [.time("event", "the time of one event")]
  ) { plan in
    plan.header("devices", plan.size)
    return .operations(
      OperationExpectation(
        figure: "event", operations: .answer("events"), agreed: ["events", "checksum"]))
  }

  static let queue = WorkloadKind(
    name: "queue/1", about: "the timer queue alone, in ordinary and worst cases", unit: "timers",
    sizes: Sizes(small: 1_000, standard: 100_000, large: 1_000_000, tiny: 50),
    shapes: ["insert-cancel", "insert-fire", "coarse-slot", "one-instant", "far-horizon"],
    isRealTime: false,
    figures: [.time("operation", "the time of one operation")]
  ) { plan in
    // Whole rounds over all timers, about a million operations.
    let operations = max(1, 1_000_000 / plan.size) * plan.size
    plan.header("operations", operations)
    return .operations(
      OperationExpectation(
        figure: "operation", operations: .count(operations), agreed: ["popped", "checksum"]))
  }
}

/// The answer to a workload that only counts operations.
package struct OperationExpectation: Sendable {
  /// The number of operations in a segment.
  enum Operations: Sendable {
    case count(Int)
    /// The number under this key of the answer.
    case answer(String)
  }

  /// The figure: the time of one operation.
  var figure: String
  var operations: Operations
  /// Whether there is also a figure `cpu`, the processor time of one operation.
  var measuresProcessor = false
  /// Numbers that the plan gives.
  var known: [(name: String, value: Int)] = []
  /// Keys whose values all contestants must agree on.
  var agreed: [String] = []

  func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    for (name, value) in known {
      guard let found = answer[name]?.number else {
        return .unreadable(answer.complaint(about: name, expected: "a whole number"))
      }
      guard found == Int64(value) else {
        return .wrong("\(name): \(found), \(value) would be right")
      }
    }
    var agreement: [String] = []
    for name in agreed {
      guard let value = answer[name], let text = value.text ?? value.number.map({ "\($0)" }) else {
        return .unreadable(answer.complaint(about: name, expected: "text or a whole number"))
      }
      agreement.append("\(name) \(text.prefix(40))")
    }
    var count = 0.0
    switch operations {
    case .count(let number): count = Double(number)
    case .answer(let name): count = Double(answer[name]?.number ?? 0)
    }
    guard count > 0 else { return .wrong("the segment has no operations") }
    var findings = SegmentFindings()
    findings.add(figure, segment.length / count)
    if measuresProcessor { findings.add("cpu", Double(segment.processorNanoseconds) / count) }
    findings.agreement = agreed.isEmpty ? nil : agreement.joined(separator: ", ")
    return .right(findings)
  }
}
