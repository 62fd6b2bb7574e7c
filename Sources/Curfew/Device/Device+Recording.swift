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
    return core.withState { state in
      guard let recording = state.recording else { preconditionFailure("Nothing has been recorded") }
      let names = state.apps.map(\.name)
      let header = TraceHeader(
        name: name, policy: state.policy.name, policyDigest: state.policy.digest, seed: seed, clock: clock,
        apps: names.count > 1 ? names : [], device: DeviceChange(differencesOf: state.initialFacts),
        manifests: Dictionary(
          uniqueKeysWithValues: state.apps.filter { $0.manifest != AppManifest() }.map { ($0.name, $0.manifest) }))
      let recorder = TraceRecorder(apps: names, labels: state.texts.texts, writesEveryReturn: clock != nil)
      return Trace(header: header, lines: recording.lines(recorder))
    }
  }

  /// Everything that happens from now on, as lines of a trace: states, callbacks, decisions with their reasons, ends.
  ///
  /// A sequence of its own for each call; it ends when the device is closed or its reader stops. Whoever reads slowly does not hold the device up.
  ///
  /// - Parameter limit: How many lines wait for a slow reader, the newest ones; nil for all.
  public func actions(bufferingNewest limit: Int? = nil) -> AsyncStream<TraceLine> {
    let (stream, continuation) = AsyncStream<TraceLine>.makeStream(bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded)
    let number: Int? = core.withState { state in
      guard !state.isClosed else { return nil }
      state.listenersMade += 1
      state.listeners[state.listenersMade] = ActionListener(continuation, apps: state.apps.map(\.name), texts: state.texts.texts)
      return state.listenersMade
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak core] _ in core?.removeListener(number) }
    return stream
  }
}

extension DeviceCore {
  fileprivate func removeListener(_ number: Int) {
    let removed = withState { $0.listeners.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }
}
