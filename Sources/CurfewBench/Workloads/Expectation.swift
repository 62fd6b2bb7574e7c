/// The right answers to a plan.
package enum Expectation: Sendable {
  case timers(TimerExpectation)
  case restarts(RestartExpectation)
  case fleet(FleetReference)
  case operations(OperationExpectation)
}

/// The measurements of one segment, from which its figures are computed.
package struct SegmentMeasurement: Sendable, Hashable {
  /// The number of segments that the process ran before this one, repeated ones included.
  package var index = 0
  /// The instant from which the deadlines count, for workloads in real time.
  package var start: Int64?
  package var began: Int64
  package var ended: Int64
  package var processorNanoseconds: Int64
  /// The part of that after the start; nil if all belongs to the timers.
  package var processorFromStart: Int64?
  /// The peak memory of the contestant so far, in bytes.
  package var peakMemory: Int64

  package var length: Double { Double(ended - began) }
}

/// The result of comparing an answer with the expectation.
package enum AnswerVerdict: Sendable, Hashable {
  case right(SegmentFindings)
  /// The first mistake.
  case wrong(String)
  /// The answer lacks something that the protocol asks for.
  case unreadable(String)
}

/// The figures of a segment that was answered rightly.
package struct SegmentFindings: Sendable, Hashable {
  package var figures: [FigureRecord] = []
  package var early = 0
  package var earliestNanoseconds: Int64 = 0
  /// The part of the answer that all contestants must agree on; nil if the plan gives the answer.
  package var agreement: String?

  mutating func add(_ name: String, _ value: Double) {
    figures.append(FigureRecord(name: name, value: value))
  }
}

extension Expectation {
  /// Compares an answer with the expectation, and computes the segment's figures.
  package func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    switch self {
    case .timers(let timers): timers.judge(answer, segment)
    case .restarts(let restarts): restarts.judge(answer, segment)
    case .fleet(let fleet): fleet.judge(answer, segment)
    case .operations(let operations): operations.judge(answer, segment)
    }
  }
}
