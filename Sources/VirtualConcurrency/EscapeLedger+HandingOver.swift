internal import CVirtualTime
internal import Foundation

extension EscapeLedger {
  /// Work that captured work has begun and that has not been handed over yet to Dispatch, to its
  /// thread or to its `URLSession`.
  struct Postponed {
    let escape: Escape
    /// The start that the program requested, as a `dispatch_time_t`; 0 means at once.
    let when: UInt64
    /// The same start in real time.
    let begin: RealTime
    let start: () -> Void
    /// Whether virtual time has passed since the program began the work.
    var isLeftBehind = false
  }

  /// The real time for which a captured thread may sleep in a job before work is handed over,
  /// because the thread may be waiting for it: 50 ms. A thread that waits for a processor does
  /// not sleep.
  private static let patience = 0.05
  /// The real time for which a captured thread may be busy in a job before work is handed over:
  /// 1 s.
  private static let busyPatience = 1.0

  /// Hands over work that the program begins: at once if it was begun outside virtual time,
  /// otherwise when captured work is at rest.
  func start(
    _ escape: Escape, at when: UInt64, after nanoseconds: UInt64, _ start: @escaping () -> Void
  ) {
    condition.lock()
    guard isTold, escape.parent == nil, cvt_clock() != nil else {
      condition.unlock()
      // Earlier blocks of the same queue must come first.
      if let queue = escape.queue { handOver(queue: queue) }
      return start()
    }
    let begin = RealTime.now + Double(nanoseconds) / 1e9
    postponed.append(Postponed(escape: escape, when: when, begin: begin, start: start))
    if !hasHandler { startHandler() }
    condition.broadcast()
    condition.unlock()
  }

  /// Hands over the piece of work that begins first. Waits until this piece and the blocks that it
  /// has begun have returned, or until it has resumed a captured task. So fast pieces run one after
  /// another, in the same order in each run. A piece that takes longer than 1 s continues alongside
  /// the next piece.
  /// - Parameter endsBySignal: Whether the caller waits for a semaphore or a group, so that
  ///   a signal also ends the wait.
  /// - Returns: Whether there was a piece of work.
  @discardableResult
  func handOverNext(untilSignal endsBySignal: Bool = false) -> Bool {
    condition.lock()
    guard let work = takeNext() else {
      condition.unlock()
      return false
    }
    let (before, signals) = (resumptions, signalCount)
    condition.unlock()
    work.start()
    guard let end = endOfWait(for: work) else { return true }
    let driver = cvt_pause_driver()
    condition.lock()
    while isUnderWay(work.escape), resumptions == before, !endsBySignal || signalCount == signals,
      end.age < 0
    {
      _ = condition.wait(forReal: -end.age)
    }
    condition.unlock()
    cvt_resume_driver(driver)
    return true
  }

  /// Hands over all work that matches, in the order in which it was begun.
  func handOverAll(where isMeant: (Postponed) -> Bool = { _ in true }) {
    condition.lock()
    let meant = postponed.filter(isMeant)
    postponed.removeAll(where: isMeant)
    condition.unlock()
    for work in meant { work.start() }
  }

  /// Hands over the blocks of a queue, of the queues that target it, and of its target queues.
  func handOver(queue: UnsafeRawPointer) {
    handOverAll { work in work.escape.queue.map { cvt_share_queue($0, queue) } ?? false }
  }

  /// Whether a piece of work, or a block that it has begun, has not returned. The lock is held.
  private func isUnderWay(_ escape: Escape) -> Bool {
    !escape.hasReturned
      || known.contains {
        $0.kind == .block && $0.parent != nil && !$0.isDone && $0.descends(from: escape)
      }
  }

  /// Hands over the work that virtual time did not wait for. Captured work of the new instant runs
  /// first, so that a time-out does not race with a block that should have come earlier.
  func handOverLeftBehind() { handOverAll(where: \.isLeftBehind) }

  /// The lock is held.
  private func takeNext() -> Postponed? {
    // Work of one instant is taken in the order in which it was begun.
    guard let next = postponed.indices.min(by: { postponed[$0].when < postponed[$1].when }) else {
      return nil
    }
    return postponed.remove(at: next)
  }

  /// The time until which the next piece of work waits for this piece; nil if it does not wait.
  private func endOfWait(for work: Postponed) -> RealTime? {
    let isOwnMainThread = cvt_is_main_queue(work.escape.queue) && cvt_is_main_thread()
    guard work.escape.kind != .session, !isOwnMainThread,
      -work.begin.age <= Self.grace
    else { return nil }
    return (work.begin.age < 0 ? work.begin : .now) + Self.grace
  }

  // MARK: Captured threads in undetected waits

  /// The lock is held.
  private func startHandler() {
    hasHandler = true
    let thread = Thread { self.handOverToWaiting() }
    thread.name = "curfew escapes"
    uncaptured { thread.start() }
  }

  /// Hands over work if a captured thread does not come to rest, because the thread may be waiting
  /// for the work on a condition variable, on a pipe or in a loop.
  private func handOverToWaiting() {
    let interval = 0.01
    var (steps, asleep, busy) = (UInt64.max, 0.0, 0.0)
    while true {
      condition.lock()
      while postponed.isEmpty { condition.wait() }
      condition.unlock()
      Thread.sleep(forTimeInterval: interval)
      let now = Scheduler.shared.takenSteps
      if now != steps || cvt_driver() == nil { (steps, asleep, busy) = (now, 0, 0) }
      busy += interval
      asleep = cvt_does_driver_sleep() ? asleep + interval : 0
      guard asleep >= Self.patience || busy >= Self.busyPatience else { continue }
      // Hands over one piece after another, until the thread continues.
      while handOverNext(), Scheduler.shared.takenSteps == now, cvt_does_driver_sleep() {}
      (asleep, busy) = (0, 0)
    }
  }
}
