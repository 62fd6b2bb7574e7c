public import CurfewEngine
public import CurfewPolicy
public import CurfewText

extension Replay {
  /// A run that goes on where its trace ends.
  ///
  /// ```swift
  /// var run = try Replay.resume(bytes, name: path, under: file)
  /// run.recorder.append(to: try FileSink(path, continuingAt: run.length))
  /// for action in run.undone { perform(action) }
  /// for (name, app) in run.apps where run.driver.owesReturn(app) { … }
  /// ```
  @frozen public struct Resumed: ~Copyable {
    /// The first line of the trace.
    public let header: TraceHeader
    /// The driver after the last step of the trace. A callback may not have returned:
    /// `Driver.owesReturn` says so, because the turn is not offered again.
    public var driver: Driver
    /// Records the rest of the run. It writes nothing before
    /// ``TraceRecorder/append(to:)``.
    public var recorder: TraceRecorder
    /// The apps by name, without those that have been removed.
    public let apps: [String: AppID]
    /// The number of bytes that count. The rest is a torn line, or the line `end`: further lines
    /// replace it.
    public let length: Int
    /// The actions that the engine takes in the last step and the trace does not tell. The host may
    /// not have performed them, so it does now.
    public let undone: [Action]
    /// The last line `resumed`, which says when the run goes on; nil if the trace has none.
    public let lastStart: LastStart?
  }

  /// The reason why a run cannot go on.
  public enum ResumeError: Error, CustomStringConvertible {
    /// The trace cannot be read, or was recorded under other values of a policy.
    case invalid(FileErrors)
    /// The engine does something else than the trace.
    case different(Divergence)

    /// The errors with their places, or `line 12: the trace has …, the engine did …`.
    public var description: String {
      switch self {
      case .invalid(let errors): "\(errors)"
      case .different(let divergence): "\(divergence)"
      }
    }
  }

  /// Runs a trace again, and hands out where it ends.
  ///
  /// The trace may be cut anywhere: a last line without a line end does not count. A trace needs
  /// no checksum, because every line that the engine produces is compared.
  ///
  /// - Parameters:
  ///   - bytes: The trace. Its policy's settings are those of its header.
  ///   - name: The name of the bytes in errors.
  ///   - file: The policy that it was recorded under.
  /// - Throws: A `ResumeError`, with the place.
  /// - Complexity: O(bytes).
  public static func resume(_ bytes: [UInt8], name: String, under file: PolicyFile)
    throws(ResumeError) -> Resumed
  {
    var lines = WholeLines(bytes, name: name)
    let header: TraceHeader
    let recorded: PolicyFile
    do throws(FileErrors) {
      header = try lines.header()
      recorded = try file.recorded(header)
    } catch {
      throw .invalid(error)
    }
    var run = ReplayRun(header, recorded.policy, keepsActions: true)
    while true {
      let line: TraceLine?
      do throws(FileErrors) { line = try lines.next() } catch { throw .invalid(error) }
      guard let line else { return run.resumed(length: lines.length) }
      if let divergence = run.take(line) { throw .different(divergence) }
    }
  }
}

extension PolicyFile {
  /// The policy that a trace was recorded under.
  /// - Throws: An error if the digest is not the trace's.
  func recorded(_ header: TraceHeader) throws(FileErrors) -> PolicyFile {
    let recorded = try set(header.settings)
    guard header.policyDigest == recorded.digest else {
      let message =
        "the trace was recorded under '\(header.policy)' with digest \(header.policyDigest); this policy has \(recorded.digest)"
      throw FileErrors([FileDiagnostic(file: self.file, message)])
    }
    return recorded
  }
}
