internal import CVirtualTime
internal import Foundation

/// Swift concurrency under a virtual clock: a body and everything that it starts, one job at a time
/// and always in the same order.
///
/// Captured are tasks of every kind, actors, the main actor, `Task.sleep` and both clocks.
/// Not captured: Dispatch, `Timer`, `OperationQueue`, `URLSession`, threads and executors of the
/// program's own. Continuations that those resume go on under virtual time; an `EscapeReport` tells
/// where time has passed beside such work. An actor that captured and other work use at the same
/// time serves both in the order in which they come, which is no virtual order.
package final class Capture: @unchecked Sendable {
  /// How many jobs may run before things are at rest: a task that asks again and again whether
  /// something has happened would never let time pass.
  static let jobsAtOneInstant = 2_000_000

  let host: (any VirtualTimeHost)?
  let scheduler = Scheduler.shared
  let lanes: Lanes
  /// Whether jobs had to be left undone at an instant.
  var isRestless = false
  /// When, in real time, whoever wanted the body cancelled it. Under the scheduler's lock.
  var cancellation: Date?

  /// Whether this platform and this compiler can do it.
  package static var isAvailable: Bool { cvt_is_installed() }

  /// Whether work that leaves virtual time is seen where it begins: not if Dispatch is linked
  /// statically, nor under Thread Sanitizer.
  package static var seesEscapes: Bool { cvt_is_installed() && cvt_sees_escapes() }

  init(host: (any VirtualTimeHost)?, lanes: Lanes) { (self.host, self.lanes) = (host, lanes) }

  // MARK: Time

  /// The virtual instant, as `ContinuousClock` and `SuspendingClock` have it.
  package var now: Nanoseconds { scheduler.now.pointee }

  /// When the next sleep ends, if anything sleeps.
  package var nextSleep: Nanoseconds? {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.sleeps.next
  }

  /// Makes it so late, and the sleeps until then end: their tasks run when next things settle,
  /// in the order of deadlines.
  package func wake(upTo instant: Nanoseconds) { scheduler.wake(upTo: instant) }

  /// Whether the caller is captured work, or was called by it.
  package static var isHere: Bool { cvt_clock() != nil }

  /// Whether the host has something to do at this instant. Then the body waits: it goes on when
  /// everything else of the instant is done.
  var isHostDue: Bool {
    host.map { host in host.nextDeadline().map { $0 <= host.now } ?? false } ?? false
  }

  /// Runs what can run until nothing can, or does nothing but yield, and returns. From inside a
  /// captured job too; that job's own task is left alone.
  /// - Parameter isBodyIncluded: Whether the captured body itself may go on as well, once the host
  ///   has nothing due; else it waits for the next who lets it.
  /// - Returns: Whether anything ran that did more than yield.
  @discardableResult
  package func settle(withBody isBodyIncluded: Bool = true) -> Bool {
    precondition(
      cvt_clock() != nil, "settle() is for captured work, and for the host that captured work calls"
    )
    guard !isRestless else { return false }
    scheduler.beginIdling()
    var count = 0
    while count < Self.jobsAtOneInstant {
      if let idle = scheduler.idleJobs {
        if Escapes.shared.settle() { continue }
        Escapes.shared.handOverLeftBehind()
        return count > idle
      }
      if let entry = scheduler.next(withBody: isBodyIncluded && !isHostDue) {
        count += 1
        run(entry)
      } else if !Escapes.shared.settle() {
        Escapes.shared.handOverLeftBehind()
        return count > 0
      }
    }
    isRestless = true
    return true
  }

  /// Does something as captured work on the main thread, and waits for it. Main-actor jobs
  /// wait meanwhile.
  package func onMainThread<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Swift.Result<Result, any Error>?
    lanes.call(.main) {
      result = captured { Swift.Result { try holdingMainThread(for: nil, body) } }
    }
    return try result!.get()
  }

  private func run(_ entry: Scheduler.Entry) {
    let outer = scheduler.setRunning(entry.task == nil ? nil : entry.job.object)
    defer { _ = scheduler.setRunning(outer) }
    lanes.call(entry.lane) {
      named(nil) {
        captured {
          // A turn of an owner's main thread: nothing else runs there before it is over, whatever
          // the job calls.
          guard entry.lane == .main, let owner = entry.owner else {
            return entry.job.run(on: entry.lane)
          }
          holdingMainThread(for: owner) { entry.job.run(on: .main) }
        }
      }
    }
  }

  /// Does this as captured work on the calling thread.
  func captured<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (clock, driver) = (cvt_clock(), cvt_set_driver(cvt_this_thread()))
    cvt_set_clock(scheduler.now)
    defer {
      cvt_set_clock(clock)
      _ = cvt_set_driver(driver)
    }
    return try body()
  }

  // MARK: Owners

  /// The owner in whose name the calling code runs.
  package var currentOwner: AnyObject? {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.scope ?? scheduler.owner(cvt_current_task().map(cvt_task_id))
  }

  /// Calls this in an owner's name: tasks that it begins, and those that they begin, are
  /// the owner's.
  package func withOwner<Result>(_ owner: AnyObject, _ body: () throws -> Result) rethrows -> Result
  { try named(owner, body) }

  private func named<Result>(_ owner: AnyObject?, _ body: () throws -> Result) rethrows -> Result {
    let scope = scheduler.scope
    scheduler.scope = owner
    defer { scheduler.scope = scope }
    return try body()
  }

  /// From the next job on nothing of the owner's runs. Its sleeps end in their time, and what
  /// follows them waits. The runtime serves an actor's queue as a whole: what such a task has next
  /// in an actor that others' work waits for runs with theirs, up to where it waits again.
  package func hold(_ owner: AnyObject) { scheduler.hold(owner) }

  /// Lets what has waited run, in the order in which it came.
  package func release(_ owner: AnyObject) { scheduler.release(owner) }

  /// Ends an owner's work: nothing of it ever runs again, no `defer` and no `catch`, as with
  /// a process that is killed. Its tasks are cancelled, which calls their cancellation handlers,
  /// in the owner's name: what they have begun in the world outside is to stop. Their memory stays,
  /// and who awaits one of them waits for ever. A job that is running runs to its next `await`.
  ///
  /// Rejected: to let cancelled tasks run to their ends while the host ignores their calls. Their
  /// `defer`s would change what a test sees.
  package func drop(_ owner: AnyObject) {
    let tasks = scheduler.drop(owner)
    named(owner) { captured { for task in tasks { task.cancel() } } }
  }

  // MARK: What is left

  /// The tasks that have not come to their end, without those of owners that were dropped.
  package var unfinishedTasks: [UnfinishedTask] {
    unfinished().map { UnfinishedTask($0, isBody: scheduler.isBody($0)) }
  }

  private func unfinished() -> [TaskRecord] {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.unfinished { record in
      record.owner.map { !scheduler.owners.isDropped($0) } ?? true
    }
  }

  /// Cancels what is left and lets it come to its end; virtual time stands still meanwhile. Each
  /// task once: one that does not heed it stays where it is.
  func cancelRest() {
    captured {
      settle()
      var cancelled: Set<TaskID> = []
      // A task may begin another where it ends, and so on.
      for _ in 0..<100 {
        let rest = unfinished().filter { cancelled.insert($0.id).inserted }
        if rest.isEmpty { break }
        for task in rest { task.cancel() }
        settle()
      }
    }
  }
}
