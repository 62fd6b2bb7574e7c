import CurfewEngine
import CurfewPolicy

/// What a device is, behind its lock: the engine, and what the engine does not know of its apps.
struct DeviceState: ~Copyable {
  struct AppRecord {
    let name: String
    let manifest: AppManifest
    var delegate: (any AppDelegate)?
    /// Who is told what the delegate has been told.
    var observers: [AppObserver] = []
    /// The app as an object, once somebody has asked for it.
    var object: AppObject?
    var process: AppProcess?
    /// The newest of its open tasks.
    var lastTask = UInt32.max
    /// The engine's number for its process, once it has begun a task.
    var processNumber: UInt32?
    /// How many tasks it has begun, and how many of them in former processes.
    var begunTasks = 0
    var begunBefore = 0
    /// How its Background App Refresh switch stands.
    var backgroundRefresh: BackgroundRefreshStatus
    /// What a handler threw that is about to end it.
    var error: String?
    var lastDecision: Decision?
    var lastDiagnostic: DeviceDiagnostic?
    /// How many of its next tasks a test denies.
    var tasksToDeny = 0
    /// On a virtual clock: who delivered the wakes that have been admitted and have not begun.
    var deliverers: [WakeID: CallSite] = [:]
    var ends = Recent<ProcessEnd>()
    var expirations = Recent<Expiration>()
    var taskRequests = TaskRequestRecords()
  }

  let policy: PolicyFile
  let initialFacts: DeviceFacts
  var driver: Driver
  var apps: ContiguousArray<AppRecord> = []
  var indices: [String: AppID] = [:]
  var tasks = OpenTasks()
  var texts = TextTable()
  /// Expiration handlers that are running, or on their way to their first line; those of dead processes too. As many as there are threads for them.
  var runningHandlers: ContiguousArray<BackgroundTaskIdentifier> = []
  var isClosed = false
  var hasRemovedApps = false
  /// Who ends by its own doing in the step that is being taken.
  var crashing: AppID?
  var counts = DeviceCounts()
  /// In real time.
  var lateness: DeviceLateness?
  /// Whether a deadline has brought about what is acted on.
  var isAdvancing = false

  /// Warnings that have been decided and not handed over to their processes yet, in order, from `firstWarning` on.
  var warnings: [Warning] = []
  var firstWarning = 0
  /// How many have been handed over since the lock was taken.
  var handedOver = 0
  /// Whether somebody is at it, slice by slice.
  var isHandingOver = false

  /// On a virtual clock: what is to be delivered, in order.
  private var outbox: [(process: AppProcess, delivery: Delivery)?] = []
  private var outboxFirst = 0
  private var outboxTaken = 0
  /// In real time: processes that the executor is to be given.
  var ready: [AppProcess] = []
  /// What is to be let go of outside the lock.
  var outgoing = Outgoing()

  /// Whether the clock's tick is at it.
  var isTicking = false
  /// What the clock is armed to.
  var armed = Instant.distantFuture
  var recording: Recording?
  /// What readers of actions are to be told; nil where there are none.
  var journal: ActionJournal?
  var diagnostics = Recent<DeviceDiagnostic>()
  var diagnosticReaders: [AsyncStream<DeviceDiagnostic>.Continuation] = []
  /// The call that is being made.
  var call: StaticString?
  /// Whether the present standstill has been told.
  var hasToldStandstill = false
  /// Who delivers a wake by it.
  var deliverer: CallSite?
  var jobs = JobRoom()
  /// On a virtual clock: who sleeps by it.
  var sleeps = DeviceSleeps()
  /// On a virtual clock with async work.
  var unownedWork = UnownedWorkRemark()
  /// Who waits for an app.
  var waiters: [(moment: AwaitedMoment, tell: @Sendable () -> Void)] = []

  init(policy: PolicyFile, facts: DeviceFacts, isRealTime: Bool) {
    self.policy = policy
    initialFacts = facts
    // Handlers that wait for a thread have not overrun (rule A10). On a virtual clock none waits.
    driver = Driver(
      Engine(policy: policy.policy, device: facts, limitsCountFrom: isRealTime ? .firstLine : .delivery),
      pace: isRealTime ? .late : .punctual)
    lateness = isRealTime ? .roomy : nil
  }

  var now: Instant { driver.now }

  /// Makes an app known, not running.
  mutating func add(_ name: String, _ manifest: AppManifest, _ delegate: (any AppDelegate)?) -> AppID {
    precondition(indices[name] == nil, "The device has an app '\(name)' already")
    let id = driver.addApp(manifest.numbered(names) { texts.number(of: $0) })
    apps.append(
      AppRecord(name: name, manifest: manifest, delegate: isClosed ? nil : delegate, backgroundRefresh: manifest.backgroundRefresh))
    indices[name] = id
    let (place, now) = (apps.count - 1, now)
    recording?.noteApp(place, at: now)
    return id
  }

  /// Tells the engine of an event, now. What follows is to be acted on.
  @discardableResult
  mutating func say(_ event: Event) -> Answer {
    // Whoever has been removed has no name any more by which a trace could tell of them: another may have it.
    if hasRemovedApps, let app = event.app, driver.engine.isRemoved(app) { return .nothing }
    if case .removeApp = event { hasRemovedApps = true }
    let now = now
    recording?.note(event, at: now)
    journal?.note(event)
    noteForExplanations(event)
    // A first line is the host's word, and no more work done.
    if case .began = event {} else { counts.events += 1 }
    return driver.ask(event)
  }

  /// Takes every step that is due, in real time: whatever has to be delivered is, meanwhile or later.
  mutating func catchUp(to instant: Instant, _ core: DeviceCore) {
    let instant = max(instant, now)
    guard let next = driver.nextInstant, next <= instant else { return }
    while step(until: instant, core) {}
  }

  /// Takes every step that is due, and lets the engine know the time.
  mutating func move(to instant: Instant, _ core: DeviceCore) {
    catchUp(to: instant, core)
    if instant > now { driver.move(to: instant) }
  }

  /// Takes the next step that is due until `limit`; false if none is.
  mutating func step(until limit: Instant, _ core: DeviceCore) -> Bool {
    // Asked first: a driver that finds nothing due takes it that apps are done, and they may be in
    // the middle of something.
    guard let next = driver.nextInstant, next <= limit, driver.step(until: limit) else { return false }
    let now = now
    recording?.noteAdvance(at: now)
    isAdvancing = true
    act(core)
    isAdvancing = false
    return true
  }

  /// What the engine has answered about an app, where it is a decision.
  func decision(_ answer: Answer, _ app: AppID) -> Decision? {
    if case .decision(let kind, let denied, let next) = answer { decision(app, kind, denied, next) } else { nil }
  }

  func decision(_ app: AppID, _ kind: AssertionKind, _ denied: DenialReasons, _ next: Instant?) -> Decision {
    let (name, denials) = (names.name(of: kind), policy.policy.denials(denied, of: kind))
    return Decision(
      app: apps[Int(app.rawValue)].name, instant: now, kind: name, reasons: denials, retryAfter: next.map { Duration($0 - now) },
      explanations: denied.isEmpty ? [] : policy.explanations(ofDenial: denials, kind: name, next: next, in: setting(of: app)))
  }

  /// What the policy calls its kinds, modes and facts.
  var names: PolicyNames { policy.policy.names }

  // MARK: Deliveries on a virtual clock

  mutating func send(_ delivery: Delivery, to process: AppProcess) { outbox.append((process, delivery)) }

  /// On a virtual clock: whether something is to be delivered, or due now. What the program's own objects do when they are let go of they see to themselves.
  var hasSomethingToDo: Bool { outboxFirst < outbox.count || !isClosed && driver.nextInstant.map { $0 <= now } ?? false }

  /// The place of what is to be delivered next: the first for somebody who is not being called already (rule A2).
  mutating func nextDelivery() -> Int? {
    while outboxFirst < outbox.count, outbox[outboxFirst] == nil { outboxFirst += 1 }
    guard outboxFirst < outbox.count else {
      outbox.removeAll(keepingCapacity: true)
      (outboxFirst, outboxTaken) = (0, 0)
      return nil
    }
    // The first may wait long, for somebody who is being called.
    if outboxTaken > 64, outboxTaken > outbox.count / 2 {
      outbox.removeAll { $0 == nil }
      (outboxFirst, outboxTaken) = (0, 0)
    }
    return outbox[outboxFirst...].firstIndex { $0.map { !$0.process.isBusy } ?? false }
  }

  /// Whether the process is to be called next, with an expiration handler.
  mutating func isExpirationNext(of process: AppProcess) -> Bool {
    guard let place = nextDelivery(), let next = outbox[place] else { return false }
    return next.process === process && next.delivery.handler != nil
  }

  /// Hands it over.
  mutating func takeDelivery(_ place: Int) -> (process: AppProcess, delivery: Delivery)? {
    outboxTaken += 1
    return outbox[place].take()
  }

  // MARK: The end

  mutating func takeOutgoing() -> Outgoing {
    let taken = outgoing
    outgoing = Outgoing()
    return taken
  }

  /// Forgets everything that could hold on to the program's own objects.
  mutating func close() {
    isClosed = true
    dropWarnings()
    for reader in diagnosticReaders { reader.finish() }
    diagnosticReaders = []
    tellWaiters()
    for sleep in sleeps.takeAll() { outgoing.notices.append { sleep.resume(throwing: CancellationError()) } }
    for app in apps.indices { if let job = jobs.leave(AppID(rawValue: UInt32(app))) { lose(job) } }
    for remains in tasks.removeAll() {
      if let whenLost = remains.whenLost { outgoing.notices.append(whenLost) }
      leaveOutHandler(of: remains, .deviceClosed)
      outgoing.add(remains)
    }
    for app in apps.indices {
      apps[app].lastTask = .max
      if let delegate = apps[app].delegate { outgoing.delegates.append(delegate) }
      outgoing.observers.append(contentsOf: apps[app].observers)
      if let object = apps[app].object { outgoing.objects.append(object) }
      (apps[app].delegate, apps[app].observers, apps[app].object) = (nil, [], nil)
      apps[app].taskRequests.scheduler = nil
      guard let process = apps[app].process else { continue }
      process.isAlive = false
      outgoing.notices += process.takeWaiters(nil)
      outgoing.handlers.append(process.takeHandlers())
      if process.isScheduled { outgoing.occupants.append(process.occupant) }
      outgoing.processes.append(process)
      apps[app].process = nil
    }
    for case let (process, delivery)? in outbox[outboxFirst...] {
      leaveOut(delivery)
      outgoing.processes.append(process)
    }
    outgoing.processes.append(contentsOf: ready)
    outbox.removeAll()
    (outboxFirst, outboxTaken) = (0, 0)
    ready.removeAll()
  }
}

/// The last of many: a device may live for months.
struct Recent<Element> {
  static var limit: Int { 1024 }

  private(set) var elements: [Element] = []
  /// How many have been forgotten.
  private var forgotten = 0

  /// - Returns: Its number among all.
  @discardableResult
  mutating func append(_ element: Element) -> Int {
    if elements.count == 2 * Recent.limit {
      elements.removeFirst(Recent.limit)
      forgotten += Recent.limit
    }
    elements.append(element)
    return forgotten + elements.count - 1
  }

  /// Changes the one of this number, unless it has been forgotten.
  mutating func change(_ number: Int, _ change: (inout Element) -> Void) {
    if number >= forgotten { change(&elements[number - forgotten]) }
  }
}

extension Duration {
  init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}

extension Interval {
  /// Whole nanoseconds, down; saturates.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum)
  }
}
