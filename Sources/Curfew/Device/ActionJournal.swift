import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewTrace

/// The events and actions of a device while it has readers or is recorded. They are noted under
/// the device's lock, and encoded outside the lock, once for all readers and the recording.
///
/// A device has a journal as long as it has readers or a recording. `publish` tells its caller
/// whether to call `tell`; until all entries have been passed on, no other caller need call it.
/// So one thread at a time notifies the readers and writes the recording, in order: in real time
/// the device's lane, on a virtual clock the thread that caused the entries.
final class ActionJournal: @unchecked Sendable {
  /// An event, a step or an action, at its instant.
  struct Entry {
    enum What {
      case action(Action)
      /// Without a recording, only illegal events are noted: the action that follows says that
      /// the event was illegal, but not which event it was.
      case event(Event)
      /// The engine took a step. Only for a recording, as the cases below.
      case advance
      /// The app with this index was registered.
      case app(Int)
      /// The header has to be written, even if no line follows.
      case header
      /// The device was closed; at a standstill the trace has no end (rule C4).
      case close(isStill: Bool)
    }

    let time: Instant
    let what: What

    /// Whether a step begins with this entry, so that the entries before are whole steps.
    var beginsStep: Bool { if case .action = what { false } else { true } }
  }

  /// The number of entries that may wait for the recording; more make callers wait, in real time.
  /// The entries then take up about 4 MiB.
  static let limit = 1 << 15

  /// The time, in nanoseconds, after which an idle thread of a recording looks again.
  private static let pause: Int64 = 1_000_000

  // Guarded by the device's lock.
  private(set) var readerCount = 0
  private(set) var isRecording = false
  /// Whether as many entries wait as may wait. Only for a recording.
  private(set) var isFull = false
  private var lastEvent: Event?
  private var noted: [Entry] = []
  private var knownApps = 0
  private var knownTexts = 0

  private let lock = Lock()
  // Guarded by the journal's own lock.
  private var entries: [Entry] = []
  /// New readers, each with the first entry that it receives.
  private var arrivals: [(place: Int, reader: ActionReader)] = []
  private var names: [(name: String, manifest: AppManifest)] = []
  private var texts: [String] = []
  /// The header of the recording and its sink, until a thread begins it.
  private var begun: (header: TraceHeader, sink: any TraceSink)?
  private var isAsked = false
  private var isEnding = false
  /// The thread that passes on entries, if any.
  private var teller: ThreadID?
  /// The number of all entries that were published, and of those that were passed on.
  private var publishedCount = 0
  private var toldCount = 0

  /// Only the thread that notifies the readers accesses it.
  private var output: JournalOutput
  /// Called once, outside the device's lock, if the recording ends early.
  private let whenFailed: @Sendable (any Error) -> Void

  /// A journal of a device under `policy`; the journal uses the policy's names.
  init(_ policy: Policy, whenFailed: @escaping @Sendable (any Error) -> Void) {
    output = JournalOutput(policy)
    self.whenFailed = whenFailed
  }

  /// Whether nobody needs the journal.
  var isUnused: Bool { readerCount == 0 && !isRecording }

  // MARK: Under the device's lock

  /// Adds a reader, which receives all actions from the next one on.
  func add(_ reader: ActionReader) {
    readerCount += 1
    lock.withLock { arrivals.append((entries.count, reader)) }
  }

  func forgetOne() { readerCount -= 1 }

  /// Begins a recording, whose header has the apps that are registered.
  /// - Precondition: There is none, and there has been none.
  func begin(_ header: TraceHeader, to sink: any TraceSink) {
    isRecording = true
    lock.withLock { begun = (header, sink) }
  }

  /// Stops noting for the recording, which has failed.
  func stopRecording() { (isRecording, isFull) = (false, false) }

  /// Notes an event. Without a recording, it is kept because it may be illegal; `.began` and
  /// `.returned` are never illegal.
  func note(_ event: Event, at now: Instant) {
    if isRecording { return note(.event(event), at: now) }
    switch event {
    case .began, .returned: break
    default: lastEvent = event
    }
  }

  func note(_ action: Action, at now: Instant) {
    if !isRecording, case .illegalEvent = action, let lastEvent {
      note(.event(lastEvent), at: now)
    }
    note(.action(action), at: now)
  }

  func noteAdvance(at now: Instant) { if isRecording { note(.advance, at: now) } }

  func noteApp(_ app: AppID, at now: Instant) {
    if isRecording { note(.app(Int(app.rawValue)), at: now) }
  }

  func noteHeader(at now: Instant) { if isRecording { note(.header, at: now) } }

  func noteClose(at now: Instant, isStill: Bool) {
    if isRecording { note(.close(isStill: isStill), at: now) }
  }

  private func note(_ what: Entry.What, at now: Instant) {
    noted.append(Entry(time: now, what: what))
  }

  /// Publishes the entries noted in the step that was just taken.
  /// - Returns: Whether the caller must call `tell`, outside the device's lock.
  func publish(_ apps: borrowing AppRecords, _ texts: borrowing TextNumbers) -> Bool {
    guard !noted.isEmpty else { return false }
    lock.lock()
    defer { lock.unlock() }
    learn(apps, texts)
    entries.append(contentsOf: noted)
    publishedCount += noted.count
    noted.removeAll(keepingCapacity: noted.capacity <= JournalOutput.slice)
    isFull = isRecording && entries.count >= ActionJournal.limit
    defer { isAsked = true }
    return !isAsked
  }

  private func learn(_ apps: borrowing AppRecords, _ texts: borrowing TextNumbers) {
    while knownApps < apps.count {
      names.append((apps.all[knownApps].name, apps.all[knownApps].manifest))
      knownApps += 1
    }
    guard knownTexts < texts.texts.count else { return }
    self.texts.append(contentsOf: texts.texts[knownTexts...])
    knownTexts = texts.texts.count
  }

  // MARK: Outside the device's lock

  /// Notifies the readers of all entries, and writes the recording: on `lane`, or without a lane
  /// on this thread, before this function returns. Called if `publish` returned true.
  /// - Parameter isRecording: Whether there was a recording at that time.
  func tell(on lane: DeviceLane?, isRecording: Bool) {
    if let lane {
      if isRecording {
        lane.record { [self] in tellLingering() }
      } else {
        lane.hurry { [self] in if tellSlice() { tell(on: lane, isRecording: false) } }
      }
    } else {
      while tellSlice() {}
    }
  }

  /// Passes on entries until none have come for a while. Waking this thread costs a caller more
  /// than beginning a task does, so the thread looks again by itself.
  private func tellLingering() {
    var idleRounds: UInt8 = 0
    while true {
      if tellSlice(keepsOn: idleRounds < 4) {
        idleRounds = 0
      } else if lock.withLock({ teller != .current }) {
        return
      } else {
        idleRounds += 1
        SystemClock.monotonic.sleep(until: SystemClock.monotonic.now + ActionJournal.pause)
      }
    }
  }

  /// Finishes the readers after the last entry, because the device has been closed.
  func end(on lane: DeviceLane?) {
    let isOurs = lock.withLock {
      isEnding = true
      defer { isAsked = true }
      return !isAsked
    }
    if isOurs { tell(on: lane, isRecording: false) }
  }

  /// Waits until all entries that were published have been passed on. Returns at once on the thread
  /// that passes them on.
  /// - Precondition: Another thread passes them on, or none wait.
  func waitUntilTold() {
    lock.withLock {
      let target = publishedCount
      while toldCount < target, teller != .current { lock.wait() }
    }
  }

  /// Waits until the lane has taken the entries that wait, so that no more wait than memory has
  /// room for.
  func waitForRoom() {
    lock.withLock {
      while entries.count >= ActionJournal.limit, isAsked, teller != .current { lock.wait() }
    }
  }

  /// - Parameter keepsOn: Whether this thread will look again if there are no more entries.
  /// - Returns: Whether there may be more entries. If not, and if this thread does not keep on,
  ///   the next caller of `publish` must call `tell` again.
  private func tellSlice(keepsOn: Bool = false) -> Bool {
    guard !output.isEmpty || fetch(into: &output, keepsOn: keepsOn) else { return false }
    let count = output.passOn()
    if let failure = output.takeFailure() { whenFailed(failure) }
    lock.withLock {
      toldCount += count
      lock.broadcast()
    }
    return true
  }

  /// Takes the entries that were published since the last call. Returns false if there are none;
  /// unless this thread keeps on, no thread notifies readers then.
  private func fetch(into output: inout JournalOutput, keepsOn: Bool) -> Bool {
    output.clear()
    lock.lock()
    guard !entries.isEmpty else {
      let isOver = isEnding
      if keepsOn, !isOver {
        teller = .current
        lock.unlock()
        return false
      }
      if isOver { output.take(&entries, &arrivals) }
      (isAsked, teller) = (false, nil)
      lock.broadcast()
      lock.unlock()
      if isOver { output.finish() }
      return false
    }
    output.take(&entries, &arrivals)
    let (names, texts, begun) = (names, texts, begun)
    (self.names, self.texts, self.begun, teller) = ([], [], nil, .current)
    lock.broadcast()
    lock.unlock()
    output.learn(names, texts)
    if let begun { output.begin(begun.header, to: begun.sink) }
    return true
  }
}
