internal import CurfewEngine
public import CurfewFiles

/// What happened, told in the words of the trace format.
extension Device {
  /// Keeps everything from now on for `recordedTrace`; to be called before anything happens, so that the trace is whole and replays. It costs some
  /// hundred bytes for each event and each action.
  public func startRecording() { core.withState { $0.recording = $0.recording ?? Recording() } }

  /// What has been recorded, as a trace that `curfew replay` and `Replay` run again: in virtual time where the clock is virtual; with every return
  /// and every `advance` where it is a real one.
  /// - Precondition: `startRecording` has been called.
  public func recordedTrace(name: String, seed: UInt64 = 0) -> Trace {
    let clock = core.clock?.name
    // Put into words outside the lock, for which others wait.
    let (entries, apps, texts, facts) = core.withState { state in
      guard let recording = state.recording else { preconditionFailure("Nothing has been recorded") }
      return (recording.entries, state.apps.map { ($0.name, $0.manifest) }, state.texts.texts, state.initialFacts)
    }
    let names = apps.map(\.0)
    let header = TraceHeader(
      name: name, policy: core.policy.name, policyDigest: core.policy.digest, seed: seed, clock: clock, apps: names.count > 1 ? names : [],
      device: DeviceChange(differencesOf: facts), manifests: Dictionary(uniqueKeysWithValues: apps.filter { $0.1 != AppManifest() }))
    var recorder = TraceRecorder(apps: names, labels: texts, writesEveryReturn: clock != nil)
    return Trace(header: header, lines: entries.flatMap { $0.compactMap { recorder.line(for: $0) } })
  }

  /// Everything that happens from now on, as lines of a trace: states, callbacks, decisions with their reasons, ends.
  ///
  /// A sequence of its own for each call; it ends when the device is closed or its reader stops. Whoever reads slowly does not hold the device up.
  ///
  /// - Parameter limit: How many lines wait for a slow reader, the newest ones; nil for all.
  public func actions(bufferingNewest limit: Int? = nil) -> AsyncStream<TraceLine> {
    let (stream, continuation) = AsyncStream<TraceLine>.makeStream(bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded)
    let listener: ActionListener? = core.withState { state in
      guard !state.isClosed else { return nil }
      let listener = ActionListener(continuation, state)
      state.listeners.append(listener)
      return listener
    }
    guard let listener else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak core, weak listener] _ in core?.withState { $0.listeners.removeAll { $0 === listener } } }
    return stream
  }
}
