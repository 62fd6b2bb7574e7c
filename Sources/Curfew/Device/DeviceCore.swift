import CurfewEngine
import CurfewPolicy
import CurfewSystem
internal import Foundation

/// A device behind its lock. Everything that happens to it goes through `tell`, `run` or `tick`.
///
/// Handlers run outside the lock: in real time on the executor, on a virtual clock on the thread
/// that caused them, advances the clock, or is delivering just then.
final class DeviceCore: @unchecked Sendable {
  let policy: PolicyFile
  /// nil for a virtual clock.
  let clock: (any RealTimeClock)?
  /// The device at instant zero.
  let initialFacts: DeviceFacts
  /// The date at instant zero.
  let startDate: Date
  let executor: any HandlerExecutor
  /// The executor, where it is threads that a dead process's handler may keep.
  let threads: HandlerThreads?
  /// Whether handlers may also run on a thread of the clock's: not where the program has named
  /// an executor.
  let mayUseClocksThread: Bool
  /// Whether apps are called on the main actor, on a virtual clock too.
  let callsOnMainActor: Bool
  /// In real time, for what must not wait for handlers.
  let lane: DeviceLane?
  let lock = Lock()
  /// Behind a pointer: whoever comes to it holds the lock, and Swift's own check that nobody else
  /// is at it costs as much as a begin does.
  private let statePointer = UnsafeMutablePointer<DeviceState>.allocate(capacity: 1)
  var state: DeviceState {
    _read { yield statePointer.pointee }
    _modify { yield &statePointer.pointee }
  }
  /// On a virtual clock: the thread that delivers, how deep it is in handlers that advance
  /// the clock themselves, and whether it is one of async work's.
  var pump: (thread: ThreadID, depth: Int, isWork: Bool)?
  /// On a virtual clock: how many calls are under way, the work at their instants included.
  var callDepth = 0
  /// On a virtual clock: how many times async work is coming to rest after a call.
  var workDepth = 0
  /// On a virtual clock: who runs async work for the device. Set before anything happens, and taken
  /// away at the end.
  package var work: (any VirtualWork)?
  /// In debug builds: how large a device the releases of the lock since the last walk would have
  /// paid for.
  var paidSize = 0

  init(
    policy: PolicyFile, clock: (any RealTimeClock)?, facts: DeviceFacts, startDate: Date,
    executor: (any HandlerExecutor)?
  ) {
    self.policy = policy
    self.clock = clock
    initialFacts = facts
    self.startDate = startDate
    self.executor = executor ?? HandlerThreads()
    threads = self.executor as? HandlerThreads
    mayUseClocksThread = executor == nil
    callsOnMainActor = executor is MainActorExecutor
    lane = clock == nil ? nil : DeviceLane()
    statePointer.initialize(to: DeviceState(policy: policy, facts: facts, isRealTime: clock != nil))
    clock?.start { [weak self] in self?.tick() }
  }

  deinit {
    statePointer.deinitialize(count: 1)
    statePointer.deallocate()
  }

  /// Looks at the device as it stands, or changes what the engine does not see.
  func withState<Result>(_ body: (inout DeviceState) -> Result) -> Result {
    lock.lock()
    defer { unlock() }
    return body(&state)
  }

  /// Releases the lock; debug builds check before whether the device contradicts itself.
  func unlock() {
    checkInvariants()
    lock.unlock()
  }

  /// Looks at the device as it is now.
  func query<Result>(_ body: (inout DeviceState) -> Result) -> Result {
    lock.lock()
    keepUp()
    let result = body(&state)
    // A query never runs handlers.
    leave(delivers: false)
    return result
  }

  /// The time: the clock's, or where a virtual one stands.
  var now: Instant { lock.withLock { clock.map { max($0.now(), state.now) } ?? state.now } }

  // MARK: What happens

  /// Tells the engine what happens now, and does what follows.
  func tell(_ event: Event, by app: AppID? = nil, call: StaticString = #function) {
    tell(by: app, call: call) { _ in event }
  }

  /// The same with an event that is made under the lock; none if `event` answers nil.
  func tell(
    by app: AppID? = nil, call: StaticString = #function, _ event: (inout DeviceState) -> Event?
  ) {
    tell(by: app, call: call, event) { _, _ in }
  }

  /// Tells the engine of something that is admitted or denied.
  /// - Returns: What was decided; nil where nothing had to be.
  func decide(
    _ event: Event, about app: AppID, by caller: AppID? = nil, call: StaticString = #function
  ) -> Decision? {
    tell(by: caller, call: call) { _ in
      event
    } answered: { state, answer in
      state.decision(answer, app)
    } ?? nil
  }

  /// Tells the engine of an event that is made under the lock, and does what follows.
  ///
  /// - Parameters:
  ///   - call: What a diagnostic names: the function of the API.
  ///   - deliverer: The place that delivers a wake by this call.
  ///   - delivers: On a virtual clock, whether what is due is delivered before this returns. Else
  ///     it waits for whoever comes next and does.
  ///   - answered: Gets the engine's answer, before anything is acted on.
  /// - Returns: nil where there is no event, where the device is closed, or where the call comes
  ///   from a process that has ended.
  @discardableResult
  func tell<Result>(
    by app: AppID? = nil, call: StaticString = #function, from deliverer: CallSite? = nil,
    delivers: Bool = true,
    _ event: (inout DeviceState) -> Event?,
    answered: (inout DeviceState, Answer) -> Result
  ) -> Result? {
    let caller = app == nil ? nil : AppProcess.current ?? work?.owner as? AppProcess
    lock.lock()
    // The user and the world come when the apps are done with what they were called for.
    if app == nil { noteTestCode() }
    if app == nil, clock == nil, mayDeliver(fromOutside: true) { pumpOnce() }
    guard !state.isClosed else {
      state.note(.deviceClosed, of: app, call: call)
      unlock()
      return nil
    }
    if clock != nil {
      keepUp()
    } else if !isOwnCall(caller, app), !isWorkOfStep {
      while state.step(until: state.now, self) {}
    }
    if let app, caller == nil { noteCaller(of: app) }
    var result: Result?
    // Only now: what was due meanwhile may have been the caller's own end.
    if !isAllowed(caller, app) {
      state.note(.deadProcess, of: app, call: call)
    } else if let event = event(&state) {
      let answer = state.say(event)
      result = answered(&state, answer)
      var call = Call(event, named: call, from: deliverer)
      state.act(&call, self)
      if callDepth == 0 { state.resume() }
    }
    // The runner of async work takes the steps that follow from it, once all of it is at rest at
    // this instant.
    let isOwnWork = isOwnCall(caller, app) && work?.isHere == true
    leave(delivers: delivers && !isOwnWork, fromOutside: app == nil)
    return result
  }

  /// Whether an app calls from inside what it is being called with; anything else comes when
  /// the step is over that is under way (rule C2).
  private func isOwnCall(_ caller: AppProcess?, _ app: AppID?) -> Bool {
    guard let caller else { return false }
    return caller.core === self && caller.app == app
  }

  /// A dead process does nothing any more.
  func isAllowed(_ caller: AppProcess?, _ app: AppID?) -> Bool {
    guard let caller, caller.core === self, caller.app == app else { return true }
    return caller.isAlive
  }

  /// The lock is held on the way in and not on the way out.
  func leave(delivers: Bool = true, fromOutside isOutside: Bool = false, isTick: Bool = false) {
    let isTickComing = !isTick && isTickComing
    if let clock, !state.isClosed {
      state.catchUp(to: state.now, self)
      if !isTickComing { arm(clock) }
    }
    let leavesWarnings = clock != nil && state.warnings.isUnattended
    if leavesWarnings { state.warnings.startHandingOver() }
    let mustDeliver = clock == nil && delivers && (work != nil || state.hasSomethingToDo)
    if clock == nil || isTickComing { letGo() } else { unlockAndHandOver(isTick: isTick) }
    if leavesWarnings { lane?.hurry { self.handOverWarnings() } }
    if mustDeliver { deliver(fromOutside: isOutside) }
  }

  // MARK: Deliveries

  /// What came of a delivery.
  struct Outcome {
    var owesReturn = false
    /// The expiration handler that was called.
    var handler: BackgroundTaskIdentifier?
    var failure: String?
  }

  /// Tells the engine that a handler has come back, if its process still lives.
  func finish(_ process: AppProcess, _ outcome: Outcome) {
    process.isBusy = false
    if let handler = outcome.handler { state.tasks.finishHandler(handler) }
    guard !state.isClosed, process.isAlive else {
      // It may be the last to know its delegate.
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
