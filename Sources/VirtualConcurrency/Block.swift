internal import CVirtualTime
internal import Foundation

/// A Dispatch block that captured work has enqueued. A task runs it, so that it has an owner, waits
/// while its owner is held, is dropped with its owner, and is reported if it is left.
final class Block: @unchecked Sendable {
  /// The event after which the block is ready to run.
  enum Start {
    case after(Nanoseconds)
    /// The group, retained, that must be empty.
    case whenEmpty(UnsafeRawPointer)
  }

  let queue: UnsafeRawPointer
  let start: Start
  let isBarrier: Bool
  /// The place that enqueued the block.
  let origin = Frames.ofThread
  private let work: UnsafeMutableRawPointer
  private let isOnMainThread: Bool

  init(_ work: UnsafeMutableRawPointer, on queue: UnsafeRawPointer, _ start: Start) {
    (self.work, self.queue, self.start) = (work, queue, start)
    (isBarrier, isOnMainThread) = (cvt_is_barrier(work), cvt_is_on_main_thread(queue))
  }

  /// Begins the task of the block.
  func enqueue() {
    Scheduler.shared.prepare(self)
    defer { Scheduler.shared.prepare(nil) }
    if isOnMainThread {
      Task.detached { @MainActor in self.run() }
    } else {
      Task.detached { self.run() }
    }
  }

  private func run() {
    // The main thread always holds the main queue.
    if isOnMainThread { return cvt_run_block(work, false) }
    if cvt_is_global(queue) { return cvt_run_block(work, true) }
    let isFree = Scheduler.shared.beginUse(of: queue, isBarrier: isBarrier)
    defer { Scheduler.shared.endUse(of: queue) }
    cvt_run_block(work, isFree)
  }
}

extension Scheduler {
  /// Makes the next task that this thread creates the task of a block; nil for no block.
  func prepare(_ block: Block?) {
    condition.lock()
    prepared = block
    condition.unlock()
  }

  func beginUse(of queue: UnsafeRawPointer, isBarrier: Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return queueUse.begin(
      queue, isBarrier: isBarrier, by: scope ?? owner(cvt_current_task().map(cvt_task_id)))
  }

  /// Gathers the blocks that come before a `sync`, and puts the claim of the `sync` behind them.
  /// - Returns: The number of these blocks.
  func add(_ claim: QueueClaim) -> Int {
    let isBefore = { (entry: Entry) in Self.shares(claim.queue, entry) }
    condition.lock()
    defer { condition.unlock() }
    let ready = queue.removeAll { [owners] in isBefore($0) && owners.admits($0.owner) }
    for entry in ready { queueUse.keep(entry) }
    queueUse.changes()
    defer { queueUse.add(claim) }
    return queueUse.count(where: isBefore)
  }

  /// Gathers the jobs that come before a `sync` to the main thread.
  /// - Returns: The number of these jobs.
  func gatherJobsOfMainThread() -> Int {
    condition.lock()
    defer { condition.unlock() }
    let ready = queue.removeAll { [owners] in
      $0.lane == .main && $0.wait == nil && owners.admits($0.owner)
    }
    for entry in ready { mainThread.keep(entry) }
    mainThread.changes()
    return mainThread.jobs.count
  }

  static func shares(_ queue: UnsafeRawPointer, _ entry: Entry) -> Bool {
    entry.block.map { cvt_share_queue($0.queue, queue) } ?? false
  }

  func begin(_ claim: QueueClaim) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return queueUse.begin(claim)
  }

  /// Begins a use for code that is dead, although another thread holds the queue.
  func beginUse(insteadOf claim: QueueClaim) -> Bool {
    condition.lock()
    queueUse.withdraw(claim)
    condition.unlock()
    return beginUse(of: claim.queue, isBarrier: claim.isBarrier)
  }

  func endUse(of queue: UnsafeRawPointer) {
    condition.lock()
    queueUse.end(queue)
    condition.unlock()
  }

  /// Enqueues the job of a block: now, after its delay, or when its group is empty. The
  /// lock is held.
  func enqueue(_ entry: Entry, of block: Block) {
    switch block.start {
    case .after(0): queue.append(entry)
    case .after(let delay):
      sleeps.insert(entry, of: nil, until: now.pointee.later(by: delay), after: departures)
    case .whenEmpty(let group): queueUse.keep(entry, untilEmpty: group)
    }
  }

  /// Enqueues the blocks whose groups have become empty.
  func notifyEmptyGroups() {
    condition.lock()
    guard !queueUse.notifications.isEmpty else { return condition.unlock() }
    let ready = queueUse.takeNotifications()
    for notification in ready { queue.append(notification.entry) }
    if !ready.isEmpty {
      if cvt_clock() == nil { arrivals += 1 }
      idling.ends()
      condition.broadcast()
    }
    condition.unlock()
    for notification in ready { cvt_release_dispatch_object(notification.group) }
  }

  /// The next job that matches and may run, out of turn.
  func next(where isMeant: (Entry) -> Bool) -> Entry? {
    condition.lock()
    defer { condition.unlock() }
    let holds = mainThread.holds
    func mayRun(_ entry: Entry) -> Bool {
      guard isMeant(entry), holds.admits(entry), owners.admits(entry.owner) else {
        return false
      }
      return entry.task.flatMap { tasks[$0] }.map { !isBody($0) } ?? true
    }
    let entry =
      mainThread.takeOutOfTurn(where: mayRun) ?? queueUse.takeOutOfTurn(where: mayRun)
      ?? queue.removeFirst { queueUse.admits($0) && mayRun($0) }
    guard let entry else { return nil }
    steps &+= 1
    idling.runs(entry, turn: entry.task == nil ? waitingTasks(of: entry) : [])
    return entry
  }
}

extension Capture {
  /// Runs the blocks that come before a `sync` to a queue, and waits until the queue is free. If
  /// the calling thread itself holds the queue, libdispatch stops the program.
  /// - Returns: False if the queue does not become free: its holder never goes on, or the wait has
  ///   ended because the caller's process is dead.
  func syncBegins(_ queue: UnsafeRawPointer, isBarrier: Bool) -> Bool {
    if cvt_is_global(queue) { return true }
    let claim = QueueClaim(queue, isBarrier: isBarrier, by: currentOwner)
    runNext(scheduler.add(claim)) { Scheduler.shares(queue, $0) }
    // A claim is withdrawn under the scheduler's lock.
    let end = wait(whenDropped: { [scheduler] in scheduler.queueUse.withdraw(claim) }) {
      Scheduler.shared.begin(claim)
    }
    if end == .captureEnded { return true }
    if let isFree = claim.isFree { return isFree }
    return scheduler.beginUse(insteadOf: claim)
  }

  /// Runs so many jobs that match, out of turn.
  private func runNext(_ count: Int, where isMeant: (Scheduler.Entry) -> Bool) {
    for _ in 0..<count {
      guard let entry = scheduler.next(where: isMeant) else { return }
      onWorker { self.run(entry) }
    }
  }

  /// Runs `body` on the main thread, after the jobs that wait for it, as `DispatchQueue.main.sync`.
  func syncOnMain(_ body: @escaping () -> Void) {
    runNext(scheduler.gatherJobsOfMainThread()) { $0.lane == .main && $0.wait == nil }
    let owner = currentOwner
    // A call must return to the device. Other code never goes on after its process has ended.
    callMain(mustEnd: scheduler.isInCall) {
      self.holdingMainThread(for: owner) {
        if let owner { self.withOwner(owner, body) } else { body() }
      }
    }
  }
}
