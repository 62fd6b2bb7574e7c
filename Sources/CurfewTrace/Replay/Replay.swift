public import CurfewEngine
public import CurfewPolicy
public import CurfewText

/// Runs a trace's events through an engine again, in virtual time, and compares every action.
public enum Replay {
  /// Where an engine did something else than the trace says.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The trace's line, counted from 1 with the header.
    public var line: Int
    /// What the trace has there; nil at its end.
    public var expected: String?
    /// What the engine did; nil if nothing.
    public var found: String?

    /// `line 12: the trace has …, the engine did …`.
    public var description: String {
      "line \(line): the trace has \(expected ?? "no more lines"), the engine did \(found ?? "nothing")"
    }
  }

  /// How a replay ended.
  package enum Ending: Hashable, Sendable {
    /// Every action was the same.
    case same
    /// One was not.
    case different(Divergence)
    /// The trace was cut: it has no end. Up to this line, its last, counted from 1 with the header,
    /// everything was the same.
    case cut(line: Int)
    /// The trace ends where time stands still, with this line; everything was the same.
    case standstill(Standstill, line: Int)
    /// The caller wanted no more; up to this line everything was the same.
    case interrupted(line: Int)
  }

  /// Runs `trace` under the policy that it was recorded under, with what its header says was set
  /// of it.
  ///
  /// - Returns: The first difference; nil if there is none. What a trace that was cut leaves out
  ///   is none.
  /// - Throws: If the policy's digest is not the trace's: under other rules a difference
  ///   says nothing.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, under file: PolicyFile) throws(FileErrors) -> Divergence? {
    let recorded = try file.set(trace.header.settings)
    guard trace.header.policyDigest == recorded.digest else {
      let message =
        "the trace was recorded under '\(trace.header.policy)' of digest \(trace.header.policyDigest), this policy has \(recorded.digest)"
      throw FileErrors([FileDiagnostic(file: file.file, message)])
    }
    return run(trace, policy: recorded.policy)
  }

  /// Runs `trace` under `policy`, whatever it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none. What a trace that was cut leaves out
  ///   is none.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, policy: Policy) -> Divergence? {
    if case .different(let divergence) = run(trace, policy: policy, isInterrupted: { _ in false }) {
      divergence
    } else {
      nil
    }
  }

  /// Runs a trace under `policy` as it is read, for as long as the caller wants: one of any size
  /// in the memory that its apps take.
  ///
  /// - Parameters:
  ///   - isInterrupted: Asked every thousand lines or so, with the number of the line up to which
  ///     everything has been the same.
  ///   - sink: Gets each line of the trace that was the same.
  /// - Returns: How it ended, and how many lines of each sort went in.
  /// - Throws: What is wrong with a line. Those before it were the same.
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

  /// How many lines of a trace went into a replay, without the header.
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

  /// Runs `trace` under `policy` for as long as the caller wants.
  ///
  /// - Parameter isInterrupted: Asked every thousand lines or so, with the number of the line up
  ///   to which everything has been the same.
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
