import CurfewEngine
public import CurfewPolicy
public import CurfewTrace

/// The record of what has happened on a device, in the trace format.
extension Device {
  /// Records all events and actions from now on, for `recordedTrace`. Call it before anything
  /// happens, so that the trace is complete and can be replayed. It costs about 100 bytes for each
  /// event and each action.
  public func startRecording() {
    core.withState { $0.log.recording = $0.log.recording ?? Recording() }
  }

  /// The recording so far, as a trace that `curfew replay` and `Replay` can run again. The trace
  /// ends at the current instant; at a standstill (rule C4), the trace has no end.
  /// - Precondition: `startRecording` has been called.
  public func recordedTrace(name: String, seed: UInt64 = 0) -> Trace {
    let clock = core.clock?.name
    // Encoded outside the lock, so that other threads need not wait.
    let (recording, apps, texts, end, isStill) = core.withState { state in
      guard let recording = state.log.recording else {
        preconditionFailure("Nothing has been recorded: call startRecording() first")
      }
      let apps = state.apps.all.map { (name: $0.name, manifest: $0.manifest) }
      return (recording, apps, state.texts.texts, state.now, state.driver.standstill != nil)
    }
    let first = apps[..<(recording.firstLateApp ?? apps.count)]
    let names = first.map(\.name)
    var header = TraceHeader(
      name: name, policy: core.policy.name, policyDigest: core.policy.digest,
      settings: core.policy.settings, seed: seed, clock: clock,
      apps: names,
      device: DeviceChange(differencesOf: core.initialFacts),
      facts: NamedFacts(core.initialFacts.declared, core.policy.policy.names),
      manifests: Dictionary(
        first.filter { $0.manifest != AppManifest() }.map { ($0.name, $0.manifest) },
        uniquingKeysWith: { $1 }))
    header.namesOnlyApp = recording.firstLateApp != nil
    var recorder = TraceCoder(apps: names, labels: texts, policy: core.policy.policy)
    let lines = recording.entries.flatMap { $0.compactMap { recorder.line(for: $0, of: apps) } }
    return Trace(
      header: header, lines: isStill ? lines : lines + [TraceLine(time: end, app: nil, .end)])
  }

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
    core.withState { $0.add(hold.reader) }
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
