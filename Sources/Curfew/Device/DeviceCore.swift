internal import CurfewEngine
internal import CurfewFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A device behind its lock. Everything that happens to it goes through `tell`, `run` or `tick`.
///
/// Handlers run outside the lock: in real time on the executor, on a virtual clock on the thread that caused them, advances the clock, or is delivering just then.
final class DeviceCore: @unchecked Sendable {
  let policy: PolicyFile
  /// nil for a virtual clock.
  let clock: (any RealTimeClock)?
  private let executor: any HandlerExecutor
  /// The executor, where it is threads that a dead process's handler may keep.
  private let threads: HandlerThreads?
  /// Whether handlers may also run on a thread of the clock's: not where the program has named an executor.
  private let mayUseClocksThread: Bool
  /// In real time, for what must not wait for handlers.
  private let lane: DeviceLane?
  private let lock = Lock()
  private var state: DeviceState
  /// On a virtual clock: the thread that delivers, and how deep it is in handlers that advance the clock themselves.
  private var pump: (thread: pthread_t, depth: Int)?

  init(policy: PolicyFile, clock: (any RealTimeClock)?, facts: DeviceFacts, executor: (any HandlerExecutor)?) {
    self.policy = policy
    self.clock = clock
    self.executor = executor ?? HandlerThreads()
    threads = self.executor as? HandlerThreads
    mayUseClocksThread = executor == nil
    lane = clock == nil ? nil : DeviceLane()
    state = DeviceState(policy: policy, facts: facts, isRealTime: clock != nil)
    clock?.start { [weak self] in self?.tick() }
  }

  /// Looks at the device as it stands, or changes what the engine does not see.
  func withState<Result>(_ body: (inout DeviceState) -> Result) -> Result { lock.withLock { body(&state) } }

  /// Looks at the device as it is now.
  func query<Result>(_ body: (inout DeviceState) -> Result) -> Result {
    lock.lock()
    if let clock, !state.isClosed { state.move(to: clock.now(), self) }
    let result = body(&state)
    // Who looks calls nobody.
    leave(delivers: false)
    return result
  }

  /// The time: the clock's, or where a virtual one stands.
  var now: Instant { lock.withLock { clock.map { max($0.now(), state.now) } ?? state.now } }

  // MARK: What happens

  /// Tells the engine what happens now, and does what follows. `answer` looks at the actions before they are acted on.
  /// - Returns: nil where the device is closed, or where the call comes from a process that has ended.
  @discardableResult
  func tell<Answer>(_ event: Event, by app: AppID? = nil, _ answer: (inout DeviceState) -> Answer) -> Answer? {
    tell(by: app, { _ in event }, answer)
  }

  func tell(_ event: Event, by app: AppID? = nil) { tell(by: app, { _ in event }, { _ in }) }

  /// The same with an event that is made under the lock; none if `event` answers nil.
  ///
  /// - Parameter delivers: On a virtual clock, whether what is due is delivered before this returns. Else it waits for whoever comes next and does.
  @discardableResult
  func tell<Answer>(
    by app: AppID? = nil, delivers: Bool = true, _ event: (inout DeviceState) -> Event?, _ answer: (inout DeviceState) -> Answer
  ) -> Answer? {
    let caller = app == nil ? nil : AppProcess.current
    lock.lock()
    // The user and the world come when the apps are done with what they were called for.
    if app == nil, clock == nil, pump == nil { pumpOnce() }
    guard !state.isClosed else {
      lock.unlock()
      return nil
    }
    if let clock { state.move(to: clock.now(), self) }
    var result: Answer?
    // Only now: what was due meanwhile may have been the caller's own end.
    if isAllowed(caller, app), let event = event(&state) {
      state.handle(event, at: state.now)
      result = answer(&state)
      state.act(self)
    }
    leave(delivers: delivers)
    return result
  }

  /// A dead process does nothing any more.
  private func isAllowed(_ caller: AppProcess?, _ app: AppID?) -> Bool {
    guard let caller, caller.core === self, caller.app == app else { return true }
    return caller.isAlive
  }

  /// The lock is held on the way in and not on the way out.
  private func leave(delivers: Bool = true, isTick: Bool = false) {
    let isTickComing = !isTick && isTickComing
    if let clock, !state.isClosed {
      state.catchUp(to: state.now, self)
      if !isTickComing { arm(clock) }
    }
    let isHandingOver = state.hasWarnings && !state.isHandingOver
    if isHandingOver { state.isHandingOver = true }
    state.handedOver = 0
    if isTickComing { letGo() } else { unlockAndHandOver(isTick: isTick) }
    if isHandingOver { lane?.hurry { self.handOverWarnings() } }
    if clock == nil, delivers { deliver() }
  }

  /// Whether what the clock is armed to has passed: then its tick is on its way, and quicker than a thread that would have to be called. The lock is held, here and below.
  private var isTickComing: Bool {
    guard mayUseClocksThread, let clock, !state.isClosed, state.armed <= state.now else { return false }
    return clock.ticksAtOnce
  }

  /// Whether `leave` has more to do than to let go of the lock.
  private var hasMoreToHandOver: Bool {
    !state.leftovers.isEmpty || state.hasWarnings && !state.isHandingOver || !state.ready.isEmpty && !isTickComing
  }

  /// Has processes called that are to be, and lets go of what is not wanted any more. The lock is held on the way in and not on the way out.
  private func unlockAndHandOver(isTick: Bool = false) {
    let ready = state.ready
    if !ready.isEmpty { state.ready.removeAll(keepingCapacity: true) }
    letGo(isTick: isTick)
    handOver(ready, isTick: isTick)
  }

  /// Hands over what a large step has left, in slices between which others come to the device. On the lane.
  private func handOverWarnings() {
    lock.lock()
    while state.hasWarnings {
      state.handedOver = 0
      state.handOverWarnings(self)
      unlockAndHandOver()
      lock.lock()
    }
    state.isHandingOver = false
    lock.unlock()
  }

  /// Has processes called that were given something while nobody was calling them, in real time: by the executor, or by the lane if no handler of the program's comes
  /// first. The first that a tick has found may be called on the tick's own thread, where no other has to wake up for it (decision 0010).
  private func handOver(_ ready: [AppProcess], isTick: Bool) {
    var mayRunHere = isTick && mayUseClocksThread
    for process in ready {
      if process.startsOnLane, let lane {
        lane.cancel { self.run(process, isOnLane: true) }
      } else if mayRunHere, let clock, clock.runAfterTick({ self.run(process) }) {
        mayRunHere = false
      } else {
        execute(process)
      }
    }
  }

  private func execute(_ process: AppProcess) {
    if let threads { threads.execute(for: process.occupant) { self.run(process) } } else { executor.execute { self.run(process) } }
  }

  /// Lets go of what the program had handed over and has no use any more. The lock is held on the way in and not on the way out.
  ///
  /// - Parameter isTick: Then nothing of the program's ends here, on the loop's thread, but on the executor's.
  private func letGo(isTick: Bool = false) {
    guard !state.leftovers.isEmpty else { return lock.unlock() }
    var leftovers = state.takeLeftovers()
    let occupants = leftovers.occupants
    leftovers.occupants = []
    lock.unlock()
    if let threads { for occupant in occupants { threads.abandon(occupant) } }
    leftovers.tell(on: lane)
    guard isTick, !leftovers.isEmpty else { return }
    let parcel = LeftoversParcel(leftovers)
    // The last hold on any of it is the parcel's.
    leftovers = Leftovers()
    executor.execute { parcel.open() }
  }

  // MARK: Deliveries

  /// What came of a delivery.
  private struct Outcome {
    var owesReturn = false
    /// The expiration handler that was called.
    var handler: BackgroundTaskIdentifier?
    var failure: String?
  }

  /// Tells the engine that a handler has come back, if its process still lives.
  private func finish(_ process: AppProcess, _ outcome: Outcome) {
    process.isBusy = false
    if let handler = outcome.handler { state.noteReturn(of: handler) }
    guard !state.isClosed, process.isAlive else {
      // It may be the last to know its delegate.
      state.leftovers.processes.append(process)
      return
    }
    if let failure = outcome.failure {
      state.apps[Int(process.app.rawValue)].error = failure
      state.handle(.crash(process.app, .abnormalExit), at: state.now)
    } else if outcome.owesReturn {
      state.handle(.returned(process.app), at: state.now)
    }
    state.act(self)
  }

  // MARK: Real time

  private func arm(_ clock: any RealTimeClock) {
    let next = state.engine.nextDeadline ?? .distantFuture
    guard next != state.armed else { return }
    state.armed = next
    clock.arm(next == .distantFuture ? nil : next)
  }

  /// The clock has come to a deadline.
  private func tick() {
    guard let clock else { return }
    lock.lock()
    guard !state.isClosed else { return lock.unlock() }
    // Whatever it was armed to has gone off.
    state.armed = .distantFuture
    state.isTicking = true
    state.catchUp(to: clock.now(), self)
    state.isTicking = false
    leave(isTick: true)
    threads?.retry()
  }

  /// Delivers to a process what waits for it, one after the other, on a thread of the executor's or the clock's; on the lane, until a handler of the program's comes.
  private func run(_ process: AppProcess, isOnLane: Bool = false) {
    lock.lock()
    if let clock, !state.isClosed { state.move(to: clock.now(), self) }
    while process.isAlive, process.hasNext {
      // What others are to be told comes before a handler that may take long, and before its first line is told.
      if hasMoreToHandOver {
        leave()
        lock.lock()
        if let clock, !state.isClosed { state.move(to: clock.now(), self) }
        continue
      }
      if isOnLane, !process.nextOnlyCancels {
        leave()
        return execute(process)
      }
      guard let outcome = callNext(process) else { continue }
      lock.lock()
      if let clock, !state.isClosed { state.move(to: clock.now(), self) }
      finish(process, outcome)
    }
    process.isScheduled = false
    // Nothing is left of a process that lives.
    for delivery in process.empty() { state.leaveOut(delivery) }
    leave()
  }

  /// Calls a process with what waits for it first, once the engine knows that this begins (rule A10) and others have what they are to be told. The lock is held on the way in, and not
  /// on the way out: by then what it was called with is gone, which may hold the last of something of the program's.
  ///
  /// - Returns: nil where it was not to be called any more; then the lock is still held.
  private func callNext(_ process: AppProcess) -> Outcome? {
    guard let delivery = process.next() else { return nil }
    let owesReturn = delivery.owesReturn
    guard state.isWanted(delivery) else {
      state.leftovers.deliveries.append(delivery)
      finish(process, Outcome(owesReturn: owesReturn))
      return nil
    }
    if owesReturn { state.handle(.began(process.app), at: state.now) }
    if let clock, !isTickComing { arm(clock) }
    state.handedOver = 0
    lock.unlock()
    return Outcome(owesReturn: owesReturn, handler: delivery.handler, failure: process.perform(delivery))
  }

  // MARK: A virtual clock

  /// Delivers what there is to deliver and takes what steps are due now, unless somebody is at it, who will come to it.
  private func deliver() {
    lock.lock()
    if pump == nil { pumpOnce() }
    lock.unlock()
  }

  /// The lock is held on the way in and out.
  private func pumpOnce() {
    pump = (pthread_self(), 1)
    settle()
    pump = nil
    lock.broadcast()
  }

  /// Until nothing is left to do at this instant (rule C2). The lock is held on the way in and out.
  private func settle() {
    while true {
      if !state.leftovers.isEmpty {
        letGo()
        lock.lock()
      } else if state.isClosed {
        return
      } else if let place = state.nextDelivery() {
        let (process, outcome) = callNext(place)
        lock.lock()
        if let process { finish(process, outcome) }
      } else if let deadline = state.engine.nextDeadline, deadline <= state.now {
        _ = state.advanceOnce(to: state.now, self)
      } else {
        return
      }
    }
  }

  /// The lock is held on the way in and not on the way out: by then what the process was called with is gone.
  private func callNext(_ place: Int) -> (AppProcess?, Outcome) {
    guard let (process, delivery) = state.takeDelivery(place) else {
      lock.unlock()
      return (nil, Outcome())
    }
    let isCalled = process.isAlive && state.isWanted(delivery)
    if isCalled { process.isBusy = true }
    if !process.isAlive { state.leaveOut(delivery) }
    lock.unlock()
    guard isCalled else { return (process, Outcome(owesReturn: delivery.owesReturn)) }
    return (process, Outcome(owesReturn: delivery.owesReturn, handler: delivery.handler, failure: process.perform(delivery)))
  }

  /// Lets time pass on a virtual clock, and everything happen that is due meanwhile. What other threads let pass comes before or after.
  ///
  /// - Parameter condition: Looked at after every instant at which something happened; true ends it there.
  /// - Returns: Whether the condition ended it.
  @discardableResult
  func advance(by interval: Interval, until condition: ((borrowing DeviceState) -> Bool)? = nil) -> Bool {
    precondition(clock == nil, "advance(by:) is for a virtual clock; a real one goes by itself")
    lock.lock()
    defer { lock.unlock() }
    // Another thread is in the middle of what it has caused: time stands still until it is done.
    while let pump, pthread_equal(pump.thread, pthread_self()) == 0 { lock.wait() }
    let end = state.now + interval
    let depth = pump?.depth ?? 0
    pump = (pthread_self(), depth + 1)
    defer {
      pump = depth > 0 ? (pthread_self(), depth) : nil
      lock.broadcast()
    }
    settle()
    while !state.isClosed {
      if let condition, condition(state) { return true }
      guard let deadline = state.engine.nextDeadline, deadline <= end else { break }
      _ = state.advanceOnce(to: max(deadline, state.now), self)
      settle()
    }
    if !state.isClosed, end > state.now { state.move(to: end, self) }
    return false
  }

  // MARK: The end

  func close() {
    lock.lock()
    let wasClosed = state.isClosed
    if !wasClosed { state.close() }
    let journal = state.journal
    state.journal = nil
    letGo()
    journal?.end(on: lane)
    if !wasClosed { clock?.stop() }
  }
}
