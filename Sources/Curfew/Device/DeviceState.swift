import CurfewEngine
import CurfewPolicy

/// The state behind a device's lock: the engine, and everything about apps and their handlers that
/// the engine does not keep.
///
/// Invariants: whenever the lock is released, an app has a process if and only if the app
/// is running according to the engine, and every open task belongs to an app. A closed device holds
/// no object of the program. The properties' types state their own invariants.
struct DeviceState: ~Copyable {
  let policy: PolicyFile
  var driver: Driver
  var apps = AppRecords()
  var tasks = OpenTasks()
  var texts = TextNumbers()
  var jobs = JobRoom()
  var warnings = Warnings()
  var outbox: Outbox
  /// Objects of the program that are to be released outside the lock.
  var outgoing = Outgoing()
  var log = DeviceLog()
  var counts = DeviceCounts()
  /// The lateness so far; nil on a virtual clock.
  var lateness: DeviceLateness?
  /// In real time: the deadline to which the clock is armed.
  var armed = Instant.distantFuture
  /// The place that delivers a wake, during its call. Used only on a virtual clock.
  var deliverer: CallSite?
  /// On a virtual clock: the tasks that sleep on the clock.
  var sleeps = DeviceSleeps()
  /// Used only on a virtual clock with async work.
  var unownedWork = UnownedWorkRemark()
  /// Callers that wait for an app or for the end of all jobs.
  var waiters: [(moment: AwaitedMoment, number: Int, tell: @Sendable () -> Void)] = []
  /// The last number that was given to a caller that can stop waiting.
  var waiterCount = 0
  private(set) var isClosed = false
  /// Whether nothing was due at `now` when a caller looked last, and nothing has happened since.
  /// The next begin of a task then need not look.
  var isAtRest = false

  init(policy: PolicyFile, facts: DeviceFacts, isRealTime: Bool) {
    self.policy = policy
    // A handler that waits for a thread has not overrun (rule A10). On a virtual clock no handler
    // waits for a thread.
    driver = Driver(
      Engine(
        policy: policy.policy, device: facts, limitsCountFrom: isRealTime ? .firstLine : .delivery),
      pace: isRealTime ? .late : .punctual)
    outbox = Outbox(isRealTime: isRealTime)
    lateness = isRealTime ? DeviceLateness() : nil
  }

  var now: Instant { driver.now }
  /// The policy's names of its kinds, modes and facts.
  var names: PolicyNames { policy.policy.names }
  /// Whether a step is due now, or a delivery waits for a process that is in no call.
  var hasWorkNow: Bool { mutating get { outbox.nextPlace() != nil || !isClosed && isStepDue } }
  /// Whether a step is due now, or a delivery waits. Objects to be released do not count: the next
  /// release of the lock handles them.
  var hasSomethingToDo: Bool { mutating get { !outbox.isEmpty || !isClosed && isStepDue } }
  /// Whether a step is due at this instant.
  var isStepDue: Bool {
    mutating get {
      if !isAtRest { isAtRest = !driver.isDue }
      return !isAtRest
    }
  }

  /// Adds an app that is not running yet.
  mutating func add(
    _ name: String, _ manifest: AppManifest, _ delegate: (any AppDelegate)?,
    _ host: (any ProcessHost)? = nil
  ) -> AppID {
    precondition(apps[named: name] == nil, "The device already has an app '\(name)'")
    let id = driver.addApp(manifest.numbered(names) { texts.number(of: $0) })
    apps.add(
      AppRecord(name, manifest, isClosed ? nil : delegate, isClosed ? nil : host), as: id)
    let now = now
    log.journal?.noteApp(id, at: now)
    return id
  }

  /// Passes an event to the engine at the current instant. The caller must then call `act`.
  @inline(__always) @discardableResult
  mutating func say(_ event: Event) -> EventAnswer {
    // A trace has no name for a removed app, because another app may have taken the name.
    if apps.hasRemoved, let app = event.app, driver.engine.isRemoved(app) { return .nothing }
    if log.journal != nil { log.note(event, at: now) }
    // Explanations need the status, which the engine does not report again.
    if case .setRefresh(let app?, let status) = event { apps[app].backgroundRefresh = status }
    // `.began` is bookkeeping; it is not counted as an event.
    if case .began = event {} else { counts.events += 1 }
    isAtRest = false
    return driver.ask(event)
  }

  // MARK: Steps

  /// Takes every step that is due, in real time. The resulting deliveries are performed meanwhile
  /// or later.
  mutating func catchUp(to instant: Instant, _ core: DeviceCore, _ cause: Call.Cause = .deadline) {
    let instant = max(instant, now)
    guard let next = driver.nextInstant, next <= instant else { return }
    var call = Call(cause)
    while step(until: instant, &call, core) {}
  }

  /// Takes every step that is due, and moves the engine's time.
  mutating func move(to instant: Instant, _ core: DeviceCore) {
    catchUp(to: instant, core)
    guard instant > now else { return }
    isAtRest = false
    driver.move(to: instant)
  }

  /// Takes the next step that is due by `limit`; returns false if there is none.
  mutating func step(until limit: Instant, _ core: DeviceCore) -> Bool {
    var call = Call(.deadline)
    return step(until: limit, &call, core)
  }

  private mutating func step(until limit: Instant, _ call: inout Call, _ core: DeviceCore) -> Bool {
    // Checked before `driver.step`: a driver that finds nothing due assumes that apps have
    // returned, but they may be in a callback.
    guard let next = driver.nextInstant, next <= limit, driver.step(until: limit) else {
      return false
    }
    isAtRest = false
    let now = now
    log.journal?.noteAdvance(at: now)
    act(&call, core)
    return true
  }

  // MARK: Decisions

  /// The decision about an app in an answer of the engine; nil if the answer has none.
  func decision(_ answer: EventAnswer, _ app: AppID) -> Decision? {
    if case .decision(let kind, let denied, let next) = answer {
      decision(app, kind, denied, next)
    } else {
      nil
    }
  }

  func decision(_ app: AppID, _ kind: AssertionKind, _ denied: DenialReasons, _ next: Instant?)
    -> Decision
  {
    let (name, denials) = (names.name(of: kind), policy.policy.denials(denied, of: kind))
    return Decision(
      app: apps[app].name, instant: now, kind: name, reasons: denials,
      retryAfter: next.map { Duration($0 - now) },
      explanations: denied.isEmpty
        ? [] : policy.explanations(ofDenial: denials, kind: name, next: next, in: setting(of: app)))
  }

  // MARK: The end

  /// Releases everything that could hold objects of the program.
  /// - Returns: The journal, whose readers finish outside the lock.
  mutating func close() -> ActionJournal? {
    isClosed = true
    counts.skippedHandlers += warnings.takeAll().count { $0.hasHandler }
    tellWaiters()
    for sleep in sleeps.takeAll() {
      outgoing.notices.append { sleep.resume(throwing: CancellationError()) }
    }
    for app in apps.ids { if let job = jobs.leave(app) { lose(job) } }
    for remains in tasks.removeAll() {
      if let whenLost = remains.whenLost { outgoing.notices.append(whenLost) }
      leaveOutHandler(of: remains, .deviceClosed)
      outgoing.add(remains)
    }
    for app in apps.ids {
      apps[app].lastTask = .max
      outgoing.objects += apps[app].takeObjects()
      if let process = apps[app].takeProcess() { end(process, nil) }
      if let process = apps[app].ending.take() { outgoing.objects.append(process) }
    }
    let (deliveries, ready) = outbox.takeAll()
    for (process, delivery) in deliveries {
      leaveOut(delivery)
      outgoing.objects.append(process)
    }
    outgoing.objects += ready
    log.journal?.noteClose(at: now, isStill: driver.standstill != nil)
    publishJournal()
    return log.close()
  }

  /// Ends a process. The process receives no further deliveries except its end.
  mutating func end(_ process: AppProcess, _ end: ProcessEnd?) {
    process.isAlive = false
    outgoing.notices += process.takeWaiters(end)
    outgoing.handlers.append(process.takeHandlers())
    outgoing.objects.append(process)
    if process.isScheduled { outgoing.occupants.append(process.occupant) }
    if let end { postEnd(end, to: process) }
  }
}
