import CurfewEngine

/// The log of a device: events and actions go to its recording and its readers, remarks to
/// its diagnostics.
///
/// Invariant: a journal has readers. A closed device has neither journal nor readers.
struct DeviceLog {
  var recording: Recording?
  /// nil while actions have no reader.
  var journal: ActionJournal?
  private(set) var diagnostics = Recent<DeviceDiagnostic>()
  private var readers: [AsyncStream<DeviceDiagnostic>.Continuation] = []
  /// Whether a diagnostic has reported the present standstill (rule C4).
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
    // Safe under the lock: a stream's continuation runs no code of the program, it resumes a task.
    readers.removeAll { if case .terminated = $0.yield(diagnostic) { true } else { false } }
  }

  mutating func add(_ reader: AsyncStream<DeviceDiagnostic>.Continuation) { readers.append(reader) }

  /// Stops the log.
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
