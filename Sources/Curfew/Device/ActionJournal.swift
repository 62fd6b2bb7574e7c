import CurfewEngine
import CurfewSystem
import CurfewTrace

/// What happens on a device while anybody reads it: noted as it comes under the device's lock, put
/// into words once for all readers outside of it.
///
/// There is one for as long as there are readers. Whoever notes something learns whether somebody
/// has to be asked to tell it; from then on until all is told nobody else is asked. So one thread
/// at a time tells, in order: in real time the device's lane, on a virtual clock whoever caused it.
final class ActionJournal: @unchecked Sendable {
  private struct Entry {
    enum What {
      case action(Action)
      /// What was illegal: the next action says so and not what it was.
      case event(Event)
    }

    let time: Instant
    let what: What
  }

  /// So many entries are told in one go, of which the lane has other work to do in between.
  private static let slice = 512

  // Under the device's lock.
  private(set) var readerCount = 0
  private var lastEvent: Event?
  private var noted: [Entry] = []
  private var knownApps = 0
  private var knownTexts = 0

  private let lock = Lock()
  // Under this one's own.
  private var entries: [Entry] = []
  /// Readers that came before the entry of this place.
  private var arrivals: [(place: Int, reader: ActionReader)] = []
  private var names: [String] = []
  private var texts: [String] = []
  private var isAsked = false
  private var isEnding = false

  // Whoever tells has these to itself.
  private var told: [Entry] = []
  private var position = 0
  private var newReaders: [(place: Int, reader: ActionReader)] = []
  private var readers: [ActionReader] = []
  private var recorder: TraceCoder

  /// A journal of a device whose policy has these names.
  init(_ policy: Policy) { recorder = TraceCoder(apps: [], policy: policy) }

  // MARK: Under the device's lock

  /// From the next action on `reader` is told all.
  func add(_ reader: ActionReader) {
    readerCount += 1
    lock.withLock { arrivals.append((entries.count, reader)) }
  }

  func forgetOne() { readerCount -= 1 }

  /// What entered is not told, but an illegal one is named. A first line and a return are
  /// never that.
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

  /// Hands on what has been noted of the step that was just taken.
  /// - Returns: Whether the caller has to `tell`, outside the device's lock.
  func publish(_ apps: borrowing AppRecords, _ texts: borrowing TextTable) -> Bool {
    guard !noted.isEmpty else { return false }
    lock.lock()
    defer { lock.unlock() }
    learn(apps, texts)
    entries.append(contentsOf: noted)
    noted.removeAll(keepingCapacity: true)
    defer { isAsked = true }
    return !isAsked
  }

  private func learn(_ apps: borrowing AppRecords, _ texts: borrowing TextTable) {
    while knownApps < apps.count {
      names.append(apps.all[knownApps].name)
      knownApps += 1
    }
    guard knownTexts < texts.texts.count else { return }
    self.texts.append(contentsOf: texts.texts[knownTexts...])
    knownTexts = texts.texts.count
  }

  // MARK: Outside the device's lock

  /// Tells all that there is: on `lane`, or where there is none on this thread, before it returns.
  /// For whom `note` has said so.
  func tell(on lane: DeviceLane?) {
    if let lane {
      lane.hurry { [self] in if tellSlice() { tell(on: lane) } }
    } else {
      while tellSlice() {}
    }
  }

  /// The device has been closed: readers come to their end after what has happened.
  func end(on lane: DeviceLane?) {
    let isOurs = lock.withLock {
      isEnding = true
      defer { isAsked = true }
      return !isAsked
    }
    if isOurs { tell(on: lane) }
  }

  /// - Returns: Whether there may be more; else the next one who notes something is told
  ///   to ask again.
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

  /// Takes over what has been noted since; false, and nobody is at it any more, where that
  /// is nothing.
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
  /// From now on `reader` is told what happens; on a closed device, that nothing does.
  mutating func add(_ reader: ActionReader) {
    guard !isClosed else { return reader.finish() }
    let journal = log.journal ?? ActionJournal(policy.policy)
    journal.add(reader)
    log.journal = journal
  }
}

extension DeviceCore {
  /// Tells one reader less. The journal goes with the last one.
  func forgetReader() {
    let last = withState { state -> ActionJournal? in
      guard let journal = state.log.journal else { return nil }
      journal.forgetOne()
      guard journal.readerCount == 0 else { return nil }
      state.log.journal = nil
      // What it has kept is let go of outside.
      return journal
    }
    _ = consume last
  }
}
