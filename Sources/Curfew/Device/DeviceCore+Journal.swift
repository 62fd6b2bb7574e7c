internal import CurfewEngine
import CurfewText
import CurfewTrace

// The journal of a device: its readers and its recording.

extension DeviceState {
  /// The journal, which is created if there is none.
  mutating func journal(of core: DeviceCore) -> ActionJournal {
    if let journal = log.journal { return journal }
    let journal = ActionJournal(policy.policy) { [weak core] in core?.endRecording(after: $0) }
    log.journal = journal
    return journal
  }

  /// Adds a reader of all actions from now on. On a closed device the reader finishes at once.
  mutating func add(_ reader: ActionReader, of core: DeviceCore) {
    guard !isClosed else { return reader.finish() }
    journal(of: core).add(reader)
  }

  /// Publishes what has been noted.
  mutating func publishJournal() {
    guard let journal = log.journal else { return }
    if journal.publish(apps, texts) {
      outgoing.journal = (journal, true, isRecording: journal.isRecording)
    } else if lateness == nil, journal.isRecording, outgoing.journal == nil {
      // On a virtual clock a call has been written when it returns, also if another thread writes.
      outgoing.journal = (journal, false, isRecording: true)
    }
  }
}

extension DeviceCore {
  /// Counts one reader less. The journal is released with its last reader, unless it records.
  func forgetReader() {
    let last = withState { state -> ActionJournal? in
      guard let journal = state.log.journal else { return nil }
      journal.forgetOne()
      return state.log.releaseJournal()
    }
    _ = consume last
  }

  /// Begins a recording. A closed device records nothing.
  func record(to sink: any TraceSink, name: String, seed: UInt64) {
    withState { state in
      guard !state.isClosed else { return }
      precondition(!state.log.hasRecorded, "A device is recorded once")
      let header = TraceHeader(
        name: name, under: policy, device: initialFacts, clock: clock?.name, seed: seed,
        apps: state.apps.registered.map { (state.apps[$0].name, state.apps[$0].manifest) })
      let journal = state.journal(of: self)
      journal.begin(header, to: sink)
      state.log.recording = journal
    }
  }

  /// Keeps the sink of `startRecording`. Returns false if there is one.
  func keep(_ sink: MemorySink) -> Bool {
    withState { state in
      guard state.log.memory == nil else { return false }
      state.log.memory = sink
      return true
    }
  }

  /// The recording in memory, up to now.
  func recordedTrace(name: String, seed: UInt64) -> Trace {
    let (now, isStill) = finishWriting()
    guard let memory = withState({ $0.log.memory }) else {
      preconditionFailure("Nothing has been recorded: call startRecording() first")
    }
    do throws(FileErrors) {
      var trace = try memory.trace()
      (trace.header.name, trace.header.seed) = (name, seed)
      trace.header.namesOnlyApp = trace.lines.contains {
        if case .event(let deed) = $0.body { deed.verb == .addApp } else { false }
      }
      let last = trace.lines.last
      if !isStill, last?.body != .end {
        let end = max(now, last?.time ?? now)
        trace.lines.append(TraceLine(time: end, app: nil, .end))
      }
      return trace
    } catch {
      preconditionFailure("The recording cannot be read: \(error)")
    }
  }

  /// Waits until everything that has happened is in the recording.
  /// - Returns: The current instant, and whether time stands still.
  func finishWriting() -> (now: Instant, isStill: Bool) {
    let (now, isStill, recording, own) = withState { state in
      state.log.journal?.noteHeader(at: state.now)
      state.publishJournal()
      return (
        state.now, state.driver.standstill != nil, state.log.recording,
        state.outgoing.journal.take()
      )
    }
    // If no thread passes the entries on, this thread does.
    if let own, own.mustTell { own.journal.tell(on: nil, isRecording: false) }
    recording?.waitUntilTold()
    return (now, isStill)
  }

  /// Notes that the sink of the recording has failed. Called outside the lock.
  func endRecording(after failure: any Error) {
    let last = withState { state -> ActionJournal? in
      state.log.journal?.stopRecording()
      state.note(.recordingFailed("\(failure)"), of: nil)
      return state.log.releaseJournal()
    }
    _ = consume last
  }
}
