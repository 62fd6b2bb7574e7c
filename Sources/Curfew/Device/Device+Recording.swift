import CurfewEngine
public import CurfewPolicy
public import CurfewTrace

/// What happened, told in the words of the trace format.
extension Device {
  /// Keeps everything from now on for `recordedTrace`; to be called before anything happens,
  /// so that the trace is whole and replays. It costs some hundred bytes for each event and
  /// each action.
  public func startRecording() {
    core.withState { $0.log.recording = $0.log.recording ?? Recording() }
  }

  /// The recording so far, as a trace that `curfew replay` and `Replay` run again. It ends now;
  /// where time stands still it has no end.
  /// - Precondition: `startRecording` has been called.
  public func recordedTrace(name: String, seed: UInt64 = 0) -> Trace {
    let clock = core.clock?.name
    // Put into words outside the lock, for which others wait.
    let (recording, apps, texts, end, isStill) = core.withState { state in
      guard let recording = state.log.recording else {
        preconditionFailure("Nothing has been recorded")
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

  /// Everything that happens from now on, as lines of a trace: states, callbacks, decisions with
  /// their reasons, ends.
  ///
  /// A sequence of its own for each call. It ends when the device is closed, after what happened
  /// before; or when its reader stops: when a task is cancelled that waits for a line, or nobody
  /// holds the stream any more. Where several iterate over one stream, each line comes to one
  /// of them.
  ///
  /// Whoever reads slowly does not hold the device up. On a virtual clock, what a call has caused
  /// is in the stream when it returns, but for what another thread is telling just then. In real
  /// time it comes soon after, from a thread of the device's own, which no handler blocks.
  /// What a device does while it has readers costs its callers a note of each action, however many
  /// readers there are.
  ///
  /// - Parameter limit: How many lines wait for a slow reader, the newest ones; nil for all.
  ///   In the place of those that were dropped it gets one line more, a `gap` that says how many
  ///   they were.
  /// - Precondition: The limit is not negative.
  public func actions(bufferingNewest limit: Int? = nil) -> AsyncStream<TraceLine> {
    precondition(
      limit ?? 0 >= 0, "A limit of \(limit ?? 0) lines; none may wait with 0, all with nil")
    let hold = ActionReaderHold(ActionReader(limit: limit ?? .max, core))
    core.withState { $0.add(hold.reader) }
    return AsyncStream {
      await hold.reader.next()
    } onCancel: { [reader = hold.reader] in
      reader.leave()
    }
  }

  /// Why what a line of `actions()` or of a trace tells is so, with the device and the app as they
  /// are now; of one that tells nothing of the kind, nothing.
  ///
  /// Of a whole recorded trace, with everything as it was then, `TraceExplanations` tells.
  public func explanations(of line: TraceLine) -> [Explanation] {
    let setting = core.withState { state in
      state.setting(of: line.app.flatMap { state.apps[named: $0] })
    }
    return core.policy.explanations(of: line, in: setting)
  }

  /// How many read its actions.
  package var readerCount: Int { core.withState { $0.log.journal?.readerCount ?? 0 } }
}
