/// The times in which the thread that makes the plan's steps was behind its plan.
///
/// A machine without a free core delays this thread, and it delays the threads of handlers for as
/// long. A process that was stopped works off the steps that fell due before. In both cases,
/// a handler that was not called may only be waiting for its turn.
struct Backlog {
  /// The delay above which a step is behind.
  private let margin: Int64
  /// From the planned instant of the first step of a row of late steps to the end of the last.
  private var ranges: [ClosedRange<Int64>] = []
  /// Whether the step that was added last was late.
  private var isBehind = false

  init(margin: Int64) { self.margin = margin }

  /// Adds the next step of the plan.
  ///
  /// - Complexity: O(1), amortized.
  mutating func add(_ step: TimedStep) {
    guard step.ended - step.wanted > margin else {
      isBehind = false
      return
    }
    if isBehind, let range = ranges.popLast() {
      ranges.append(range.lowerBound...max(range.upperBound, step.ended))
    } else {
      ranges.append(step.wanted...step.ended)
    }
    isBehind = true
  }

  /// Whether the thread was behind at any time between two instants.
  ///
  /// - Complexity: O(log n) in the number of rows of late steps.
  func contains(anyOf from: Int64, to end: Int64) -> Bool {
    // The upper bounds increase: a row ends before the next step begins.
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < from { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= end
  }
}
