import CurfewEngine

/// Everything that is told of a device: events and actions to its recording and its readers,
/// remarks as diagnostics.
///
/// Invariant: a journal has readers. A closed device has neither.
struct DeviceLog {
  var recording: Recording?
  /// nil while nobody reads actions.
  var journal: ActionJournal?
  private(set) var diagnostics = Recent<DeviceDiagnostic>()
  private var readers: [AsyncStream<DeviceDiagnostic>.Continuation] = []
  /// Whether a diagnostic has told of the present standstill (rule C4).
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
    // A stream's continuation calls nobody: it resumes a task.
    readers.removeAll { if case .terminated = $0.yield(diagnostic) { true } else { false } }
  }

  mutating func add(_ reader: AsyncStream<DeviceDiagnostic>.Continuation) { readers.append(reader) }

  /// Nothing is told any more.
  /// - Returns: The journal, whose readers finish outside the lock.
  mutating func close() -> ActionJournal? {
    for reader in readers { reader.finish() }
    readers = []
    return journal.take()
  }

  func checkInvariants(isClosed: Bool) {
    precondition(journal.map { $0.readerCount > 0 } ?? true, "a journal that nobody reads")
    precondition(!isClosed || journal == nil && readers.isEmpty, "a closed device has readers")
  }
}
