import CurfewEngine

/// Whether a trace is whole, read line by line.
///
/// A trace is whole after its line `end`. A host that goes on with its trace, such as
/// `curfew exec` with a journal, writes no such line: its trace has a line `resumed`, and is whole
/// when a step is complete after which no app runs.
package struct TraceWholeness: Sendable {
  private var hasEnded = false
  private var goesOn = false
  private var running: Set<String> = []
  /// Whether the last line ends an app's process or denies its start.
  private var endsRun = false

  /// Creates the state before the first line.
  package init() {}

  /// Takes note of the next line.
  package mutating func note(_ line: TraceLine) {
    endsRun = false
    switch line.body {
    case .end: hasEnded = true
    case .resumed: goesOn = true
    case .state(_, let state):
      guard let app = line.app else { return }
      if state == .notRunning { running.remove(app) } else { running.insert(app) }
    case .terminated: endsRun = true
    case .decision(_, _, let denied, _): endsRun = !denied.isEmpty
    default: return
    }
  }

  /// Whether the lines so far are a whole trace.
  package var isWhole: Bool { hasEnded || goesOn && endsRun && running.isEmpty }
}

extension Trace {
  /// Whether the trace has its end; false if the run or the trace was cut.
  package var isWhole: Bool {
    var wholeness = TraceWholeness()
    for line in lines { wholeness.note(line) }
    return wholeness.isWhole
  }
}
