internal import CurfewEngine
import CurfewSystem

/// Async work on a virtual clock, executed by a runner outside the device: the tasks of apps'
/// handlers and of tests, and their sleeps.
///
/// The work runs on one thread at a time. Work that belongs to a process is identified by
/// that process.
package protocol VirtualWork: AnyObject, Sendable {
  /// Whether the caller is work of this runner, or was called by such work.
  var isHere: Bool { get }
  /// The end of the next sleep, in nanoseconds since the start; nil if nothing sleeps.
  var nextSleep: Int64? { get }

  /// Runs work until no work can run. Called outside the device's lock.
  /// - Parameter isTestIncluded: Whether the test itself may continue too.
  /// - Returns: Whether anything ran.
  func settle(withTest isTestIncluded: Bool) -> Bool
  /// Waits for work that real time serves and that holds virtual time back: a `URLSession` task in
  /// flight. Called outside the device's lock.
  /// - Returns: Whether work may be able to go on, so that time must not pass yet.
  func waitForSessions() -> Bool
  /// Sets the time, in nanoseconds since the start, and ends the sleeps that are due by then.
  func wake(upTo instant: Int64)
  /// The process that owns the calling work.
  var owner: AnyObject? { get }
  /// The current work, if no process owns it and it is not the test itself.
  var unowned: UnownedWorkWatch? { get }
  /// The number of the current task.
  var currentTask: UInt64? { get }
  /// Takes the first work that no process owns and that was asleep while a process was suspended
  /// or ended. Only work since the last call is considered.
  func takeOverslept() -> UnownedWorkWatch?
  /// Calls a process's code on the app's main thread. Main-actor jobs wait meanwhile, and tasks
  /// that the code begins belong to the process.
  /// - Parameter name: The app and the callback, for a report that the callback does not return.
  func call<Result>(for process: AnyObject, named name: String, _ body: () throws -> Result)
    rethrows -> Result
  /// The place in the program that called the calling code.
  var caller: (any CallerPlace)? { get }
  /// Whether the main thread waits.
  var isMainThreadWaiting: Bool { get }
  /// Runs `body` on the main thread, and waits for it.
  func onMainThread<Result: Sendable>(_ body: () throws -> Result) throws -> Result
  /// Runs `body` off the main thread, and waits for it. The caller is on the main thread.
  func offMainThread(_ body: @escaping () -> Void)
  /// Whether a thread of this work waits.
  var hasWaits: Bool { get }
  /// Waits until `isOver`, or until the process is dropped. Meanwhile other work runs, and time
  /// passes on to what is due.
  func wait(for process: AnyObject, until isOver: @escaping () -> Bool)
  /// Starts `body` as work of a process on a thread of its own. False if this is not possible.
  func start(for process: AnyObject, _ body: @escaping @Sendable () -> Void) -> Bool
  /// The threads of a process that wait, and the jobs of its main thread that wait behind them;
  /// nil if no thread waits. Called under the device's lock.
  func blocked(in process: AnyObject) -> (any BlockedPlaces)?
  /// Holds the work of a process that is suspended.
  func hold(_ process: AnyObject)
  /// Releases the work of a process that is resumed.
  func release(_ process: AnyObject)
  /// Drops the work of a process that has ended. This calls cancellation handlers, so it must not
  /// be called under the device's lock.
  func drop(_ process: AnyObject)
}

/// The call site of a call that did not pass it; found in the stack of the calling thread.
/// A reference, so that a `CallSite`, which each task has, is small and cheap to copy.
package protocol CallerPlace: AnyObject, Sendable {
  /// Module and file, as in `#fileID`, and the line; nil if the program has no debug information.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  var location: (fileID: String, line: Int)? { get }
}

/// The places of blocked threads; symbols are looked up on demand.
package protocol BlockedPlaces: Sendable {
  var lines: [String] { get }
}

extension DeviceCore {
  /// Runs async work at this instant. The lock is held on entry and on return.
  /// - Returns: Whether anything ran.
  func settleWork(withTest isTestIncluded: Bool) -> Bool {
    guard let work else { return false }
    work.wake(upTo: state.now.nanoseconds)
    return settle(work, withTest: isTestIncluded)
  }

  /// Waits for outside work that comes before time passes. The lock is held on entry and on return.
  /// - Returns: Whether work may be able to go on at this instant.
  func mustStay() -> Bool {
    guard let work else { return false }
    unlock()
    defer { lock.lock() }
    return work.waitForSessions()
  }

  /// Advances a virtual clock to the next deadline of the device or the next end of a sleep, but
  /// not beyond `end`. The lock is held.
  /// - Returns: false if nothing is due up to `end`.
  func step(towards end: Instant) -> Bool {
    let sleep = [work?.nextSleep.map { Instant(nanoseconds: $0) }, state.sleeps.next].compactMap(
      \.self
    ).min()
    if !state.step(until: min(end, sleep ?? end), self) {
      guard let sleep, sleep <= end else { return false }
      if sleep > state.now { state.move(to: sleep, self) }
      state.endSleeps()
    }
    // Clocks of the program read the new time from here on.
    work?.wake(upTo: state.now.nanoseconds)
    return true
  }
}

extension Device {
  /// Attaches async work to the device's virtual clock. Called before anything happens.
  package func attach(_ work: any VirtualWork) {
    precondition(core.clock == nil, "Async work needs a virtual clock")
    core.withState { _ in core.work = work }
    AttachedWork.current = work
  }

  /// Detaches the async work, which then continues without the device.
  package func detachWork() {
    AttachedWork.current = nil
    core.withState { _ in core.work = nil }
  }

  /// The time in nanoseconds since the start.
  package var nanoseconds: Int64 { core.now.nanoseconds }
  /// Lets time pass to the next instant at which something is due or a sleep ends, or to `limit`,
  /// whichever comes first. Callable inside a callback, whose app gets no other callback meanwhile.
  /// - Returns: False if there is no such instant.
  package func advanceToNext(upTo limit: Int64?) -> Bool {
    core.advanceToNext(upTo: limit.map { Instant(nanoseconds: $0) })
  }

  /// The next deadline, in nanoseconds since the start; nil if there is none or the clock
  /// is stopped. A delivery to a process that is in no call is due now.
  package var nextDeadline: Int64? {
    core.withState {
      $0.driver.standstill != nil
        ? nil : ($0.hasWorkNow && !$0.isClosed ? $0.now : $0.nextInstant)?.nanoseconds
    }
  }

  /// The running sessions, by app, with the places that began them.
  package var openSessions: [(app: String, kind: KindName, origin: CallSite)] {
    core.withState { state in
      state.apps.all.flatMap { app in
        (app.process?.sessionOrigins ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map {
          (app.name, state.names.name(of: $0.key), $0.value)
        }
      }
    }
  }

  /// The delivered wakes that are not over, by app, with the places that delivered them. The place
  /// is nil if the system delivered the wake.
  package var openWakes: [(app: String, kind: KindName, origin: CallSite?)] {
    core.withState { state in
      state.apps.all.flatMap { app in
        (app.process?.wakes ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map {
          (app.name, state.names.name(of: $0.value.kind), $0.value.origin)
        }
      }
    }
  }
}
