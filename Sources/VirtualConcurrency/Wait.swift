internal import CVirtualTime
internal import Foundation

/// A wait of a captured thread that has left its turn.
final class Wait {
  /// The reasons for which a wait returns, with the numbers that CVirtualTime uses.
  enum End: Int32 {
    case timedOut, isOver
    /// The capture has ended: the thread waits on in real time.
    case captureEnded
  }

  let turn: Turn
  /// The semaphore, the group or the condition that the thread waits for, if it is one.
  let object: UnsafeRawPointer?
  let owner: AnyObject?
  let limit: Nanoseconds
  /// Whether the event has occurred. A semaphore is taken by the answer. Nil if only the limit ends
  /// the wait.
  let isOver: (() -> Bool)?
  /// Whether the wait returns although its owner is dropped: it is in a callback, which must
  /// return to the code that calls it, or on the main thread.
  let returnsIfDropped: Bool
  let isOnMainThread = cvt_is_main_thread()
  let place = Frames.ofThread
  var thread: BlockedThread { BlockedThread(isMain: isOnMainThread, place: place) }
  /// Whether only `isOver` ends the wait, whatever happens to its owner.
  let mustEnd: Bool
  /// Called under the scheduler's lock when it is known that the thread never goes on.
  let whenDropped: () -> Void
  var line: Waits.Line { object.map { .object($0) } ?? .wait(ObjectIdentifier(self)) }
  /// The number of the wait, in the order in which waits began.
  var number: UInt64 = 0
  /// Whether the event has occurred, although `isOver` may be false again: a group may be empty for
  /// a moment.
  var hasOccurred = false
  var end: End?
  /// Whether the wait has returned because the code that waits is dead.
  var isDead = false

  init(
    _ turn: Turn, for object: UnsafeRawPointer?, of owner: AnyObject?, until limit: Nanoseconds,
    returnsIfDropped: Bool, mustEnd: Bool, whenDropped: @escaping () -> Void,
    isOver: (() -> Bool)?
  ) {
    (self.turn, self.object, self.owner, self.limit) = (turn, object, owner, limit)
    self.isOver = isOver
    self.whenDropped = whenDropped
    (self.returnsIfDropped, self.mustEnd) = (returnsIfDropped, mustEnd)
  }
}

/// A thread that waits.
struct BlockedThread: Sendable, CustomStringConvertible {
  let isMain: Bool
  let place: Frames

  /// `the main thread waits in f() at Client.swift:12`.
  var description: String {
    "\(isMain ? "the main" : "a") thread waits in \(place.place ?? Frames.noPlace)"
  }
}

/// The threads of an owner that wait, and the jobs that wait for the main thread.
package struct BlockedThreads: Sendable {
  fileprivate let threads: [BlockedThread]
  fileprivate let jobs: [UnfinishedTask]

  /// The places, one per line.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  package var lines: [String] {
    threads.map(\.description)
      + jobs.map { "the main thread's next job is \($0)" }
  }
}

extension Scheduler {
  /// The threads of an owner that wait, and the jobs behind them; nil if no thread waits.
  fileprivate func blocked(in owner: AnyObject) -> BlockedThreads? {
    condition.lock()
    defer { condition.unlock() }
    let threads =
      waits.all.filter { $0.owner === owner }.map(\.thread)
      + waitsInPlace.filter { $0.owner === owner }.map(\.thread)
    guard !threads.isEmpty else { return nil }
    let jobs = (mainThread.jobs + queue.rest).filter { $0.lane == .main && $0.owner === owner }
    return BlockedThreads(
      threads: threads,
      jobs: jobs.compactMap { job in job.task.flatMap { tasks[$0] }.map(unfinishedTask) })
  }

  /// Gives up waits whose threads never go on.
  func drop(_ waits: [Wait]) {
    condition.lock()
    for wait in waits { wait.whenDropped() }
    condition.unlock()
  }

  /// Whether a thread waits that has left its turn.
  var hasWaits: Bool {
    condition.lock()
    defer { condition.unlock() }
    return !waits.isEmpty
  }

  func isDropped(_ owner: AnyObject?) -> Bool {
    guard let owner else { return false }
    condition.lock()
    defer { condition.unlock() }
    return owners.isDropped(owner)
  }

  /// Whether the calling thread is in a call of an owner's code that must return.
  var isInCall: Bool {
    condition.lock()
    defer { condition.unlock() }
    return cvt_is_main_thread() || mainThread.isHeldByThisThread
  }

  /// Notes where the tasks wait that the calling thread runs.
  fileprivate func setBlocked(_ tasks: [TaskID?], at place: Frames?) {
    for task in tasks { if let task { self.tasks[task]?.blocked = place } }
  }

  fileprivate func leave(_ wait: Wait, isKept: Bool, of capture: Capture) {
    let (scope, running) = (scope, running)
    let tasks = [cvt_current_task().map(cvt_task_id), wait.turn.entry?.task]
    condition.lock()
    if isKept { waits.add(wait) } else { wait.whenDropped() }
    setBlocked(tasks, at: wait.place)
    condition.unlock()
    capture.lanes.leave(wait.turn)
    condition.lock()
    setBlocked(tasks, at: nil)
    if !capture.hasEnded { (self.scope, self.running) = (scope, running) }
    condition.unlock()
  }

  fileprivate func beginWaitInPlace(of owner: AnyObject?) {
    condition.lock()
    waitsInPlace.append(
      (owner, BlockedThread(isMain: cvt_is_main_thread(), place: .ofThread)))
    condition.unlock()
  }

  fileprivate func endWaitInPlace() {
    condition.lock()
    _ = waitsInPlace.popLast()
    condition.unlock()
  }

  /// Takes the waits that are left when a capture ends, also those that are over, but whose threads
  /// have not gone on.
  func takeWaits(where isMeant: (Wait) -> Bool) -> [Wait] {
    condition.lock()
    defer { condition.unlock() }
    var taken = waits.all.filter(isMeant)
    waits.remove(where: isMeant)
    let isOver = { (entry: Entry) in entry.wait.map(isMeant) ?? false }
    while let entry = queue.removeFirst(where: isOver) { taken.append(entry.wait!) }
    taken += owners.take(where: isOver).map { $0.wait! }
    return taken
  }
}

extension Capture {
  /// Whether the main thread waits.
  package var isMainThreadWaiting: Bool { scheduler.isMainThreadWaiting }

  /// Whether a thread waits, and will go on.
  package var hasWaits: Bool { scheduler.hasWaits }

  /// The number of times that threads which wait were asked whether their waits are over.
  package var asksOfWaits: Int {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.waits.asked
  }

  /// The threads of an owner that wait, and the jobs behind them; nil if no thread waits.
  package func blocked(in owner: AnyObject) -> BlockedThreads? { scheduler.blocked(in: owner) }

  /// Calls `body` on a worker, and returns when it is done or waits.
  @discardableResult
  func onWorker(_ body: @escaping () -> Void) -> Turn {
    preservingScope { lanes.call { self.captured(body) } }
  }

  /// The state of the calling code, which other threads change during a turn.
  func preservingScope<Result>(_ body: () -> Result) -> Result {
    let (scope, running) = (scheduler.scope, scheduler.running)
    defer {
      if !hasEnded {
        scheduler.scope = scope
        _ = scheduler.setRunning(running)
      }
    }
    return body()
  }

  /// Waits until `isOver` or until `limit`; other captured work runs meanwhile, and time passes.
  /// - Parameters:
  ///   - object: The object whose waits end in the order in which they began.
  ///   - mustEnd: Whether only `isOver` ends the wait.
  ///   - rest: Waits for a moment of real time, because only a thread outside virtual time can
  ///     end the wait.
  ///   - whenDropped: Called when it is known that the wait never returns.
  func wait(
    for object: UnsafeRawPointer? = nil, until limit: Nanoseconds = .max, mustEnd: Bool = false,
    rest: () -> Void = shortRest,
    whenDropped: @escaping () -> Void = {}, isOver: (() -> Bool)?
  ) -> Wait.End {
    // Threads that have waited longer go on first.
    if let object { scheduler.resumeWaits(for: object) }
    if isOver?() == true { return .isOver }
    guard !hasEnded else { return waitOutside(mustEnd: mustEnd, isOver) }
    guard limit > now else { return .timedOut }
    let owner = currentOwner
    let returns = !mustEnd && scheduler.isInCall
    if returns, scheduler.isDropped(owner) || isAbandoned { return endDead(until: limit) }
    if cvt_is_main_thread() { scheduler.beginMainThreadUse(by: nil, isWait: true) }
    defer { if cvt_is_main_thread() { scheduler.endMainThreadUse() } }
    guard let turn = lanes.current else {
      return waitInPlace(
        until: limit, of: owner, returns: returns, mustEnd: mustEnd, rest: rest,
        isOver: isOver ?? { false })
    }
    let wait = Wait(
      turn, for: object, of: owner, until: limit, returnsIfDropped: returns, mustEnd: mustEnd,
      whenDropped: whenDropped, isOver: isOver)
    // A thread of a dead process never goes on.
    scheduler.leave(wait, isKept: mustEnd || returns || !scheduler.isDropped(owner), of: self)
    if hasEnded { cvt_set_clock(nil) }
    if wait.end == .captureEnded { return waitOutside(mustEnd: mustEnd, isOver) }
    return wait.isDead ? endDead(until: limit) : wait.end ?? .isOver
  }

  /// Goes on in real time after the end of the capture.
  private func waitOutside(mustEnd: Bool, _ isOver: (() -> Bool)?) -> Wait.End {
    cvt_set_clock(nil)
    while mustEnd, let isOver, !isOver() { usleep(1000) }
    return .captureEnded
  }

  /// The clock of a thread that must return although its process has ended or its test has failed.
  nonisolated(unsafe) private static let deadClock = UnsafeMutablePointer<Nanoseconds>.allocate(
    capacity: 1)
  /// The number of waits after which dead code is considered a loop.
  private static let mostDeadWaits = 10_000

  /// Ends a wait of dead code at once. For the code, time passes to the limit, so that a loop
  /// until a date ends, and `Thread.sleep`, which is such a loop. A loop around waits without
  /// a limit never ends.
  private func endDead(until limit: Nanoseconds) -> Wait.End {
    guard limit != .max else {
      deadWaits += 1
      if deadWaits > Self.mostDeadWaits { Watchdog.endLoop(after: stall) }
      return .isOver
    }
    let clock = Self.deadClock
    let instant = cvt_clock() == UnsafePointer(clock) ? clock.pointee : now
    // Foundation's loops need progress beyond a rounding error of their dates.
    clock.pointee = max(instant + 1000, limit)
    cvt_set_clock(clock)
    return .timedOut
  }

  static func shortRest() { uncaptured { _ = usleep(1000) } }

  /// Waits on a thread that nobody has called: the test's own in a synchronous test, or the main
  /// thread while it also waits further up its stack.
  private func waitInPlace(
    until limit: Nanoseconds, of owner: AnyObject?, returns: Bool, mustEnd: Bool, rest: () -> Void,
    isOver: @escaping () -> Bool
  ) -> Wait.End {
    scheduler.beginIdling()
    scheduler.beginWaitInPlace(of: owner)
    defer { scheduler.endWaitInPlace() }
    var idle: RealTime?
    while !isOver() {
      let isDead = returns && scheduler.isDropped(owner) || !mustEnd && isAbandoned
      if isDead { return endDead(until: limit) }
      let steps = Steps()
      onWorker { self.stepAside(until: limit, isOver: isOver, steps) }
      if steps.isOver { return .isOver }
      switch steps.last {
      case .wentOn: idle = nil
      case .reachedLimit: return .timedOut
      case .nothingLeft:
        if idle == nil { idle = .now }
        if idle!.age > patience, !isAbandoned, !mayWaitForOutside {
          // The thread must go on, so its wait returns, and the test fails.
          stall = Stall(
            kind: .silent, tasks: unfinishedTasks, threads: scheduler.waitsInPlace.map(\.thread))
          isAbandoned = true
        }
        rest()
      }
    }
    return .isOver
  }
}
