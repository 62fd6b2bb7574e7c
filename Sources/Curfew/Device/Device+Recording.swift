import CurfewEngine
public import CurfewPolicy
public import CurfewTrace

/// The record of what has happened on a device, in the trace format.
extension Device {
  /// Records everything from now on: all events and actions, as a trace that `curfew replay` and
  /// `Replay` can run again. Call it before anything happens, so that the trace is complete.
  ///
  /// Numbers are noted under the device's lock. In real time, lines are made and written on
  /// a thread of the device. If it is 32,768 entries behind, callers of the device wait, so that
  /// memory stays bounded. On a virtual clock, a call has been written when it returns. The trace
  /// ends when the device is closed. `FileSink` writes to a file, `MemorySink` keeps the bytes.
  ///
  /// If the sink fails, the recording ends with the last whole step, the diagnostic
  /// ``DeviceDiagnostic/Cause/recordingFailed(_:)`` has the cause, and the device goes on.
  ///
  /// - Parameters:
  ///   - sink: Takes the bytes. It must not call the device.
  ///   - name: The name of the run, for the trace's header.
  ///   - seed: The seed of random numbers, for the header; 0 if none are drawn.
  /// - Precondition: The device is not recorded, and has not been recorded.
  public func record(to sink: any TraceSink, name: String = "device", seed: UInt64 = 0) {
    core.record(to: sink, name: name, seed: seed)
  }

  /// Records everything from now on in memory, for `recordedTrace`. Call it before anything
  /// happens. It costs about 100 bytes for each event and each action.
  /// - Precondition: The device is not recorded to another sink.
  public func startRecording() {
    let sink = MemorySink()
    guard core.keep(sink) else { return }
    record(to: sink)
  }

  /// The recording of `startRecording` so far, as a trace that `curfew replay` and `Replay` can run
  /// again. The trace ends at the current instant; at a standstill (rule C4), the trace has no end.
  /// - Precondition: `startRecording` has been called.
  /// - Complexity: O(lines).
  public func recordedTrace(name: String, seed: UInt64 = 0) -> Trace {
    core.recordedTrace(name: name, seed: seed)
  }

  /// Waits until everything that has happened so far has been passed to the sink of the recording.
  /// On a virtual clock this is always so. Must not be called by the sink.
  public func waitForRecording() { _ = core.finishWriting() }

  /// The device's actions from now on, as lines of a trace: states, callbacks, decisions with their
  /// reasons, ends.
  ///
  /// Each call returns a new stream. The stream finishes when the device is closed, after all lines
  /// that were caused before. It also finishes if a task that waits for a line is cancelled, or if
  /// the last reference to the stream is released. If several iterators share one stream, each line
  /// goes to one of them.
  ///
  /// A slow reader does not delay the device. On a virtual clock, the lines that a call has caused
  /// are in the stream when the call returns, except for lines that another thread is writing at
  /// that time. In real time the lines follow soon after, from one of the device's own threads,
  /// which no handler blocks. While a device has readers, each action is noted once, however many
  /// readers there are.
  ///
  /// - Parameter limit: The number of lines that may wait for a slow reader; nil for all.
  ///   If there are more, the oldest are dropped, and replaced by one line, a `gap` with the number
  ///   of dropped lines.
  /// - Precondition: The limit is not negative.
  public func actions(bufferingNewest limit: Int? = nil) -> AsyncStream<TraceLine> {
    precondition(
      limit ?? 0 >= 0, "The limit is negative: \(limit ?? 0) lines; use nil for no limit")
    let hold = ActionReaderHold(ActionReader(limit: limit ?? .max, core))
    core.withState { $0.add(hold.reader, of: core) }
    return AsyncStream {
      await hold.reader.next()
    } onCancel: { [reader = hold.reader] in
      reader.leave()
    }
  }

  /// The reasons for a line of `actions()` or of a trace, derived from the current state of the
  /// device and the app; empty for a line that needs no explanation.
  ///
  /// `TraceExplanations` explains the lines of a whole recorded trace, with the state at each line.
  public func explanations(of line: TraceLine) -> [Explanation] {
    let setting = core.withState { state in
      state.setting(of: line.app.flatMap { state.apps[named: $0] })
    }
    return core.policy.explanations(of: line, in: setting)
  }

  /// The number of readers of the device's actions.
  package var readerCount: Int { core.withState { $0.log.journal?.readerCount ?? 0 } }
}
