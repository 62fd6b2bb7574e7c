/// Decides which apps may run in the background and for how long, and says why.
///
/// The engine is a value without a clock. Events and the time go in, actions come out, and the
/// engine names the instant at which it must be called next. A host does the waiting, represents
/// the outside world, and runs the engine with a `Driver`.
///
/// An engine is one device, or several devices that share nothing but the engine: "the foreground"
/// of the rules is the policy's limit for all apps of the engine.
///
/// Each concern has a component of its own, and only that component changes its data. The engine's
/// extensions connect the components.
public struct Engine: ~Copyable {
  /// The rules' values, fixed for the engine's life.
  public let policy: Policy
  /// The facts of the device.
  public internal(set) var deviceFacts: DeviceFacts
  /// Whether the battery is low: it is below the low level, or was below it and has not risen
  /// to the reset level since.
  var isBatteryLow: Bool
  /// The device's part in the circumstances of admissions.
  var device: Circumstances
  let rows: AdmissionTable

  /// The instant of the last call. It never decreases (rule C1).
  public internal(set) var now = Instant.zero

  var apps: AppTable
  var declarations = Declarations()
  var assertions: Assertions
  /// The items that wait for run loops.
  var items: Slab<RunLoopItem>
  var timers: TimerQueue
  var limits: CallbackTimes
  var busyWatch = BusyWatch()
  /// The number of apps whose run loops are busy.
  var calls = 0
  /// The unfinished part of a device-wide step.
  var agenda = Line<AgendaItem>()
  /// The suspensions that are due now, in order. Cancelled suspensions may be among them, but never
  /// at the front.
  var dueSuspensions = Line<DueSuspension>()

  var foreground: Foreground
  var lock = DeviceLock()
  var schedules: Schedules
  var budgets: Budgets
  let groups: Groups
  var requests: Requests
  var notifications: Notifications
  var posts: Posts
  var completedWakes = CompletedWakes()
  var processor: Processor
  var memory: MemoryLedger

  /// Always nil. A value with a weak reference cannot be moved in registers, so the compiler passes
  /// the engine by address. Otherwise it would copy the engine to the stack for every call that
  /// only reads (decision 0006).
  private weak var anchor: Anchor?
  private final class Anchor: Sendable {}

  /// Creates an engine without apps, with room for `minimumCapacity` of them.
  public init(
    policy: Policy, device: DeviceFacts = DeviceFacts(), minimumCapacity: Int = 16,
    limitsCountFrom limitStart: LimitStart = .delivery
  ) {
    policy.checkPreconditions()
    BitBudgets.check()
    self.policy = policy
    deviceFacts = device
    isBatteryLow = policy.isLow(device.battery, before: false)
    self.device = Circumstances(device, isBatteryLow: isBatteryLow, under: policy)
    rows = AdmissionTable(policy)
    apps = AppTable(minimumCapacity: minimumCapacity)
    assertions = Assertions(ageWarning: policy.tasks.ageWarning)
    items = Slab()
    timers = TimerQueue()
    limits = CallbackTimes(from: limitStart)
    foreground = Foreground(limit: policy.foregroundLimit)
    schedules = Schedules(policy)
    budgets = Budgets(policy)
    groups = Groups(policy)
    requests = Requests()
    notifications = Notifications(kept: policy.notifications.kept)
    posts = Posts(policy.notifications)
    processor = Processor(policy.cpu)
    memory = MemoryLedger(policy.memory, capacity: device.memory)
  }

  private init(copying other: borrowing Engine) {
    (policy, deviceFacts, device, rows, now) = (
      other.policy, other.deviceFacts, other.device, other.rows, other.now
    )
    apps = other.apps.copy()
    declarations = other.declarations
    assertions = other.assertions.copy()
    items = other.items.copy()
    timers = other.timers.copy()
    agenda = other.agenda.copy()
    dueSuspensions = other.dueSuspensions.copy()
    isBatteryLow = other.isBatteryLow
    (limits, calls, foreground) = (other.limits, other.calls, other.foreground)
    busyWatch = other.busyWatch
    (lock, memory) = (other.lock, other.memory)
    schedules = other.schedules.copy()
    budgets = other.budgets.copy()
    groups = other.groups
    requests = other.requests.copy()
    notifications = other.notifications.copy()
    posts = other.posts.copy()
    completedWakes = other.completedWakes.copy()
    processor = other.processor.copy()
  }

  /// Returns a separate engine in the same state: the same events get the same answers.
  /// - Complexity: O(apps + assertions + deadlines).
  package func copy() -> Engine { Engine(copying: self) }

  /// Adds an app, which is not running. Apps are served in the order in which they were added.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID {
    let app = apps.add(EngineApp(flags: AppFlags(manifest, under: policy)))
    setDeclaration(Declaration(modes: manifest.backgroundModes, facts: manifest.facts), of: app)
    limits.addApp()
    requests.permit(manifest.permittedIdentifiers, to: app)
    if let footprint = manifest.footprint { apps[extras: app].footprint = footprint }
    if let limit = manifest.memoryLimit { apps[extras: app].memoryLimit = limit }
    if let cost = manifest.startCost { noteStartCost(cost, of: app) }
    if manifest.handlesWakeExpiration { apps[extras: app].handlesWakeExpiration = true }
    noteLastUse(of: app)
    return app
  }

  /// The point from which callbacks' limits count, fixed for the engine's life.
  package var limitStart: LimitStart { limits.start }

  /// The number of apps.
  package var appCount: Int { apps.count }

  /// The state of an app.
  public func state(of app: AppID) -> AppState { apps[known(app)].state }

  /// `backgroundTimeRemaining`: the remaining grant. Nil, which means infinite, while the task
  /// clock does not run (rule F10).
  public func backgroundTimeRemaining(of app: AppID) -> Interval? {
    guard apps[known(app)].flags.contains(.clockRuns) else { return nil }
    return Interval(nanoseconds: max(0, apps[app].clock - now.nanoseconds))
  }

  /// The number of tasks that an app holds open.
  public func openTaskCount(of app: AppID) -> Int { Int(apps[known(app)].openTasks) }

  /// Whether an app's run loop is busy, so that it owes a `returned`.
  package func owesReturn(_ app: AppID) -> Bool { apps[known(app)].delivery != .none }

  /// Whether an app owes a `returned` and has not begun, so that a `began` is legal.
  package func owesBegin(_ app: AppID) -> Bool {
    apps[known(app)].delivery != .none && !apps[app].flags.contains(.hasBegun)
  }
}
