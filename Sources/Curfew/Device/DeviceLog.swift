import CurfewEngine

/// The log of a device. Events and actions go to the recording and the readers; remarks go
/// to the diagnostics.
///
/// Invariants: a journal has at least one reader. A closed device has neither a journal
/// nor readers.
struct DeviceLog {
  var recording: Recording?
  /// nil while actions have no readers.
  var journal: ActionJournal?
  private(set) var diagnostics = Recent<DeviceDiagnostic>()
  private var readers: [AsyncStream<DeviceDiagnostic>.Continuation] = []
  /// Whether a diagnostic has reported the current standstill (rule C4).
  var hasToldStandstill = false

  mutating func note(_ event: Event, at now: Instant) {
    recording?.note(event, at: now)
    journal?.note(event)
  }

  mutating func note(_ action: Action, at now: Instant) {
    journal?.note(action, at: now)
    recording?.note(action, at: now)
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

  func checkInvariants(isClosed: Bool) {
    precondition(journal.map { $0.readerCount > 0 } ?? true, "a journal without readers")
    precondition(!isClosed || journal == nil && readers.isEmpty, "a closed device has readers")
  }
}
