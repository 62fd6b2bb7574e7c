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

/// A `sync` to the main thread. It has its place among the main thread's jobs. Its properties
/// change while its thread waits.
final class MainCall {
  let owner: AnyObject?
  fileprivate let body: () -> Void
  fileprivate(set) var hasBegun = false
  fileprivate(set) var isDone = false

  fileprivate init(for owner: AnyObject?, _ body: @escaping () -> Void) {
    (self.owner, self.body) = (owner, body)
  }
}

extension Scheduler.Entry {
  /// Whether it is the job of one of these blocks.
  fileprivate func isBlock(in blocks: Set<ObjectIdentifier>) -> Bool {
    block.map { blocks.contains(ObjectIdentifier($0)) } ?? false
  }

  fileprivate var isForMainThread: Bool { lane == .main && wait == nil }
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

  /// Gathers the blocks that must end before a `sync`, and puts its claim behind them.
  fileprivate func add(_ claim: QueueClaim) -> Set<ObjectIdentifier> {
    condition.lock()
    defer { condition.unlock() }
    // Usually no block of the queue is ready, and none has to be found.
    let isNear = { (entry: Entry) in
      entry.block.map { cvt_share_queue($0.queue, claim.queue) } ?? false
    }
    let ready =
      queue.firstMatch(where: isNear) == nil
      ? [] : queue.rest.filter { [owners] in $0.block != nil && owners.admits($0.owner) }
    let blocks = queueUse.blocks(before: claim, alsoAmong: ready)
    if !ready.isEmpty {
      for entry in queue.removeAll(where: { $0.isBlock(in: blocks) }) { queueUse.keep(entry) }
    }
    queueUse.add(claim)
    return blocks
  }

  /// Gathers the jobs that come before a `sync` to the main thread, and puts the call behind them.
  /// - Returns: The number of jobs, with the call.
  fileprivate func add(_ call: MainCall) -> Int {
    condition.lock()
    defer { condition.unlock() }
    let ready = queue.removeAll { [owners] in
      $0.isForMainThread && owners.admits($0.owner)
    }
    for entry in ready + [Entry(calling: call)] { mainThread.keep(entry) }
    mainThread.changes()
    return mainThread.jobs.count
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
    for notification in ready {
      queue.append(notification.entry)
      // Before the block can run, and let time pass.
      EscapeLedger.shared.waitedFor(notification.group, .all)
    }
    if !ready.isEmpty {
      if cvt_clock() == nil {
        arrivals += 1
        EscapeLedger.shared.resumedCapturedTask()
      }
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
    let blocks = scheduler.add(claim)
    holdingMainThreadIfHere { runNext(blocks.count) { $0.isBlock(in: blocks) } }
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
  /// - Returns: False if the capture has ended before that.
  func syncOnMain(_ body: @escaping () -> Void) -> Bool {
    let call = MainCall(for: currentOwner, body)
    // A thread that holds the main thread does not wait for itself.
    if scheduler.isInCall {
      callMain { self.run(call) }
    } else {
      runNext(scheduler.add(call)) { !call.hasBegun && $0.isForMainThread }
      _ = wait { call.isDone }
    }
    return call.hasBegun
  }

  /// Runs a call on the main thread, as captured work.
  func run(_ call: MainCall) {
    call.hasBegun = true
    holdingMainThread(for: call.owner) {
      if let owner = call.owner { withOwner(owner, call.body) } else { call.body() }
    }
    call.isDone = true
  }
}
