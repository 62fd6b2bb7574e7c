internal import CurfewEngine
import CurfewSystem

/// Async work that goes on beside a virtual clock, and that something else runs for the device:
/// tasks that apps' handlers and tests have begun, and their sleeps.
///
/// All of it is run on one thread at a time. What belongs to a process is known by that process.
package protocol VirtualWork: AnyObject, Sendable {
  /// Whether the caller is such work, or was called by it.
  var isHere: Bool { get }
  /// When the next sleep ends, in nanoseconds since the start; nil where nobody sleeps.
  var nextSleep: Int64? { get }

  /// Runs what can run, until nothing can. Called outside the device's lock.
  /// - Parameter isTestIncluded: Whether the test itself may go on too.
  /// - Returns: Whether anything ran.
  func settle(withTest isTestIncluded: Bool) -> Bool
  /// It is so late now, in nanoseconds since the start: sleeps until then are over.
  func wake(upTo instant: Int64)
  /// The process whose work the caller is.
  var owner: AnyObject? { get }
  /// The current work, if no process owns it and it is not the test itself.
  var unowned: UnownedWork? { get }
  /// The number of the current task.
  var currentTask: UInt64? { get }
  /// Hands over work like that whose sleep has ended and began before some process was suspended or
  /// ended, the first since this was last asked.
  func takeOverslept() -> UnownedWork?
  /// Calls a process's code on the app's main thread: main-actor jobs wait meanwhile, and tasks
  /// that it begins are the process's.
  /// - Parameter name: The app and the callback, for a report that it does not return.
  func call<Result>(for process: AnyObject, named name: String, _ body: () throws -> Result)
    rethrows -> Result
  /// Where the calling code was called by the program.
  var caller: (any CallerPlace)? { get }
  /// Does something on the main thread, and waits for it.
  func onMainThread<Result: Sendable>(_ body: () throws -> Result) throws -> Result
  /// The process is suspended: nothing of its own runs.
  func hold(_ process: AnyObject)
  /// It goes on.
  func release(_ process: AnyObject)
  /// It has ended: nothing of its own runs any more. Calls cancellation handlers, so never under
  /// the device's lock.
  func drop(_ process: AnyObject)
}

/// A place that a call has not told, found in its thread's stack.
package protocol CallerPlace: Sendable {
  /// Module and file, as `#fileID` has them, and the line; nil if the program has no
  /// debug information.
  /// - Complexity: Reads the program's debug information: up to a second.
  var location: (fileID: String, line: Int)? { get }
}

extension DeviceCore {
  /// Has async work run at this instant. The lock is held on the way in and out.
  /// - Returns: Whether anything ran.
  func settleWork() -> Bool {
    guard let work else { return false }
    work.wake(upTo: state.now.nanoseconds)
    return settle(work, withTest: true)
  }

  /// Lets a virtual clock go on to what is next until `end`: a deadline of the device's, or the end
  /// of a sleep. The lock is held.
  /// - Returns: false where nothing is.
  func step(towards end: Instant) -> Bool {
    let sleep = [work?.nextSleep.map { Instant(nanoseconds: $0) }, state.sleeps.next].compactMap(
      \.self
    ).min()
    if !state.step(until: min(end, sleep ?? end), self) {
      guard let sleep, sleep <= end else { return false }
      if sleep > state.now { state.move(to: sleep, self) }
      state.endSleeps()
    }
    // Clocks read it from here on.
    work?.wake(upTo: state.now.nanoseconds)
    return true
  }
}

extension Device {
  /// Has async work go on beside its virtual clock. Called before anything happens.
  package func attach(_ work: any VirtualWork) {
    precondition(core.clock == nil, "Async work goes on beside a virtual clock")
    core.withState { _ in core.work = work }
  }

  /// From here on async code goes on without it.
  package func detachWork() { core.withState { _ in core.work = nil } }

  /// What time it is, in nanoseconds since the start.
  package var nanoseconds: Int64 { core.now.nanoseconds }
  /// When something is due next, in nanoseconds since the start; nil if nothing is, or if time
  /// stands still. What is still to be delivered is due now.
  package var nextDeadline: Int64? {
    core.withState {
      $0.driver.standstill != nil
        ? nil : ($0.hasSomethingToDo && !$0.isClosed ? $0.now : $0.nextInstant)?.nanoseconds
    }
  }

  /// Sessions that are on, by app, with who began them.
  package var openSessions: [(app: String, kind: KindName, origin: CallSite)] {
    core.withState { state in
      state.apps.all.flatMap { app in
        (app.process?.sessionOrigins ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map {
          (app.name, state.names.name(of: $0.key), $0.value)
        }
      }
    }
  }

  /// Wakes that were delivered and are not over, by app, with who delivered them; nil for
  /// the system.
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
