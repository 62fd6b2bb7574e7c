internal import CVirtualTime
internal import Foundation

/// A thread that runs Dispatch blocks, one after the other. A block that waits keeps its thread,
/// and the thread that has called it goes on with other work. Only one of the two runs at a time.
final class Worker: @unchecked Sendable {
  /// Whether the worker runs, rather than the thread that has called it. Guarded by the lock of
  /// `VirtualLanes`.
  var isCalled = false
  var job: (() -> Void)?
  /// The entry of the block.
  var entry: Scheduler.Entry?

  /// The worker whose thread calls this.
  static var current: Worker? {
    cvt_worker().map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Workers whose blocks wait. Guarded by the scheduler's lock.
struct ParkedWorkers {
  final class Wait {
    let worker: Worker
    let owner: AnyObject?
    let limit: Nanoseconds
    /// Whether the wait is over. A semaphore is taken by the answer.
    let isOver: () -> Bool
    fileprivate(set) var hasReachedLimit = false

    init(
      _ worker: Worker, of owner: AnyObject?, until limit: Nanoseconds, isOver: @escaping () -> Bool
    ) {
      (self.worker, self.owner, self.limit, self.isOver) = (worker, owner, limit, isOver)
    }
  }

  private(set) var waits: [Wait] = []

  /// The next limit of a wait after `now`.
  func nextLimit(after now: Nanoseconds) -> Nanoseconds? {
    waits.lazy.map(\.limit).filter { $0 > now && $0 != .max }.min()
  }

  mutating func add(_ wait: Wait) { waits.append(wait) }
  mutating func remove(where isMeant: (Wait) -> Bool) { waits.removeAll(where: isMeant) }
}

extension Scheduler {
  /// Whether a block waits on a thread of its own.
  var hasParkedWorkers: Bool {
    condition.lock()
    defer { condition.unlock() }
    return !parked.waits.isEmpty
  }

  /// Enqueues the blocks whose waits are over, or whose limits have been reached. The waits of
  /// owners that are held are left alone: they take no semaphore.
  func resumeWorkers() {
    condition.lock()
    let (waits, now) = (parked.waits.filter { owners.admits($0.owner) }, now.pointee)
    condition.unlock()
    guard !waits.isEmpty else { return }
    // Asked outside the lock, which an answer may need.
    let ready = waits.filter { wait in
      if wait.isOver() { return true }
      wait.hasReachedLimit = wait.limit <= now
      return wait.hasReachedLimit
    }
    condition.lock()
    parked.remove { wait in ready.contains { $0 === wait } }
    for wait in ready {
      guard var entry = wait.worker.entry else { continue }
      entry.worker = wait.worker
      queue.append(entry)
      idling.ends()
    }
    condition.unlock()
  }

  fileprivate func isDropped(_ owner: AnyObject) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return owners.isDropped(owner)
  }

  fileprivate func park(_ wait: ParkedWorkers.Wait) {
    let scope = scope
    condition.lock()
    parked.add(wait)
    wait.worker.entry?.block?.waiting = .ofThread
    condition.unlock()
    currentCapture?.lanes.park(wait.worker)
    self.scope = scope
    wait.worker.entry?.block?.waiting = nil
  }
}

extension Capture {
  /// Runs the job of a block on a worker, and returns when the block is done or waits.
  func runOnWorker(_ entry: Scheduler.Entry) {
    if let worker = entry.worker { return lanes.goOn(worker) }
    let worker = lanes.idleWorker()
    worker.entry = entry
    lanes.run({ self.captured { entry.job.run(on: entry.lane) } }, on: worker)
  }

  /// Waits until `isOver` or until `limit`: on a worker, beside other work; on another thread,
  /// running other work inside the wait.
  /// - Parameter whenNothingLeft: Waits for a moment of real time, because only a thread outside
  ///   virtual time can end the wait.
  /// - Returns: Whether the wait is over.
  func wait(until limit: Nanoseconds, whenNothingLeft: () -> Void, isOver: () -> Bool) -> Bool {
    if isOver() { return true }
    guard limit > now else { return false }
    if let worker = Worker.current {
      return withoutActuallyEscaping(isOver) { isOver in
        let wait = ParkedWorkers.Wait(worker, of: currentOwner, until: limit, isOver: isOver)
        scheduler.park(wait)
        return !wait.hasReachedLimit
      }
    }
    let owner = currentOwner
    waitBegins()
    defer { waitEnds() }
    while !isOver() {
      // The process has ended: the rest of the call changes nothing.
      if let owner, scheduler.isDropped(owner) { return true }
      switch stepAside(until: limit) {
      case .wentOn: break
      case .reachedLimit: return false
      case .nothingLeft: whenNothingLeft()
      }
    }
    return true
  }
}
