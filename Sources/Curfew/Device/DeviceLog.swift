import CurfewEngine
import CurfewTrace

/// The log of a device. Events and actions go to the journal, for the recording and the readers;
/// remarks go to the diagnostics.
///
/// Invariants: a journal has at least one reader, or records. A closed device has neither a journal
/// nor readers.
struct DeviceLog {
  /// nil while actions have no readers and are not recorded.
  var journal: ActionJournal?
  /// The journal that records or has recorded, whose last entries may still be written.
  var recording: ActionJournal?
  /// The recording of `startRecording`.
  var memory: MemorySink?
  var hasRecorded: Bool { recording != nil }
  private(set) var diagnostics = Recent<DeviceDiagnostic>()
  private var readers: [AsyncStream<DeviceDiagnostic>.Continuation] = []
  /// Whether a diagnostic has reported the current standstill (rule C4).
  var hasToldStandstill = false

  mutating func note(_ event: Event, at now: Instant) {
    journal?.note(event, at: now)
  }

  mutating func note(_ action: Action, at now: Instant) {
    journal?.note(action, at: now)
  }

  mutating func note(_ diagnostic: DeviceDiagnostic) {
    diagnostics.append(diagnostic)
    // Safe under the lock: a stream's continuation only resumes a task, and runs no code
    // of the program.
    readers.removeAll { if case .terminated = $0.yield(diagnostic) { true } else { false } }
  }

  mutating func add(_ reader: AsyncStream<DeviceDiagnostic>.Continuation) { readers.append(reader) }

  /// Closes the log.
  /// - Returns: The journal, whose readers finish outside the lock.
  mutating func close() -> ActionJournal? {
    for reader in readers { reader.finish() }
    readers = []
    return journal.take()
  }

  /// The journal, if so much waits for the recording that callers have to wait.
  var fullJournal: ActionJournal? { journal?.isFull == true ? journal : nil }

  /// Takes the journal if nobody needs it any more. Its contents are released outside the lock.
  mutating func releaseJournal() -> ActionJournal? {
    journal?.isUnused == true ? journal.take() : nil
  }

  func checkInvariants(isClosed: Bool) {
    precondition(journal.map { !$0.isUnused } ?? true, "a journal without readers")
    precondition(!isClosed || journal == nil && readers.isEmpty, "a closed device has readers")
  }
}
