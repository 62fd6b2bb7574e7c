internal import CurfewText

/// The timers of a plan in real time: when each is due, and when it is cancelled.
package struct TimerExpectation: Sendable {
  /// Nanoseconds after the start.
  var dues: [Int64] = []
  /// Nanoseconds after the start; `never` for a timer that is not cancelled.
  var cancels: [Int64] = []

  static let never = Int64.max
  /// The least distance from a cancellation to its deadline at which a firing is wrong.
  /// A contestant cancels when its thread has woken up. If that is after a deadline that is
  /// closer, the timer fires first, as it must.
  static let leastDistance: Int64 = 10_000_000

  /// Compares the lateness of all timers that fired with the plan: `[[k,nanoseconds],…]`.
  func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    guard let pairs = answer["late"]?.elements else {
      return .unreadable(
        answer.complaint(about: "late", expected: "a list of [k, nanoseconds]"))
    }
    let start = segment.start ?? segment.began
    var hasFired = [Bool](repeating: false, count: dues.count)
    /// The latenesses of the timers that have no cancel.
    var latenesses: [Int64] = []
    var (early, earliest): (Int, Int64) = (0, 0)
    latenesses.reserveCapacity(pairs.count)
    for pair in pairs {
      guard let numbers = pair.numbers, numbers.count == 2 else {
        return .unreadable("'late' has an element that is not [k, nanoseconds]")
      }
      let (k, late) = (numbers[0], numbers[1])
      guard let index = Int(exactly: k), dues.indices.contains(index) else {
        return .wrong("timer \(k) fired, which the plan does not have")
      }
      if hasFired[index] { return .wrong("timer \(k) fired twice") }
      let (fired, isTooGreat) = (start + dues[index]).addingReportingOverflow(late)
      if isTooGreat || fired > segment.ended {
        return .wrong("timer \(k) fired after the end of its segment")
      }
      if fired < start {
        return .wrong("timer \(k) fired before the start; its instants may be of another clock")
      }
      hasFired[index] = true
      if late < 0 { early += 1 }
      earliest = min(earliest, late)
      guard cancels[index] != TimerExpectation.never else {
        latenesses.append(late)
        continue
      }
      let distance = dues[index] - cancels[index]
      if distance >= TimerExpectation.leastDistance {
        let span = HumanTime.rounded(max(0, distance + late))
        return .wrong("timer \(k) fired, which was cancelled \(span) before")
      }
    }
    for (k, cancel) in cancels.enumerated() where cancel == TimerExpectation.never && !hasFired[k] {
      return .wrong("timer \(k) never fired")
    }
    var findings = findings(latenesses.sorted(), segment)
    findings.early = early
    findings.earliestNanoseconds = -earliest
    return .right(findings)
  }

  private func findings(_ sorted: [Int64], _ segment: SegmentMeasurement) -> SegmentFindings {
    var findings = SegmentFindings()
    guard let last = sorted.last else { return findings }
    findings.add("p50", Double(TimerExpectation.percentile(0.5, of: sorted)))
    findings.add("p99", Double(TimerExpectation.percentile(0.99, of: sorted)))
    findings.add("max", Double(last))
    findings.add("cpu", Double(segment.processorNanoseconds) / Double(sorted.count))
    if let time = segment.processorFromStart {
      findings.add("cpuFromStart", Double(time) / Double(sorted.count))
    }
    return findings
  }

  /// The nearest rank: the least value that at least this share of the values does not exceed.
  static func percentile(_ share: Double, of sorted: [Int64]) -> Int64 {
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[max(0, min(sorted.count, rank) - 1)]
  }
}
