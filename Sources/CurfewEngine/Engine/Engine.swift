/// Decides which apps may run in the background, for how long, and says why.
///
/// The engine is a value without a clock. Events and the time go in, actions come out, and it says
/// when it next wants to be asked. A host owns the waiting and the world, and has a `Driver` run
/// the engine for it.
///
/// One device, or several that share nothing but the engine: what the rules call "the foreground"
/// is the policy's limit for all apps here.
///
/// Each matter has a room of its own, which alone changes what lies in it; the engine's extensions
/// lead from one to the next.
public struct Engine: ~Copyable {
  /// The rules' values. Fixed for the engine's life.
  public let policy: Policy
  /// What the device is like.
  public internal(set) var deviceFacts: DeviceFacts
  /// Whether its battery is under the level at which it is low, or was and has not risen to the one
  /// at which it is no more.
  var isBatteryLow: Bool
  /// What that means to admissions.
  var device: Circumstances
  let rows: AdmissionTable

  /// The instant of the last call (rule C1: never goes back).
  public internal(set) var now = Instant.zero

  var apps: AppTable
  var declarations = Declarations()
  var assertions: Assertions
  /// What waits for run loops.
  var items: Slab<RunLoopItem>
  var timers: TimerQueue
  var limits: CallbackTimes
  /// How many apps' run loops are in the middle of something.
  var calls = 0
  /// What is left of a device-wide step.
  var agenda = Line<AgendaItem>()
  /// Apps whose suspension is due now, in order. Among them are some that are to be suspended no
  /// more, but never first.
  var dueSuspensions = Line<DueSuspension>()

  var foreground: Foreground
  var lock = DeviceLock()
  var schedules: Schedules
  var budgets: Budgets
  let groups: Groups
  var requests: Requests
  var notifications: Notifications
  var posts: Posts
  var processor: Processor
  var memory: MemoryLedger

  /// Always nil. A value with a weak reference cannot be moved about in registers, so the compiler
  /// lends the engine by its address, where it would copy all of it to the stack for every call
  /// that only reads (decision 0006).
  private weak var anchor: Anchor?
  private final class Anchor: Sendable {}

  /// An engine without apps, with room for so many before it has to grow.
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
    (lock, memory) = (other.lock, other.memory)
    schedules = other.schedules.copy()
    budgets = other.budgets.copy()
    groups = other.groups
    requests = other.requests.copy()
    notifications = other.notifications.copy()
    posts = other.posts.copy()
    processor = other.processor.copy()
  }

  /// An engine of its own in the same state: what both are told alike, they answer alike.
  /// - Complexity: O(apps + assertions + deadlines).
  package func copy() -> Engine { Engine(copying: self) }

  /// Makes an app known, not running. Apps are served in the order in which they were added.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID {
    let app = apps.add(App(flags: AppFlags(manifest, under: policy)))
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

  /// From when callbacks' limits count. Fixed as well.
  package var limitStart: LimitStart { limits.start }

  /// How many apps there are.
  package var appCount: Int { apps.count }

  /// The state an app is in.
  public func state(of app: AppID) -> AppState { apps[known(app)].state }

  /// `backgroundTimeRemaining`: what is left of the grant; nil, for infinite, while its clock does
  /// not run (rule F10).
  public func backgroundTimeRemaining(of app: AppID) -> Interval? {
    guard apps[known(app)].flags.contains(.clockRuns) else { return nil }
    return Interval(nanoseconds: max(0, apps[app].clock - now.nanoseconds))
  }

  /// How many tasks an app holds open.
  public func openTaskCount(of app: AppID) -> Int { Int(apps[known(app)].openTasks) }

  /// Whether an app's run loop is in the middle of something, so that it owes a `returned`.
  package func owesReturn(_ app: AppID) -> Bool { apps[known(app)].delivery != .none }

  /// Whether it is, and its first line has not been told: a `began` would make sense.
  package func owesBegin(_ app: AppID) -> Bool {
    apps[known(app)].delivery != .none && !apps[app].flags.contains(.hasBegun)
  }
}
