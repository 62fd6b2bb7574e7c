import CurfewEngine
import CurfewSystem
import CurfewTrace

/// One reader of a device's actions: the lines that it has not read yet, and the iterators that
/// wait for more.
final class ActionReader: @unchecked Sendable {
  private let limit: Int
  /// Set only once.
  private weak var core: DeviceCore?
  private let lock = Lock()
  // The lock guards all properties below.
  private var lines: [TraceLine] = []
  private var first = 0
  /// The number of lines dropped before the first line here, and the time of the last dropped line.
  private var gap: (dropped: Int, time: Instant)?
  /// Iterators that wait for a line; empty while there are lines.
  private var waiting: [CheckedContinuation<TraceLine?, Never>] = []
  /// Whether no more lines will come.
  private var isFinished = false
  /// Whether reading has stopped.
  private var isGone = false

  /// - Parameter limit: The number of lines that may wait; the oldest are dropped.
  init(limit: Int, _ core: DeviceCore) { (self.limit, self.core) = (limit, core) }

  // MARK: The device's side

  var isLeft: Bool { lock.withLock { isGone } }

  /// Adds lines. Called outside the device's lock, because it resumes readers on executors of
  /// the program.
  func add(_ new: [TraceLine]) {
    var answered: [(CheckedContinuation<TraceLine?, Never>, TraceLine)] = []
    lock.withLock {
      guard !isGone else { return }
      lines.append(contentsOf: new)
      while !waiting.isEmpty, let line = take() { answered.append((waiting.removeFirst(), line)) }
      drop(lines.count - first - limit)
    }
    for (waiter, line) in answered { waiter.resume(returning: line) }
  }

  /// Finishes the reader after the lines that it still has.
  func finish() {
    let waiters = lock.withLock {
      isFinished = true
      return takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  // MARK: The reader's side

  /// The next line, or a gap; nil at the end. Waits for a line.
  func next() async -> TraceLine? {
    if let line = lock.withLock({ take() }) { return line }
    return await withCheckedContinuation { waiter in
      lock.lock()
      let line = take()
      let isAnswered = line != nil || isFinished
      if !isAnswered { waiting.append(waiter) }
      lock.unlock()
      if isAnswered { waiter.resume(returning: line) }
    }
  }

  /// Stops reading: the device forgets the reader. Must not be called under the device's lock.
  func leave() {
    let (isFirst, waiters) = lock.withLock {
      defer { (isGone, isFinished, lines, first, gap) = (true, true, [], 0, nil) }
      return (!isGone, takeWaiters())
    }
    guard isFirst else { return }
    for waiter in waiters { waiter.resume(returning: nil) }
    core?.forgetReader()
  }

  // MARK: Within the lock

  private func take() -> TraceLine? {
    if let gap {
      self.gap = nil
      return TraceLine(time: gap.time, app: nil, .gap(dropped: gap.dropped))
    }
    guard first < lines.count else { return nil }
    defer { pass(1) }
    return lines[first]
  }

  private func drop(_ excess: Int) {
    guard excess > 0 else { return }
    gap = ((gap?.dropped ?? 0) + excess, lines[first + excess - 1].time)
    pass(excess)
  }

  /// Removes lines that were read or dropped.
  private func pass(_ count: Int) {
    first += count
    if first == lines.count {
      lines.removeAll(keepingCapacity: first <= 1024)
      first = 0
    } else if first > 64, first > lines.count / 2 {
      lines.removeFirst(first)
      first = 0
    }
  }

  private func takeWaiters() -> [CheckedContinuation<TraceLine?, Never>] {
    defer { waiting = [] }
    return waiting
  }
}

/// The reference of a stream to its reader. When the last copy of the stream is released, iterated
/// or not, the reader leaves.
final class ActionReaderHold: Sendable {
  let reader: ActionReader

  init(_ reader: ActionReader) { self.reader = reader }

  deinit { reader.leave() }
}
