import CurfewEngine
import CurfewPolicy
import CurfewSystem
internal import Foundation

/// A device behind its lock. Every change goes through `tell`, `run` or `tick`.
///
/// Handlers run outside the lock: in real time on the executor, on a virtual clock on the thread
/// that caused them, advances the clock, or is delivering at that time.
final class DeviceCore: @unchecked Sendable {
  let policy: PolicyFile
  /// nil for a virtual clock.
  let clock: (any RealTimeClock)?
  /// The device at instant zero.
  let initialFacts: DeviceFacts
  /// The date at instant zero.
  let startDate: ClockDate
  let executor: any HandlerExecutor
  /// The executor, if it is a `HandlerThreads`, whose threads handlers of dead processes may hold.
  let threads: HandlerThreads?
  /// Whether handlers may also run on a thread of the clock. False if the program has passed
  /// an executor.
  let mayUseClocksThread: Bool
  /// Whether apps are called on the main actor, in real time or on a virtual clock.
  let callsOnMainActor: Bool
  /// In real time: threads for work that must not wait for handlers.
  let lane: DeviceLane?
  let lock = Lock()
  /// Behind a pointer, to avoid Swift's exclusivity check, which would cost as much as beginning
  /// a task. Every access holds the lock.
  private let statePointer = UnsafeMutablePointer<DeviceState>.allocate(capacity: 1)
  var state: DeviceState {
    _read { yield statePointer.pointee }
    _modify { yield &statePointer.pointee }
  }
  /// On a virtual clock: the thread that delivers.
  var pump: Pump? { pumps.last }
  /// On a virtual clock: the threads that deliver, nested in the order in which they began. A
  /// handler that waits may outlast later deliverers.
  var pumps: [Pump] = []
  /// The number of deliverers so far.
  var pumpCount = 0
  /// On a virtual clock: the number of calls in progress, including the work at their instants.
  var callDepth = 0
  /// On a virtual clock: the number of calls whose async work is coming to rest.
  var workDepth = 0
  /// On a virtual clock: the runner of the device's async work. Set before any event, and removed
  /// at the end.
  package var work: (any VirtualWork)?
  /// In debug builds: the device size for which releases of the lock have paid since the last check
  /// of the invariants.
  var paidSize = 0

  init(
    policy: PolicyFile, clock: (any RealTimeClock)?, facts: DeviceFacts, startDate: Date,
    executor: (any HandlerExecutor)?,
    onThreadProblem: @escaping @Sendable (HandlerThreadProblem) -> Void
  ) {
    self.policy = policy
    self.clock = clock
    initialFacts = facts
    self.startDate = ClockDate(startDate)
    self.executor = executor ?? HandlerThreads(onProblem: onThreadProblem)
    threads = self.executor as? HandlerThreads
    mayUseClocksThread = executor == nil
    callsOnMainActor = executor is MainActorExecutor
    lane = clock == nil ? nil : DeviceLane(onProblem: onThreadProblem)
    statePointer.initialize(to: DeviceState(policy: policy, facts: facts, isRealTime: clock != nil))
    clock?.start { [weak self] in self?.tick() }
  }

  deinit {
    statePointer.deinitialize(count: 1)
    statePointer.deallocate()
  }

  /// Reads or changes state that the engine does not see, without moving the time.
  func withState<Result>(_ body: (inout DeviceState) -> Result) -> Result {
    lock.lock()
    defer { unlock() }
    return body(&state)
  }

  /// Releases the lock. Debug builds check the invariants first.
  func unlock() {
    checkInvariants()
    lock.unlock()
  }

  /// Reads the device as it is now.
  func query<Result>(_ body: (inout DeviceState) -> Result) -> Result {
    lock.lock()
    keepUp()
    let result = body(&state)
    // A query never runs handlers.
    leave(delivers: false)
    return result
  }

  /// The time of the clock, real or virtual.
  var now: Instant { lock.withLock { clock.map { max($0.now(), state.now) } ?? state.now } }

  // MARK: Events

  /// Passes an event to the engine now, and acts on the result.
  func tell(_ event: Event, by app: AppID? = nil, call: StaticString = #function) {
    tell(by: app, call: call) { _ in event }
  }

  /// Passes an event to the engine that `event` creates under the lock; does nothing if `event`
  /// returns nil.
  func tell(
    by app: AppID? = nil, call: StaticString = #function, _ event: (inout DeviceState) -> Event?
  ) {
    tell(by: app, call: call, event) { _, _ in }
  }

  /// Passes an event that may be denied to the engine.
  /// - Returns: The decision; nil if none was needed.
  func decide(
    _ event: Event, about app: AppID, by caller: AppID? = nil, call: StaticString = #function
  ) -> Decision? {
    tell(by: caller, call: call) { _ in
      event
    } answered: { state, answer in
      state.decision(answer, app)
    } ?? nil
  }

  /// Passes an event that is created under the lock to the engine, and acts on the result.
  ///
  /// Inlined, so that the two closures are calls of known functions; the parts that are the same
  /// for every call are functions of their own.
  ///
  /// - Parameters:
  ///   - call: The function of the API, for a diagnostic.
  ///   - delivers: On a virtual clock, whether due deliveries are performed before this function
  ///     returns. If not, the next caller that delivers performs them.
  ///   - answered: Receives the engine's answer before it is acted on.
  /// - Returns: nil if there is no event, if the device is closed, or if the call comes from
  ///   a process that has ended.
  @inline(__always) @discardableResult
  func tell<Result>(
    by app: AppID? = nil, call: StaticString = #function, delivers: Bool = true,
    _ event: (inout DeviceState) -> Event?,
    answered: (inout DeviceState, EventAnswer) -> Result
  ) -> Result? {
    let caller = app == nil ? nil : AppProcess.current ?? work?.owner as? AppProcess
    guard enter(caller, app, call: call) else { return nil }
    var result: Result?
    // Not checked earlier, because a step that was due may have ended the caller's process.
    if !isAllowed(caller, app) {
      state.note(.deadProcess, of: app, call: call)
    } else if let event = event(&state) {
      let answer = state.say(event)
      result = answered(&state, answer)
      act(on: event, call: call)
    }
    // If async work makes this call, its runner takes the steps that follow, when all async work
    // is at rest at this instant.
    let isOwnWork = isOwnCall(caller, app) && work?.isHere == true
    leave(delivers: delivers && !isOwnWork, fromOutside: app == nil)
    return result
  }

  /// Takes the lock for an event, and takes the steps that come before it.
  /// - Returns: false if the device is closed; the lock is then not held.
  private func enter(_ caller: AppProcess?, _ app: AppID?, call: StaticString) -> Bool {
    lock.lock()
    // Events of the user and the system come after the apps' current callbacks.
    if app == nil { noteTestCode() }
    if app == nil, clock == nil, mayDeliver(fromOutside: true) { pumpOnce() }
    guard !state.isClosed else {
      state.note(.deviceClosed, of: app, call: call)
      unlock()
      return false
    }
    if clock != nil {
      keepUp()
    } else if !isOwnCall(caller, app), !isWorkOfStep {
      while state.isStepDue, state.step(until: state.now, self) {}
    }
    if work != nil, let app, caller == nil { noteCaller(of: app) }
    return true
  }

  /// Acts on the actions that an event has caused. The lock is held.
  private func act(on event: Event, call name: StaticString) {
    var call = Call(event, named: name)
    state.act(&call, self)
    if state.deliverer != nil { state.deliverer = nil }
    if callDepth == 0 { state.resume() }
  }

  /// Whether an app makes this call from inside its own callback. Any other call takes effect after
  /// the step in progress (rule C2).
  private func isOwnCall(_ caller: AppProcess?, _ app: AppID?) -> Bool {
    guard let caller else { return false }
    return caller.core === self && caller.app == app
  }

  /// Whether the caller may act; false for a dead process.
  func isAllowed(_ caller: AppProcess?, _ app: AppID?) -> Bool {
    guard let caller, caller.core === self, caller.app == app else { return true }
    return caller.isAlive
  }

  /// Acts on due steps, releases the lock and delivers. The lock is held on entry and released
  /// on return.
  func leave(delivers: Bool = true, fromOutside isOutside: Bool = false, isTick: Bool = false) {
    let isTickComing = clock != nil && !isTick && isTickComing
    if let clock, !state.isClosed {
      state.catchUp(to: state.now, self)
      if !isTickComing { arm(clock) }
    }
    let journal = clock == nil || isTick ? nil : state.log.fullJournal
    let leavesWarnings = clock != nil && state.warnings.isUnattended
    if leavesWarnings { state.warnings.startHandingOver() }
    let mustDeliver = clock == nil && delivers && (work != nil || state.hasSomethingToDo)
    if clock == nil, state.outgoing.isEmpty {
      unlock()
    } else if clock == nil || isTickComing {
      letGo()
    } else {
      unlockAndHandOver(isTick: isTick)
    }
    if leavesWarnings { lane?.hurry { self.handOverWarnings() } }
    if mustDeliver { deliver(fromOutside: isOutside) }
    journal?.waitForRoom()
  }

  // MARK: Deliveries

  /// The result of a delivery.
  struct Outcome {
    var owesReturn = false
    /// The expiration handler that was called.
    var handler: BackgroundTaskIdentifier?
    /// The call of the process's host that was made.
    var hostCall: HostCalls.Call?
    var failure: String?
  }

  /// Tells the engine that a handler has returned, if its process is still alive.
  func finish(_ process: AppProcess, _ outcome: Outcome) {
    process.isBusy = false
    if let handler = outcome.handler { state.tasks.finishHandler(handler) }
    if let call = outcome.hostCall { state.finish(call, of: process) }
    guard !state.isClosed, process.isAlive else {
      // The process may hold the last reference to its delegate.
      state.outgoing.objects.append(process)
      return
    }
    var event: Event?
    if let failure = outcome.failure {
      state.apps[process.app].error = failure
      event = .crash(process.app, .abnormalExit)
    } else if outcome.owesReturn {
      event = .returned(process.app)
    }
    if let event { state.say(event) }
    var call = Call(event)
    state.act(&call, self)
  }

  // MARK: The end

  func close() {
    lock.lock()
    guard !state.isClosed else { return unlock() }
    let journal = state.close()
    letGo()
    journal?.end(on: lane)
    clock?.stop()
  }
}
