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
    let isFree = Scheduler.shared.beginUse(of: queue, isBarrier: isBarrier)
    defer { Scheduler.shared.endUse(of: queue) }
    cvt_run_block(work, isFree)
  }
}

/// The queues whose blocks have begun and not returned, and the blocks that come after them.
/// Captured work runs on one thread, but a block may call code that runs other work, or wait.
/// Guarded by the scheduler's lock.
struct QueueUse {
  private struct Use {
    let queue: UnsafeRawPointer, isBarrier: Bool
    /// The thread that has begun the block or the `sync`.
    let thread: UnsafeMutableRawPointer?
    /// The owner whose code holds the queue.
    var owner: AnyObject?
    /// Whether the thread goes on never, or in real time. libdispatch does not release the queue
    /// meanwhile: later blocks run without it. The queue is retained, so that no other queue gets
    /// its address.
    private(set) var isLost = false

    mutating func lose() {
      owner = nil
      guard !isLost else { return }
      isLost = true
      cvt_retain_dispatch_object(queue)
    }
  }
  /// The queues in use, in the order in which their uses began.
  private var uses: [Use] = []
  /// Blocks that wait for a queue, in order.
  private var waiting: [Scheduler.Entry] = []
  /// Blocks that wait for a group, in order.
  private(set) var notifications: [(group: UnsafeRawPointer, entry: Scheduler.Entry)] = []

  /// - Returns: Whether libdispatch is able to give the queue to this thread.
  mutating func begin(
    _ queue: UnsafeRawPointer, isBarrier: Bool, by owner: @autoclosure () -> AnyObject?
  ) -> Bool {
    let thread = cvt_this_thread()
    let isFree = uses.allSatisfy {
      $0.thread == thread
        || !cvt_exclude_each_other($0.queue, $0.isBarrier, queue, isBarrier)
    }
    uses.append(Use(queue: queue, isBarrier: isBarrier, thread: thread, owner: owner()))
    return isFree
  }

  mutating func end(_ queue: UnsafeRawPointer) {
    let place = uses.lastIndex { $0.queue == queue && $0.thread == cvt_this_thread() }
    guard let place, uses.remove(at: place).isLost else { return }
    cvt_release_dispatch_object(queue)
  }

  /// Notes that the code of an owner never goes on, unless it runs now and ends its uses.
  mutating func lose(usesOf owner: AnyObject) {
    for place in uses.indices where uses[place].owner === owner { uses[place].lose() }
  }

  /// The uses that are left when a capture ends, for the next capture, which must not wait for
  /// them: the threads never go on, or go on in real time.
  var left: QueueUse {
    var left = QueueUse()
    left.uses = uses
    for place in left.uses.indices { left.uses[place].lose() }
    return left
  }

  /// Whether a block on another thread, which waits, is in the way of a `sync`.
  func isElsewhere(_ queue: UnsafeRawPointer, isBarrier: Bool) -> Bool {
    uses.contains { use in
      !use.isLost && use.thread != cvt_this_thread()
        && cvt_exclude_each_other(use.queue, use.isBarrier, queue, isBarrier)
    }
  }

  /// Whether a block may run now. It does not overtake a block that waits.
  func admits(_ entry: Scheduler.Entry) -> Bool { admits(entry, after: waiting.endIndex) }

  private func admits(_ entry: Scheduler.Entry, after end: Int) -> Bool {
    guard let block = entry.block else { return true }
    if cvt_is_suspended(block.queue) { return false }
    guard !uses.isEmpty || end > 0 else { return true }
    return uses.allSatisfy {
      $0.isLost
        || !cvt_exclude_each_other($0.queue, $0.isBarrier, block.queue, block.isBarrier)
    }
      && waiting[..<end].allSatisfy { earlier in
        earlier.block.map { !Self.exclude($0, block) || cvt_is_suspended($0.queue) } ?? true
      }
  }

  private static func exclude(_ block: Block, _ other: Block) -> Bool {
    cvt_exclude_each_other(block.queue, block.isBarrier, other.queue, other.isBarrier)
  }

  mutating func keep(_ entry: Scheduler.Entry) { waiting.append(entry) }

  /// Takes the first waiting block that matches and may run now.
  mutating func take(where isMeant: (Scheduler.Entry) -> Bool = { _ in true }) -> Scheduler.Entry? {
    guard !waiting.isEmpty else { return nil }
    let place = waiting.indices.first { admits(waiting[$0], after: $0) && isMeant(waiting[$0]) }
    return place.map { waiting.remove(at: $0) }
  }

  mutating func keep(_ entry: Scheduler.Entry, untilEmpty group: UnsafeRawPointer) {
    cvt_retain_dispatch_object(group)
    notifications.append((group, entry))
  }

  /// Takes the blocks whose groups are empty, in the order in which they were enqueued.
  mutating func takeNotifications() -> [(group: UnsafeRawPointer, entry: Scheduler.Entry)] {
    // Each group is asked once, because other threads enter and leave it meanwhile.
    let found = notifications.map { ($0, isReady: cvt_is_group_empty($0.group)) }
    guard found.contains(where: \.isReady) else { return [] }
    notifications = found.filter { !$0.isReady }.map(\.0)
    return found.filter(\.isReady).map(\.0)
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

  func isInUseElsewhere(_ queue: UnsafeRawPointer, isBarrier: Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return queueUse.isElsewhere(queue, isBarrier: isBarrier)
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
    func mayRun(_ entry: Entry) -> Bool {
      guard isMeant(entry), mainThread.admits(entry), owners.admits(entry.owner) else {
        return false
      }
      return entry.task.flatMap { tasks[$0] }.map { !isBody($0) } ?? true
    }
    let entry =
      queueUse.take(where: mayRun) ?? queue.removeFirst { queueUse.admits($0) && mayRun($0) }
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
    if !cvt_is_global(queue) {
      while let entry = scheduler.next(where: { entry in
        entry.block.map { cvt_share_queue($0.queue, queue) } ?? false
      }) {
        onWorker { self.run(entry) }
      }
      let end = wait(mustEnd: false) {
        !cvt_is_suspended(queue)
          && !Scheduler.shared.isInUseElsewhere(queue, isBarrier: isBarrier)
      }
      if end == .captureEnded { return true }
    }
    return scheduler.beginUse(of: queue, isBarrier: isBarrier)
  }

  /// Runs `body` on the main thread, after the jobs that wait for it, as `DispatchQueue.main.sync`.
  func syncOnMain(_ body: @escaping () -> Void) {
    while let entry = scheduler.next(where: { $0.lane == .main && $0.wait == nil }) {
      onWorker { self.run(entry) }
    }
    let owner = currentOwner
    // A call must return to the device. Other code never goes on after its process has ended.
    callMain(mustEnd: scheduler.isInCall) {
      self.holdingMainThread(for: owner) {
        if let owner { self.withOwner(owner, body) } else { body() }
      }
    }
  }
}
