import CurfewEngine
import CurfewSystem
import CurfewTrace

/// The actions of a device while it has readers. They are noted under the device's lock,
/// and encoded outside the lock, once for all readers.
///
/// A device has a journal as long as it has readers. `publish` tells its caller whether to call
/// `tell`; until all entries have been passed on, no other caller need call it. So one thread
/// at a time notifies the readers, in order: in real time the device's lane, on a virtual clock
/// the thread that caused the entries.
final class ActionJournal: @unchecked Sendable {
  private struct Entry {
    enum What {
      case action(Action)
      /// An illegal event: the action that follows says that it was illegal, but not which event
      /// it was.
      case event(Event)
    }

    let time: Instant
    let what: What
  }

  /// The number of entries that are passed on at one time. The lane does other work in between.
  private static let slice = 512

  // Guarded by the device's lock.
  private(set) var readerCount = 0
  private var lastEvent: Event?
  private var noted: [Entry] = []
  private var knownApps = 0
  private var knownTexts = 0

  private let lock = Lock()
  // Guarded by the journal's own lock.
  private var entries: [Entry] = []
  /// New readers, each with the first entry that it receives.
  private var arrivals: [(place: Int, reader: ActionReader)] = []
  private var names: [String] = []
  private var texts: [String] = []
  private var isAsked = false
  private var isEnding = false

  // Only the thread that notifies the readers accesses the following properties.
  private var told: [Entry] = []
  private var position = 0
  private var newReaders: [(place: Int, reader: ActionReader)] = []
  private var readers: [ActionReader] = []
  private var recorder: TraceCoder

  /// A journal of a device under `policy`; the journal uses the policy's names.
  init(_ policy: Policy) { recorder = TraceCoder(apps: [], policy: policy) }

  // MARK: Under the device's lock

  /// Adds a reader, which receives all actions from the next one on.
  func add(_ reader: ActionReader) {
    readerCount += 1
    lock.withLock { arrivals.append((entries.count, reader)) }
  }

  func forgetOne() { readerCount -= 1 }

  /// Notes an event, because it may be illegal: readers receive no events, except that an illegal
  /// event is named. `.began` and `.returned` are never illegal.
  func note(_ event: Event) {
    switch event {
    case .began, .returned: break
    default: lastEvent = event
    }
  }

  func note(_ action: Action, at now: Instant) {
    if case .illegalEvent = action, let lastEvent {
      noted.append(Entry(time: now, what: .event(lastEvent)))
    }
    noted.append(Entry(time: now, what: .action(action)))
  }

  /// Publishes the entries noted in the step that was just taken.
  /// - Returns: Whether the caller must call `tell`, outside the device's lock.
  func publish(_ apps: borrowing AppRecords, _ texts: borrowing TextNumbers) -> Bool {
    guard !noted.isEmpty else { return false }
    lock.lock()
    defer { lock.unlock() }
    learn(apps, texts)
    entries.append(contentsOf: noted)
    noted.removeAll(keepingCapacity: true)
    defer { isAsked = true }
    return !isAsked
  }

  private func learn(_ apps: borrowing AppRecords, _ texts: borrowing TextNumbers) {
    while knownApps < apps.count {
      names.append(apps.all[knownApps].name)
      knownApps += 1
    }
    guard knownTexts < texts.texts.count else { return }
    self.texts.append(contentsOf: texts.texts[knownTexts...])
    knownTexts = texts.texts.count
  }

  // MARK: Outside the device's lock

  /// Notifies the readers of all entries: on `lane`, or without a lane on this thread, before this
  /// function returns. Called if `publish` returned true.
  func tell(on lane: DeviceLane?) {
    if let lane {
      lane.hurry { [self] in if tellSlice() { tell(on: lane) } }
    } else {
      while tellSlice() {}
    }
  }

  /// Finishes the readers after the last entry, because the device has been closed.
  func end(on lane: DeviceLane?) {
    let isOurs = lock.withLock {
      isEnding = true
      defer { isAsked = true }
      return !isAsked
    }
    if isOurs { tell(on: lane) }
  }

  /// - Returns: Whether there may be more entries. If not, the next caller of `publish` must call
  ///   `tell` again.
  private func tellSlice() -> Bool {
    guard position < told.count || fetch() else { return false }
    let end = min(told.count, position + ActionJournal.slice)
    var lines: [TraceLine] = []
    while position < end {
      if let next = newReaders.first, next.place <= position {
        tell(&lines)
        admit(upTo: position)
      }
      if !readers.isEmpty, let line = line(for: told[position]) { lines.append(line) }
      position += 1
    }
    tell(&lines)
    return true
  }

  private func line(for entry: Entry) -> TraceLine? {
    switch entry.what {
    case .action(let action): return recorder.line(for: action, at: entry.time)
    case .event(let event):
      _ = recorder.line(entering: event, at: entry.time)
      return nil
    }
  }

  private func tell(_ lines: inout [TraceLine]) {
    guard !lines.isEmpty else { return }
    for reader in readers { reader.add(lines) }
    lines.removeAll(keepingCapacity: true)
  }

  private func admit(upTo place: Int) {
    while let next = newReaders.first, next.place <= place {
      readers.append(newReaders.removeFirst().reader)
    }
  }

  /// Takes the entries that were published since the last call. Returns false if there are none;
  /// then no thread notifies readers any more.
  private func fetch() -> Bool {
    admit(upTo: .max)
    readers.removeAll { $0.isLeft }
    told.removeAll(keepingCapacity: told.count <= 2 * ActionJournal.slice)
    position = 0
    lock.lock()
    guard !entries.isEmpty else {
      let isOver = isEnding
      if isOver { swap(&arrivals, &newReaders) }
      isAsked = false
      lock.unlock()
      if isOver { finish() }
      return false
    }
    swap(&entries, &told)
    swap(&arrivals, &newReaders)
    let (names, texts) = (names, texts)
    (self.names, self.texts) = ([], [])
    lock.unlock()
    for name in names { _ = recorder.addApp(named: name) }
    for text in texts { _ = recorder.number(of: text) }
    return true
  }

  private func finish() {
    admit(upTo: .max)
    for reader in readers { reader.finish() }
    readers = []
  }
}

// MARK: The device's

extension DeviceState {
  /// Adds a reader of all actions from now on. On a closed device the reader finishes at once.
  mutating func add(_ reader: ActionReader) {
    guard !isClosed else { return reader.finish() }
    let journal = log.journal ?? ActionJournal(policy.policy)
    journal.add(reader)
    log.journal = journal
  }
}

extension DeviceCore {
  /// Counts one reader less. The journal is released with the last reader.
  func forgetReader() {
    let last = withState { state -> ActionJournal? in
      guard let journal = state.log.journal else { return nil }
      journal.forgetOne()
      guard journal.readerCount == 0 else { return nil }
      state.log.journal = nil
      // The journal's contents are released outside the lock.
      return journal
    }
    _ = consume last
  }
}
