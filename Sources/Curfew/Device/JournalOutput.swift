import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The part of a journal that passes entries on, to the readers and the recording. One thread at
/// a time uses it.
///
/// It is one value, because each access to a property of a class is checked while the program runs.
struct JournalOutput: ~Copyable {
  typealias Entry = ActionJournal.Entry

  /// The number of entries that are passed on at one time. The lane does other work in between.
  static let slice = 512

  private var entries: [Entry] = []
  private var position = 0
  /// New readers, each with the first entry that it receives.
  private var newReaders: [(place: Int, reader: ActionReader)] = []
  private var readers: [ActionReader] = []
  private var manifests: [AppManifest] = []
  private var recorder: TraceRecorder
  /// Whether a recording has begun and not failed.
  private var isWriting = false

  init(_ policy: Policy) { recorder = TraceRecorder(policy: policy) }

  /// Whether all entries have been passed on.
  var isEmpty: Bool { position >= entries.count }

  /// Prepares for the next entries, after the last ones have been passed on.
  mutating func clear() {
    admit(upTo: .max)
    readers.removeAll { $0.isLeft }
    entries.removeAll(keepingCapacity: entries.count <= 2 * JournalOutput.slice || isWriting)
    position = 0
  }

  /// Takes entries and new readers, and gives back empty lists. The output is clear.
  mutating func take(
    _ entries: inout [Entry], _ arrivals: inout [(place: Int, reader: ActionReader)]
  ) {
    swap(&self.entries, &entries)
    swap(&newReaders, &arrivals)
  }

  /// Learns the apps and texts that the taken entries name, before they are passed on.
  mutating func learn(_ names: [(name: String, manifest: AppManifest)], _ texts: [String]) {
    for (name, manifest) in names {
      recorder.learn(name)
      manifests.append(manifest)
    }
    for text in texts { _ = recorder.number(of: text) }
  }

  mutating func begin(_ header: TraceHeader, to sink: any TraceSink) {
    recorder.begin(header, to: sink)
    isWriting = true
  }

  /// Passes on a slice of the entries.
  /// - Returns: The number of entries.
  mutating func passOn() -> Int {
    let begin = position
    let end = min(entries.count, position + JournalOutput.slice)
    var lines: [TraceLine] = []
    while position < end {
      if let next = newReaders.first, next.place <= position {
        tell(&lines)
        admit(upTo: position)
      }
      let entry = entries[position]
      if entry.beginsStep, recorder.pendingCount >= TraceRecorder.greatestWrite {
        recorder.finishStep()
      }
      if let line = record(entry), !readers.isEmpty { lines.append(line) }
      position += 1
    }
    // The entries that are published together are whole steps.
    if isEmpty { recorder.finishStep() }
    tell(&lines)
    return position - begin
  }

  /// The cause for which the recording has ended early, at the first call after that.
  mutating func takeFailure() -> (any Error)? {
    guard isWriting, !recorder.isWriting, let failure = recorder.failure else { return nil }
    isWriting = false
    return failure
  }

  /// Finishes all readers.
  mutating func finish() {
    admit(upTo: .max)
    for reader in readers { reader.finish() }
    readers = []
  }

  /// Records an entry.
  /// - Returns: The line for readers, if the entry has one.
  private mutating func record(_ entry: Entry) -> TraceLine? {
    switch entry.what {
    case .action(let action):
      guard !readers.isEmpty else {
        if isWriting { recorder.record(action, at: entry.time) }
        return nil
      }
      return recorder.line(for: action, at: entry.time)
    case .event(let event): recorder.record(event, at: entry.time)
    case .advance: recorder.recordAdvance(at: entry.time)
    case .app(let place):
      recorder.enter(recorder.name(of: place), manifests[place], at: entry.time)
    case .header: recorder.closeHeader()
    case .close(let isStill):
      if isStill { recorder.cut() } else { recorder.finish(at: entry.time) }
    }
    return nil
  }

  private func tell(_ lines: inout [TraceLine]) {
    guard !lines.isEmpty else { return }
    for reader in readers { reader.add(lines) }
    lines.removeAll(keepingCapacity: true)
  }

  private mutating func admit(upTo place: Int) {
    while let next = newReaders.first, next.place <= place {
      readers.append(newReaders.removeFirst().reader)
    }
  }
}
