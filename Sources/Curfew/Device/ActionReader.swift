import CurfewEngine
import CurfewSystem
import CurfewTrace

/// One reader of a device's actions: the lines that it has not read yet, and whoever waits
/// for more.
final class ActionReader: @unchecked Sendable {
  private let limit: Int
  /// Set once.
  private weak var core: DeviceCore?
  private let lock = Lock()
  // All of it within the lock.
  private var lines: [TraceLine] = []
  private var first = 0
  /// Lines that were dropped before the first one here, and when the last of them was.
  private var gap: (dropped: Int, time: Instant)?
  /// Iterators that wait; only while there is no line.
  private var waiting: [CheckedContinuation<TraceLine?, Never>] = []
  /// Nothing comes after what is here.
  private var isFinished = false
  /// Nobody reads any more.
  private var isGone = false

  /// - Parameter limit: How many lines wait, the newest ones.
  init(limit: Int, _ core: DeviceCore) { (self.limit, self.core) = (limit, core) }

  // MARK: The device's side

  var isLeft: Bool { lock.withLock { isGone } }

  /// Tells it so much more. Outside the device's lock: a reader's executor is the program's.
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

  /// Ends it, after what there is.
  func finish() {
    let waiters = lock.withLock {
      isFinished = true
      return takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  // MARK: The reader's side

  /// The next line, or a gap; nil at the end. It waits for one.
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

  /// Nobody reads any more: the device forgets it. Not under the device's lock.
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

  /// So many lines are needed no more.
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

/// What a stream holds of its reader: the end of the last copy of the stream, iterated or not,
/// is the reader's.
final class ActionReaderHold: Sendable {
  let reader: ActionReader

  init(_ reader: ActionReader) { self.reader = reader }

  deinit { reader.leave() }
}
