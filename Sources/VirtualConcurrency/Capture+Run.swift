internal import CVirtualTime
internal import Foundation

extension Capture {
  private static let gate = Gate()
  private static let queue = Gate()
  private static let lanes = VirtualLanes()
  /// The real time in which a cancelled body must finish.
  private static let grace: Duration = .seconds(5)

  /// Calls `body` after all bodies that were passed to this function earlier have finished.
  /// A caller that measures `run` can thus exclude the wait for other tests.
  package static func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    guard isAvailable else { return try await body() }
    await queue.enter()
    defer { queue.leave() }
    return try await body()
  }

  /// Runs a body in a new task, after earlier captures are over. The task is captured from its
  /// first job to its last. The body inherits the task-local values. While the body waits, time
  /// passes to the end of the next sleep or the host's next deadline.
  ///
  /// - Parameters:
  ///   - patience: The real time to wait until outside work resumes a task, if nothing else is left
  ///     to wait for.
  ///   - escapes: Receives, in the task of the caller, the report on the body's work outside
  ///     virtual time, even if the body has thrown. With nil, `run` does not wait for such work.
  ///   - report: Receives, in the task of the caller, the tasks that had not finished when the body
  ///     returned. They have been cancelled.
  /// - Throws: The error that the body throws; `Stall` if the body never ends, or does not end
  ///   after it has been cancelled. The body then does not continue, even if it is resumed later.
  package static func run<Success: Sendable>(
    host: (any VirtualTimeHost)? = nil, patience: Duration = .seconds(30),
    escapes: ((EscapeReport) -> Void)? = nil,
    report: ([UnfinishedTask]) -> Void = { _ in },
    body: @escaping @Sendable (Capture) async throws -> Success
  ) async throws -> Success {
    requireAvailable()
    Watchdog.start(patience: patience)
    await gate.enter()
    let capture = Capture(host: host, lanes: lanes)
    let outcome = Outcome<Success>()
    capture.begin(tellsEscapes: escapes != nil)
    let task = capture.captured {
      Task {
        do { outcome.result = .success(try await body(capture)) } catch {
          outcome.result = .failure(error)
        }
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        lanes.start {
          let stall = capture.drive(until: { outcome.result != nil }, patience: patience)
          if stall == nil { outcome.left = capture.unfinishedTasks }
          outcome.escapes = EscapeLedger.shared.report()
          capture.finish(isStalled: stall != nil)
          // The body has been cancelled by now, and may have ended as a result.
          if let stall { outcome.result = .failure(stall) }
          continuation.resume()
        }
      }
    } onCancel: {
      task.cancel()
      capture.scheduler.interrupt { capture.cancellation = .now }
    }
    // Called here, with the caller's task-local values, so that an issue belongs to the
    // caller's test.
    escapes?(outcome.escapes)
    let result = try outcome.result!.get()
    report(outcome.left)
    return result
  }

  /// Calls a body on this thread, for a synchronous test; time passes only when the body lets time
  /// pass, or waits. The call waits for its turn; on the main thread the run loop runs meanwhile.
  /// - Parameter patience: As in `run`.
  /// - Throws: The error that the body throws; `Stall` if the thread has waited for something that
  ///   never comes. Its waits then return at once, so that the body can end.
  package static func runSynchronously<Success>(
    host: (any VirtualTimeHost)? = nil, patience: Duration = .seconds(30),
    escapes: ((EscapeReport) -> Void)? = nil,
    report: ([UnfinishedTask]) -> Void = { _ in },
    body: (Capture) throws -> Success
  ) throws -> Success {
    requireAvailable()
    Watchdog.start(patience: patience)
    waitForTurn()
    let capture = Capture(host: host, lanes: lanes)
    capture.patience = patience / .seconds(1)
    capture.scheduler.caller = cvt_current_task().map(cvt_task_id)
    capture.begin(tellsEscapes: escapes != nil)
    defer { capture.finish(isStalled: capture.stall != nil) }
    defer { escapes?(EscapeLedger.shared.report()) }
    let result = Result { try capture.captured { try body(capture) } }
    if let stall = capture.stall { throw stall }
    let success = try result.get()
    report(capture.unfinishedTasks)
    return success
  }

  private func begin(tellsEscapes: Bool) {
    EscapeLedger.shared.begin(isTold: tellsEscapes)
    let (seconds, nanoseconds) = host?.startDate ?? Self.usualStartDate
    cvt_begin_clocks(host?.now ?? 0, now, seconds, nanoseconds)
    scheduler.begin(self, at: host?.now ?? 0) { [host] in host?.whereabouts ?? [] }
  }

  private static func requireAvailable() {
    precondition(
      isAvailable,
      "Virtual time for Swift concurrency needs Swift 6.3 on 64-bit Linux; elsewhere pass a clock"
    )
    precondition(
      cvt_clock() == nil, "Captured work cannot begin a capture: it would wait for itself")
  }

  private static func waitForTurn() {
    guard cvt_is_main_thread() else { return gate.enterBlocking() }
    while !gate.enterAtOnce() {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
  }

  private var whenCancelled: RealTime? {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return cancellation
  }

  private func finish(isStalled: Bool = false) {
    host?.captureEnds()
    EscapeLedger.shared.end()
    cancelRest()
    // The main thread is needed after the capture, so its waits return.
    isAbandoned = true
    while let wait = scheduler.takeWaits(where: \.isOnMainThread).first {
      (wait.end, wait.isDead) = (.isOver, true)
      captured { lanes.goOn(wait.turn) }
    }
    let owners = scheduler.owners
    let left = scheduler.takeWaits { isStalled || $0.owner.map(owners.isDropped) == true }
    scheduler.drop(left)
    let waits = scheduler.takeWaits { _ in true }
    hasEnded = true
    scheduler.end(isStalled: isStalled)
    // Threads that wait go on as usual threads.
    for wait in waits {
      wait.end = wait.end ?? .captureEnded
      lanes.release(wait.turn)
    }
    Self.gate.leave()
  }

  /// The progress of a capture that runs its body.
  private final class Driving {
    /// The real time since which nothing has happened.
    var idle: RealTime?
    /// The number of jobs at this instant that have only yielded.
    var idleJobs = 0
    var isOver = false
    var stall: Stall?

    func ends(_ stall: Stall?) { (self.stall, isOver) = (stall, true) }

    func wentOn() { (idle, idleJobs) = (nil, 0) }
  }

  /// Runs jobs and lets time pass until the body has ended.
  private func drive(until isOver: @escaping () -> Bool, patience: Duration) -> Stall? {
    let driving = Driving()
    self.patience = patience / .seconds(1)
    // If a job or a callback waits, it keeps the worker, and another one goes on.
    while !driving.isOver {
      onWorker {
        let turn = self.lanes.current
        let waits = turn?.waits
        while turn?.waits == waits, !driving.isOver {
          self.takeStep(driving, until: isOver, patience: patience) { turn?.waits == waits }
        }
      }
    }
    return driving.stall
  }

  /// - Parameter isDriving: Whether this thread has not waited in a job or a callback.
  private func takeStep(
    _ driving: Driving, until isOver: () -> Bool, patience: Duration, isDriving: () -> Bool
  ) {
    let arrivals = scheduler.countArrivals()
    guard let hasRun = settleOnWorker() else { return }
    if hasRun { driving.wentOn() }
    if let jobs = scheduler.idleJobs { driving.idleJobs += jobs }
    if driving.idleJobs >= Self.jobsAtOneInstant { isRestless = true }
    if let stall { return driving.ends(stall) }
    if isRestless { return driving.ends(Stall(kind: .restless, tasks: unfinishedTasks)) }
    if isOver() { return driving.ends(nil) }
    if isHostDue { return advance(to: host?.now ?? now) }
    let isAlone = !scheduler.hasWaits
    var (others, cancellation) = (scheduler.atOthers(), whenCancelled)
    // A thread that waits may run a task that another task has begun directly, and may hold
    // an actor for which a task waits.
    let rest = others == .running ? 0.05 : 0.005
    if !isAlone, driving.idle.map({ $0.age > rest }) == true { others = .none }
    // Without these limits, time would pass endlessly while the body does nothing.
    let left = [
      cancellation.map { Self.grace - .seconds($0.age) },
      driving.idle.map { patience - .seconds($0.age) },
    ]
    let isOutOfPatience = left.contains { $0.map { $0 <= .zero } ?? false }
    if others != .running, isOutOfPatience, cancellation != nil || isAlone || !mayWaitForOutside {
      return driving.ends(
        Stall(kind: cancellation == nil ? .silent : .cancelled, tasks: unfinishedTasks))
    }
    // A thread may wait for work outside virtual time, which then comes before the wait's limit.
    if !isAlone, EscapeLedger.shared.handOverNext(untilSignal: true) { return driving.wentOn() }
    if others == .none, let instant = [nextSleep, host?.nextDeadline()].compactMap(\.self).min() {
      if waitForSessions() { return driving.wentOn() }
      advance(to: instant)
      if isDriving() { driving.wentOn() }
      return
    }
    // Only outside work is left to wait for: an executor of the program may have handed a job
    // to Dispatch. Captured tasks on other threads may also wait for such work.
    let isAtRest = others != .running || driving.idle.map { $0.age > 0.05 } == true
    if isAtRest, EscapeLedger.shared.handOverNext() { return driving.wentOn() }
    // Runs a yielding task again at once, because a thread may change the state that the
    // task polls.
    if driving.idleJobs > 0 { return }
    if driving.idle == nil { driving.idle = .now }
    // Captured work on another thread soon ends in a job or in a wait. A thread outside virtual
    // time may end a wait without a notice.
    let limit = left.compactMap(\.self).min() ?? patience
    _ = scheduler.waitForOutside(
      since: arrivals, for: others == .none && isAlone ? limit : .milliseconds(1))
  }

  /// Whether a thread that waits may be waiting for work outside virtual time. Such a wait has no
  /// limit of real time.
  var mayWaitForOutside: Bool {
    !EscapeLedger.shared.awaitable(whileTasksWait: scheduler.hasTasksInQueue).isEmpty
  }

  private func advance(to instant: Nanoseconds) {
    host?.advance(to: instant)
    guard !hasEnded else { return }
    let deadline = host?.nextDeadline()
    precondition(
      deadline.map { $0 > instant } ?? true,
      "At \(instant) the host has not done the work that was due at \(deadline!)")
    // A host that has ended does not advance; sleeps continue without it.
    wake(upTo: max(instant, host?.now ?? instant))
  }
}

/// The outcome of a captured body; written by the captured task, read by the thread that runs it.
private final class Outcome<Success>: @unchecked Sendable {
  var result: Result<Success, any Error>?
  var left: [UnfinishedTask] = []
  var escapes = EscapeReport(jump: nil, sleep: nil, unfinished: [])
}
