internal import CurfewEngine
internal import CurfewSystem
internal import Foundation

/// A handler without the isolation in its type. Swift cannot call a function that may be isolated
/// to any actor synchronously, not even on that actor. Both types are called in the same way;
/// `IsolatedHandlerTests` check that.
///
/// The functions are cast inside structures, because a generic function would wrap each function
/// that is passed to it directly.
package struct IsolatedHandler {
  private let function: @isolated(any) () throws -> Void

  private struct Plain { let function: @Sendable () throws -> Void }
  private struct Checked { let function: @Sendable @isolated(any) () throws -> Void }

  package init(_ function: @escaping @isolated(any) () throws -> Void) { self.function = function }

  /// The function, to be called on its actor.
  package var plain: @Sendable () throws -> Void { unsafeBitCast(self, to: Plain.self).function }

  /// The function of a caller that does not want the compiler to check the captured values.
  package var unchecked: @Sendable @isolated(any) () throws -> Void {
    unsafeBitCast(self, to: Checked.self).function
  }
}

/// The same for a handler that receives the expiration.
package struct IsolatedToldHandler {
  private let function: @Sendable @isolated(any) (Expiration) throws -> Void

  private struct Plain { let function: @Sendable (Expiration) throws -> Void }

  package init(_ function: @escaping @Sendable @isolated(any) (Expiration) throws -> Void) {
    self.function = function
  }

  /// The function, to be called on its actor.
  package var plain: @Sendable (Expiration) throws -> Void {
    unsafeBitCast(self, to: Plain.self).function
  }
}

/// Calls of apps on the actors that their handlers were written for.
extension DeviceCore {
  /// Runs `body` on an actor, and waits for it; runs it at once if `actor` is nil or the caller is
  /// on the actor. The device's lock is not held.
  ///
  /// On a virtual clock `body` may let time pass. A caller that waits in vain, because the actor is
  /// busy with the code that lets time pass, is stopped with a message.
  /// - Returns: The result of `body`; nil if the process ended before the actor was free, and
  ///   `body` was not called.
  func run<Result>(
    on actor: (any Actor)?, of process: AppProcess, for name: @autoclosure () -> String,
    _ body: () -> Result
  ) -> Result? {
    guard let actor, !actor.isRunning else { return body() }
    return withoutActuallyEscaping(body) { body in
      // The caller waits, whichever thread runs the body.
      nonisolated(unsafe) var result: Result?
      let call = ActorCall { result = body() }
      if actor === MainActor.shared {
        do { try onMainActor { call.perform() } } catch {
          preconditionFailure("Work that cannot throw has thrown \(error)")
        }
      } else if let work, work.isHere {
        runCaptured(call, on: actor, of: process, work, name())
      } else {
        let patience = clock == nil ? Patience(Self.waits(name())) : nil
        WaitingThread().run(patience) { [self] in
          await call.perform(on: actor) {
            lendPump(to: .current)
          } after: {
            if let owner = $0 { _ = lendPump(to: owner) }
          }
        }
      }
      call.abandon()
      return result
    }
  }

  private static func waits(_ name: String) -> String {
    "\(name) waits for its actor, which may be busy with the code that lets time pass: call advance(by:) outside the actor"
  }

  /// With async work: the actor's job is work of the process, and runs after the work that was
  /// ready before it.
  private func runCaptured(
    _ call: ActorCall, on actor: any Actor, of process: AppProcess, _ work: any VirtualWork,
    _ name: String
  ) {
    work.call(for: process, named: name) { _ = Task { await call.perform(on: actor) } }
    var patience = Patience(Self.waits(name))
    while !call.isDone, withState({ _ in process.isAlive }) {
      lock.lock()
      settleWorkOfCall()
      unlock()
      // The call waits, or the actor is busy with work that waits.
      if call.hasBegun || work.hasWaits { work.wait(for: process) { call.isDone } }
      // The actor is busy outside virtual time, or up the stack.
      if !call.isDone { call.wait(&patience) }
    }
  }
}

extension Actor {
  /// Whether the caller runs on this actor. Always false if the runtime does not answer
  /// the question; the caller then waits until its patience is over.
  fileprivate nonisolated var isRunning: Bool {
    let executor = unsafeBitCast(unownedExecutor, to: (UInt, UInt).self)
    return isCurrentExecutor?(executor.0, executor.1, 0) ?? false
  }
}

/// The runtime's function that `assumeIsolated` calls. Without flags it answers no instead of
/// stopping the program. Looked up by name, because older runtimes lack it. Swift's convention
/// passes these arguments as C's does.
private let isCurrentExecutor: (@convention(c) (UInt, UInt, UInt64) -> Bool)? = dlsym(
  dlopen(nil, RTLD_NOW), "swift_task_isCurrentExecutorWithFlags"
).map { unsafeBitCast($0, to: (@convention(c) (UInt, UInt, UInt64) -> Bool).self) }

/// Work that a thread passes to an actor, and waits for.
private final class ActorCall: @unchecked Sendable {
  private let condition = Lock()
  private var body: (() -> Void)?
  private var isOver = false

  init(_ body: @escaping () -> Void) { self.body = body }

  var hasBegun: Bool { condition.withLock { body == nil } }
  var isDone: Bool { condition.withLock { isOver } }

  /// Runs the work on the calling thread, unless it was abandoned.
  func perform() {
    guard let body = condition.withLock({ self.body.take() }) else { return }
    body()
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  func perform(on actor: isolated any Actor) { perform() }

  /// Runs the work between two functions, on one thread.
  func perform<Value>(
    on actor: isolated any Actor, before: () -> Value, after: (Value) -> Void
  ) {
    let value = before()
    perform()
    after(value)
  }

  /// Waits for a moment, or until the work is done.
  func wait(_ patience: inout Patience) {
    condition.lock()
    defer { condition.unlock() }
    guard !isOver, !condition.wait(upTo: 0.01) else { return }
    patience.wait(0.01)
  }

  /// Releases the work if it has not begun.
  func abandon() { condition.withLock { body = nil } }
}

/// The real time for which a call on a virtual clock may wait for another thread or for an actor:
/// 60 s, or the seconds in the environment variable `CURFEW_HANG`, as in `CurfewTesting`.
/// Counts iterations, not clock time, so that a debugger that stops the process also stops
/// the count.
struct Patience {
  private let reason: String
  private var left: Double

  init(_ reason: String) {
    self.reason = reason
    left =
      ProcessInfo.processInfo.environment["CURFEW_HANG"].flatMap(Double.init).map { max(1, $0) }
      ?? 60
  }

  /// Notes that the caller has waited for so many seconds. Stops the program if it waits in vain.
  mutating func wait(_ seconds: Double) {
    left -= seconds
    guard left <= 0 else { return }
    preconditionFailure(reason)
  }
}

/// A thread that waits for a Swift task, and runs the task's jobs itself if their actors are free.
/// So it does not need a thread of Swift's pool, which may all be waiting.
private final class WaitingThread: @unchecked Sendable {
  private let condition = Lock()
  private var jobs: [() -> Void] = []
  private var isOver = false

  /// Runs `body` as a task, and returns when the task is over.
  func run(_ patience: Patience?, _ body: @escaping @Sendable () async -> Void) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      Task(executorPreference: Jobs(thread: self)) {
        await body()
        self.finish()
      }
    } else {
      Task {
        await body()
        self.finish()
      }
    }
    var patience = patience
    condition.lock()
    while !isOver {
      if !jobs.isEmpty {
        let job = jobs.removeFirst()
        condition.unlock()
        job()
        condition.lock()
      } else if !condition.wait(upTo: 0.1) {
        patience?.wait(0.1)
      }
    }
    condition.unlock()
  }

  private func finish() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  private func add(_ job: @escaping () -> Void) {
    condition.withLock {
      jobs.append(job)
      condition.broadcast()
    }
  }

  /// Receives the jobs of the task.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private final class Jobs: TaskExecutor {
    private let thread: WaitingThread

    init(thread: WaitingThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      thread.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
