extension RunRecord {
  /// The reasons why the run has less than its options ask for, each a sentence.
  ///
  /// - Parameter isPrecise: For `--until`: whether the intervals are narrow enough.
  package func shortfalls(isPrecise: Bool) -> [String] {
    let asked = options.until == nil ? options.repetitions : RunOptions.mostRepetitions
    let done = workloads.map(\.plans.count).max() ?? 0
    var notes: [String] = []
    if let interruption {
      notes.append("\(options.part(done)): interrupted by \(interruption)")
    } else if options.until != nil, done == asked, !isPrecise {
      notes.append("\(options.part(done)): not every interval is as narrow as --until asks")
    }
    for workload in workloads where workload.plans.count < asked && workload.isSpent {
      let outcomes = workload.contestants.grouped(by: \.outcome.words).map { group in
        "\(group[0].outcome.words): \(group.map(\.name).joined(separator: ", "))"
      }
      notes.append(
        "\(workload.title), \(options.part(workload.plans.count)): no contestant is left to measure (\(outcomes.joined(separator: "; ")))"
      )
    }
    return notes
  }
}

extension OptionsRecord {
  /// `3 of 10 repetitions`; `12 of at most 40 repetitions` with `--until`.
  func part(_ repetitions: Int) -> String {
    let asked = until == nil ? "\(self.repetitions)" : "at most \(RunOptions.mostRepetitions)"
    return "\(repetitions) of \(asked) repetitions"
  }
}

extension WorkloadRecord {
  /// Whether every contestant has ended for a reason of its own.
  fileprivate var isSpent: Bool {
    !contestants.contains { $0.outcome == .measured || $0.outcome == .interrupted }
  }
}
