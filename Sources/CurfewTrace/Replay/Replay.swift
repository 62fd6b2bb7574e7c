public import CurfewEngine
public import CurfewPolicy
public import CurfewText

/// Runs a trace's events through an engine again, in virtual time, and compares every action.
public enum Replay {
  /// A difference between an engine and the trace.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The line in the trace, counted from 1 with the header.
    public var line: Int
    /// The trace's line; nil at its end.
    public var expected: String?
    /// The engine's line; nil if it did nothing.
    public var found: String?

    /// `line 12: the trace has …, the engine did …`.
    public var description: String { "line \(line): \(comparison)" }

    /// The description without the line.
    package var comparison: String {
      "the trace has \(expected ?? "no more lines"), the engine did \(found ?? "nothing")"
    }
  }

  /// The end of a replay.
  package enum Ending: Hashable, Sendable {
    /// All actions were the same, and the trace has its end, or ends between two runs of its host.
    case same
    /// An action was different.
    case different(Divergence)
    /// The trace was cut: it has no `end`. Everything was the same up to this line, which is the
    /// last line of the trace, counted from 1 with the header.
    case cut(line: Int)
    /// The trace ends with this line, at which time stands still. Everything was the same.
    case standstill(Standstill, line: Int)
    /// The caller interrupted. Everything was the same up to this line.
    case interrupted(line: Int)
  }

  /// Runs `trace` under the policy that it was recorded under, with the settings of its header.
  ///
  /// - Returns: The first difference; nil if there is none. The missing lines of a trace that was
  ///   cut are not a difference.
  /// - Throws: An error if the policy's digest is not the trace's. Under other rules a difference
  ///   would mean nothing.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, under file: PolicyFile) throws(FileErrors) -> Divergence? {
    run(trace, policy: try file.recorded(trace.header).policy)
  }

  /// Runs `trace` under `policy`, whatever policy it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none. The missing lines of a trace that was
  ///   cut are not a difference.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, policy: Policy) -> Divergence? {
    if case .different(let divergence) = run(trace, policy: policy, isInterrupted: { _ in false }) {
      divergence
    } else {
      nil
    }
  }

  /// Runs a trace under `policy` as it is read, until the caller interrupts. A trace of any size
  /// needs only the memory of its apps.
  ///
  /// - Parameters:
  ///   - isInterrupted: Called about every thousand lines, with the number of the line up to which
  ///     no difference was found.
  ///   - sink: Gets each line of the trace that was the same.
  /// - Returns: The end, and the number of lines of each sort.
  /// - Throws: The error in a line. The lines before it were the same.
  /// - Complexity: O(lines).
  package static func run(
    _ trace: consuming TraceStream, policy: Policy, isInterrupted: (_ line: Int) -> Bool,
    _ sink: (TraceLine) -> Void = { _ in }
  ) throws(FileErrors) -> (ending: Ending, counts: Counts) {
    var run = ReplayRun(trace.header, policy)
    var counts = Counts()
    while let line = try trace.next() {
      if (run.line - 1) % Trace.questionDistance == 0, isInterrupted(run.line) {
        return (.interrupted(line: run.line), counts)
      }
      counts.note(line)
      if let divergence = run.take(line) { return (.different(divergence), counts) }
      sink(line)
    }
    return (run.finish(), counts)
  }

  /// The number of a trace's lines that a replay has taken, by sort, without the header.
  package struct Counts: Hashable, Sendable {
    package private(set) var lines = 0
    package private(set) var events = 0
    package private(set) var advances = 0

    mutating func note(_ line: TraceLine) {
      lines += 1
      switch line.body {
      case .event: events += 1
      case .advance: advances += 1
      default: break
      }
    }
  }

  /// Runs `trace` under `policy` until the caller interrupts.
  ///
  /// - Parameter isInterrupted: Called about every thousand lines, with the number of the line up
  ///   to which no difference was found.
  /// - Complexity: O(lines).
  package static func run(_ trace: Trace, policy: Policy, isInterrupted: (_ line: Int) -> Bool)
    -> Ending
  {
    var run = ReplayRun(trace.header, policy)
    for line in trace.lines {
      if (run.line - 1) % Trace.questionDistance == 0, isInterrupted(run.line) {
        return .interrupted(line: run.line)
      }
      if let divergence = run.take(line) { return .different(divergence) }
    }
    return run.finish()
  }
}
