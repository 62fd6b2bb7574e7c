internal import CVirtualTime
internal import Foundation

extension Capture {
  private static let gate = Gate()
  private static let queue = Gate()
  private static let lanes = Lanes()
  /// How long, in real time, a body that was cancelled has to come to its end.
  private static let grace: Duration = .seconds(5)

  /// Calls `body` when the bodies before it that were brought here are over. So a wait for others
  /// lies outside what somebody measures around `run`.
  package static func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    guard isAvailable else { return try await body() }
    await queue.enter()
    defer { queue.leave() }
    return try await body()
  }

  /// Runs a body in a task of its own, captured from its first job to its last, when the captures
  /// that were asked for before are over. The body inherits the task-local values. While it waits,
  /// time goes on to the next sleep or the host's next deadline.
  ///
  /// - Parameters:
  ///   - patience: How long, in real time, nobody outside may resume anything while nothing else
  ///     is left to wait for.
  ///   - escapes: Is told, in the task of the caller, what the body has done outside virtual time,
  ///     also if it has thrown. If it is nil, such work is not waited for.
  ///   - report: Is told, in the task of the caller, which tasks were left when the body had
  ///     returned. They have been cancelled.
  /// - Throws: What the body throws; `Stall`, if the body never ends, or does not end when it has
  ///   been cancelled. It does not go on then, whoever resumes it later.
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
          outcome.escapes = Escapes.shared.report()
          capture.finish(isStalled: stall != nil)
          // Cancelled by now, the body may have ended after all.
          if let stall { outcome.result = .failure(stall) }
          continuation.resume()
        }
      }
    } onCancel: {
      task.cancel()
      capture.scheduler.interrupt { capture.cancellation = Date() }
    }
    // Here, where the caller's task-local values are: a test's issue is to be that test's.
    escapes?(outcome.escapes)
    let result = try outcome.result!.get()
    report(outcome.left)
    return result
  }

  /// Calls a body on this thread, where a synchronous test runs; time passes only as the body lets
  /// it. Waits for its turn: on the main thread the run loop goes on meanwhile.
  package static func runSynchronously<Success>(
    host: (any VirtualTimeHost)? = nil, escapes: ((EscapeReport) -> Void)? = nil,
    report: ([UnfinishedTask]) -> Void = { _ in },
    body: (Capture) throws -> Success
  ) rethrows -> Success {
    requireAvailable()
    Watchdog.start()
    waitForTurn()
    let capture = Capture(host: host, lanes: lanes)
    capture.scheduler.caller = cvt_current_task().map(cvt_task_id)
    capture.begin(tellsEscapes: escapes != nil)
    defer { capture.finish() }
    defer { escapes?(Escapes.shared.report()) }
    let result = try capture.captured { try body(capture) }
    report(capture.unfinishedTasks)
    return result
  }

  private func begin(tellsEscapes: Bool) {
    Escapes.shared.begin(isTold: tellsEscapes)
    scheduler.begin(at: host?.now ?? 0) { [host] in host?.whereabouts ?? [] }
  }

  private static func requireAvailable() {
    precondition(
      isAvailable,
      "Virtual time for Swift concurrency is made for Swift 6.3 on 64-bit Linux; elsewhere hand a clock over"
    )
    precondition(
      cvt_clock() == nil, "A capture cannot be begun by what is captured: it would wait for itself")
  }

  private static func waitForTurn() {
    guard cvt_is_main_thread() else { return gate.enterBlocking() }
    while !gate.enterAtOnce() {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
  }

  private var whenCancelled: Date? {
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return cancellation
  }

  private func finish(isStalled: Bool = false) {
    host?.captureEnds()
    Escapes.shared.end()
    cancelRest()
    scheduler.end(isStalled: isStalled)
    Self.gate.leave()
  }

  /// Runs jobs and lets time pass until the body is at its end.
  private func drive(until isOver: () -> Bool, patience: Duration) -> Stall? {
    captured {
      /// Since when nothing has happened.
      var idle: Date?
      /// How many jobs have done nothing but yield at this instant.
      var idleJobs = 0
      while true {
        let arrivals = scheduler.countArrivals()
        if settle() { (idle, idleJobs) = (nil, 0) }
        if let jobs = scheduler.idleJobs { idleJobs += jobs }
        if idleJobs >= Self.jobsAtOneInstant { isRestless = true }
        if isRestless { return Stall(kind: .restless, tasks: unfinishedTasks) }
        if isOver() { return nil }
        if isHostDue {
          advance(to: host?.now ?? now)
          continue
        }
        let (others, cancellation) = (scheduler.atOthers(), whenCancelled)
        // Beside a body that nobody waits for any more time would go on without end.
        let left = [
          cancellation.map { Self.grace - .seconds(-$0.timeIntervalSinceNow) },
          idle.map { patience - .seconds(-$0.timeIntervalSinceNow) },
        ]
        if others != .running, left.contains(where: { $0.map { $0 <= .zero } ?? false }) {
          return Stall(kind: cancellation == nil ? .silent : .cancelled, tasks: unfinishedTasks)
        }
        if others == .none,
          let instant = [nextSleep, host?.nextDeadline()].compactMap(\.self).min()
        {
          advance(to: instant)
          (idle, idleJobs) = (nil, 0)
          continue
        }
        // Nothing else is left to wait for than work outside: an executor of the program's own may
        // have handed a job to Dispatch. What runs at others may wait for it, too.
        let isAtRest = others != .running || idle.map { -$0.timeIntervalSinceNow > 0.05 } == true
        if isAtRest, Escapes.shared.handOverNext() {
          (idle, idleJobs) = (nil, 0)
          continue
        }
        // Asks a yielding task again at once: a thread may change what it waits for.
        if idleJobs > 0 { continue }
        if idle == nil { idle = Date() }
        // Whether what is at others ends in a job or in a wait, it is soon.
        let rest = left.compactMap(\.self).min() ?? patience
        _ = scheduler.waitForOutside(
          since: arrivals, for: others == .none ? rest : .milliseconds(1))
      }
    }
  }

  private func advance(to instant: Nanoseconds) {
    host?.advance(to: instant)
    let deadline = host?.nextDeadline()
    precondition(
      deadline.map { $0 > instant } ?? true,
      "The host was to do by \(instant) what it has due at \(deadline!)")
    // A host that is over stays where it is, and sleeps go on without it.
    wake(upTo: max(instant, host?.now ?? instant))
  }
}

/// Written by the captured task, read by the thread that runs it.
private final class Outcome<Success>: @unchecked Sendable {
  var result: Result<Success, any Error>?
  var left: [UnfinishedTask] = []
  var escapes = EscapeReport(jump: nil, sleep: nil, unfinished: [])
}
