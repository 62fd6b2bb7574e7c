internal import CVirtualTime
internal import Foundation

/// Swift concurrency under a virtual clock. A capture runs a body and everything that it starts,
/// one job at a time and always in the same order.
///
/// A capture includes tasks of every kind, actors, the main actor, `Task.sleep`, both clocks,
/// dates, Dispatch's blocks, and the waits of threads. It does not include timers of run loops,
/// `URLSession`, threads, or sources. A captured task whose continuation they resume continues
/// under virtual time; an `EscapeReport` says whether time has passed while such work was
/// unfinished. An actor that captured work and other work use at the same time serves jobs in the
/// order of arrival, which virtual time does not determine.
package final class Capture: @unchecked Sendable {
  /// The number of jobs that may run at one instant. Without a limit, a task that polls for
  /// an event would never let time pass.
  static let jobsAtOneInstant = 2_000_000

  /// The beginning of 2001, from which `Date` counts.
  static let usualStartDate: (seconds: Int64, nanoseconds: Int64) = (978_307_200, 0)

  let host: (any VirtualTimeHost)?
  let scheduler = Scheduler.shared
  let lanes: VirtualLanes
  /// Whether jobs were left undone at an instant because of that limit.
  var isRestless = false
  /// The real time at which the body was cancelled. Guarded by the scheduler's lock.
  var cancellation: RealTime?
  /// The seconds of real time to wait until outside work resumes a task.
  var patience = 30.0
  /// Whether waits in calls return at once, because the test has failed or ended.
  var isAbandoned = false
  /// The failure of a test in which a thread that nobody has called has waited in vain.
  package internal(set) var stall: Stall?
  /// Whether the capture is over. A thread that was released then goes on in real time, and must
  /// change nothing, because the scheduler may serve the next capture.
  var hasEnded = false
  /// The number of waits without a limit that have returned because their code is dead.
  var deadWaits = 0

  /// Whether this platform and compiler support captures.
  package static var isAvailable: Bool { cvt_is_installed() }

  /// Whether work that leaves virtual time is detected when it begins. False if Dispatch is linked
  /// statically, and under Thread Sanitizer.
  package static var seesEscapes: Bool { cvt_is_installed() && cvt_sees_escapes() }

  /// Whether Foundation's dates and Dispatch's times follow virtual time. False if Foundation is
  /// linked statically, and under Thread Sanitizer.
  package static var areDatesFollowed: Bool { cvt_is_installed() && cvt_are_dates_followed() }

  init(host: (any VirtualTimeHost)?, lanes: VirtualLanes) {
    (self.host, self.lanes) = (host, lanes)
  }

  // MARK: Time

  /// The virtual instant, as `ContinuousClock` and `SuspendingClock` report it.
  package var now: Nanoseconds { scheduler.now.pointee }

  /// The end of the next sleep; nil if nothing sleeps.
  package var nextSleep: Nanoseconds? {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return [scheduler.sleeps.next, scheduler.waits.nextLimit(after: now)].compactMap(\.self).min()
  }

  /// Sets the instant, and ends the sleeps that are due by then. Their tasks run in the next
  /// `settle`, in the order of deadlines.
  package func wake(upTo instant: Nanoseconds) {
    if !hasEnded { scheduler.wake(upTo: instant) }
  }

  /// Whether the caller is captured work, or was called by it.
  package static var isHere: Bool { cvt_clock() != nil }

  /// The host of the capture to which the calling code belongs.
  package static var hostHere: (any VirtualTimeHost)? {
    isHere ? Scheduler.shared.currentCapture?.host : nil
  }

  /// Whether the host has work to do at this instant. If so, the body waits until all other work
  /// of the instant is done.
  var isHostDue: Bool {
    host.map { host in host.nextDeadline().map { $0 <= host.now } ?? false } ?? false
  }

  /// Runs captured work until no work can run, or until all work only yields. May be called from
  /// inside a captured job; that job's own task does not run.
  /// - Parameter isBodyIncluded: Whether the captured body itself may continue too, when the host
  ///   has nothing due. If not, the body waits for the next call in which it may.
  /// - Returns: Whether any job did more than yield.
  @discardableResult
  package func settle(withBody isBodyIncluded: Bool = true) -> Bool {
    precondition(
      cvt_clock() != nil, "settle() is for captured work, and for the host that captured work calls"
    )
    guard !isRestless else { return false }
    let settling = Settling(withBody: isBodyIncluded)
    begin(settling)
    while settling.result == nil {
      // The caller may be a job or a callback: other jobs run on another thread, so that the caller
      // goes on if they wait.
      if let entry = next(settling) {
        onWorker { self.named(nil) { self.settle(settling, first: entry) } }
      } else {
        _ = finish(settling)
      }
    }
    return settling.result!
  }

  /// The progress of a call of `settle`.
  final class Settling {
    let isBodyIncluded: Bool
    /// The number of jobs that have run.
    var count = 0
    var result: Bool?

    init(withBody isBodyIncluded: Bool) { self.isBodyIncluded = isBodyIncluded }
  }

  /// Does the same on a worker that runs nothing else. If a job waits, this thread belongs to it:
  /// another thread goes on with the capture.
  /// - Returns: Nil if a job has waited.
  func settleOnWorker() -> Bool? {
    guard !isRestless else { return false }
    let settling = Settling(withBody: true)
    begin(settling)
    settle(settling)
    return settling.result
  }

  private func begin(_ settling: Settling) {
    scheduler.notifyEmptyGroups()
    scheduler.resumeWaits()
    scheduler.beginIdling()
  }

  private func settle(_ settling: Settling, first: Scheduler.Entry? = nil) {
    let turn = lanes.current
    let waits = turn?.waits
    var first = first
    while settling.result == nil {
      if let entry = first.take() ?? next(settling) {
        settling.count += 1
        run(entry)
        guard turn?.waits == waits else { return }
      } else if !finish(settling) {
        return
      }
    }
  }

  private func next(_ settling: Settling) -> Scheduler.Entry? {
    guard settling.count < Self.jobsAtOneInstant, scheduler.idleJobs == nil else { return nil }
    return scheduler.next(withBody: settling.isBodyIncluded && !isHostDue)
  }

  /// Waits for outside work, if no job is left to run.
  /// - Returns: False if none is left after that either.
  private func finish(_ settling: Settling) -> Bool {
    guard settling.count < Self.jobsAtOneInstant else {
      isRestless = true
      settling.result = true
      return false
    }
    let idle = scheduler.idleJobs
    if EscapeLedger.shared.settle() { return true }
    EscapeLedger.shared.handOverLeftBehind()
    settling.result = settling.count > idle ?? 0
    return false
  }

  /// Runs `body` as captured work on the main thread, and waits for it. Main-actor jobs
  /// wait meanwhile.
  package func onMainThread<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Swift.Result<Result, any Error>?
    withoutActuallyEscaping(body) { body in
      callMain { result = Swift.Result { try self.holdingMainThread(for: nil, body) } }
    }
    return try result!.get()
  }

  /// Calls `body` on the main thread as captured work, and returns when it is done. If the main
  /// thread waits, or if `body` waits, other work runs meanwhile.
  /// The caller goes on even if its owner is held or dropped.
  func callMain(_ body: @escaping () -> Void) {
    if cvt_is_main_thread() { return captured(body) }
    // When the wait is over, the main thread's next job may wait before this thread goes on.
    while scheduler.isMainThreadWaiting {
      let end = wait(mustEnd: true) { !Scheduler.shared.isMainThreadWaiting }
      if end == .captureEnded { break }
    }
    finish(preservingScope { lanes.callMain { self.captured(body) } })
  }

  /// Waits until a turn is done that has waited.
  private func finish(_ turn: Turn) {
    if !turn.isDone { _ = wait(mustEnd: true) { turn.isDone } }
  }

  /// Runs `body` as captured work on a thread that is not the main thread, and waits
  /// for it. Main-actor jobs wait meanwhile, if the caller holds the main thread.
  package func offMainThread(_ body: @escaping () -> Void) {
    // The worker is in the caller's call, and must return to it if the owner's process ends.
    let (owner, isInCall) = (currentOwner, scheduler.isInCall)
    finish(onWorker { if isInCall { self.holdingMainThread(for: owner, body) } else { body() } })
  }

  /// Waits until `isOver`, or until an owner is dropped; other captured work runs meanwhile, and
  /// time passes.
  package func wait(for owner: AnyObject, until isOver: @escaping () -> Bool) {
    _ = wait(mustEnd: true) { [scheduler] in isOver() || scheduler.isDropped(owner) }
  }

  /// Runs a job on its thread, and returns when the job is done or waits. Called on a worker.
  func run(_ entry: Scheduler.Entry) {
    defer {
      if !hasEnded {
        // The end of an item is seen only here, because libdispatch notifies its group itself.
        scheduler.notifyEmptyGroups()
        scheduler.resumeWaits()
      }
    }
    if let wait = entry.wait { return preservingScope { lanes.goOn(wait.turn) } }
    if let call = entry.call {
      return preservingScope {
        scheduler.scope = nil
        _ = lanes.callMain { self.captured { self.run(call) } }
      }
    }
    guard let job = entry.job else { return }
    let outer = scheduler.setRunning(entry.task == nil ? nil : job.object)
    defer { if !hasEnded { _ = scheduler.setRunning(outer) } }
    guard entry.lane == .main else {
      let turn = lanes.current
      let former = turn?.entry
      turn?.entry = entry
      defer { turn?.entry = former }
      return named(nil) { captured { job.run(on: .global) } }
    }
    let body = {
      self.captured {
        // The job is a turn of an owner's main thread: no other job runs there until the turn
        // is over, whatever the job calls.
        guard let owner = entry.owner else { return job.run(on: .main) }
        self.holdingMainThread(for: owner) { job.run(on: .main) }
      }
    }
    preservingScope {
      scheduler.scope = nil
      _ = lanes.callMain(body, entry: entry)
    }
  }

  /// Runs `body` as captured work on the calling thread.
  func captured<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard !hasEnded else { return try body() }
    let (clock, driver) = (cvt_clock(), cvt_set_driver(cvt_this_thread()))
    cvt_set_clock(scheduler.now)
    defer {
      cvt_set_clock(hasEnded ? nil : clock)
      if !hasEnded { _ = cvt_set_driver(driver) }
    }
    return try body()
  }

  // MARK: Owners

  /// The owner of the calling code.
  package var currentOwner: AnyObject? { scheduler.currentOwner }

  /// Runs `body` as an owner's code: tasks that `body` begins, directly or indirectly, belong
  /// to the owner.
  package func withOwner<Result>(_ owner: AnyObject, _ body: () throws -> Result) rethrows -> Result
  { try named(owner, body) }

  private func named<Result>(_ owner: AnyObject?, _ body: () throws -> Result) rethrows -> Result {
    guard !hasEnded else { return try body() }
    let scope = scheduler.scope
    scheduler.scope = owner
    defer { if !hasEnded { scheduler.scope = scope } }
    return try body()
  }

  /// Holds an owner: from the next job on, no work of the owner runs. Its sleeps end on time, but
  /// the work after them waits. The runtime serves an actor's queue as a whole. So if other work
  /// waits for an actor whose queue contains a task of the owner, this task runs too, up to its
  /// next suspension point.
  package func hold(_ owner: AnyObject) { scheduler.hold(owner) }

  /// Releases an owner: its waiting jobs run, in the order in which they came.
  package func release(_ owner: AnyObject) { scheduler.release(owner) }

  /// Drops an owner: its work never runs again, not even a `defer` or a `catch`, as in a process
  /// that is killed. Its tasks are cancelled. This calls their cancellation handlers as the owner's
  /// code, so that they can stop outside work. The memory of the tasks is not released, and a task
  /// that awaits one of them waits forever. A job that is running continues to its next `await`.
  ///
  /// Rejected alternative: letting cancelled tasks run to their ends while the host ignores their
  /// calls. Their `defer`s would change the results that a test sees.
  package func drop(_ owner: AnyObject) {
    let tasks = scheduler.drop(owner)
    EscapeLedger.shared.forgetSessions(of: owner)
    named(owner) { captured { for task in tasks { task.cancel() } } }
  }

  // MARK: Leftovers

  /// The tasks that have not finished, except tasks of dropped owners.
  package var unfinishedTasks: [UnfinishedTask] {
    let records = unfinished()
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return records.map(scheduler.unfinishedTask)
  }

  private func unfinished() -> [TaskRecord] {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.unfinished { record in
      record.owner.map { !scheduler.owners.isDropped($0) } ?? true
    }
  }

  /// Cancels the remaining tasks and lets them finish; virtual time does not pass meanwhile. Each
  /// task is cancelled once; a task that ignores its cancellation stays unfinished.
  func cancelRest() {
    captured {
      settle()
      var cancelled: Set<TaskID> = []
      // A task that ends may begin another task, and so on.
      for _ in 0..<100 {
        let rest = unfinished().filter { cancelled.insert($0.id).inserted }
        if rest.isEmpty { break }
        for task in rest { task.cancel() }
        settle()
      }
    }
  }
}
