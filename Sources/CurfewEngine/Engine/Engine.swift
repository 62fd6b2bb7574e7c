/// Decides which apps may run in the background, for how long, and says why.
///
/// The engine is a value without a clock. Events and the time go in (`handle`), actions come out, and it says when it next wants to be asked
/// (`nextDeadline`, `advance`). A host owns the waiting and the world; see `handle(_:at:into:)` for the loop that every host runs.
///
/// One device, or several that share nothing but the engine: what the rules call "the foreground" is the policy's limit for all apps here.
public struct Engine: ~Copyable {
  /// The rules' values. Fixed for the engine's life.
  public let policy: Policy
  /// What the device is like.
  public internal(set) var deviceFacts: DeviceFacts
  /// What that denies.
  var device: DenialReasons
  /// The sessions' and wakes' rows by kind, so that an admission looks nothing up.
  let rows: ContiguousArray<AdmissionRow>

  /// From when callbacks' limits count. Fixed as well.
  public let limitStart: LimitStart

  /// The instant of the last call (rule C1: never goes back).
  public internal(set) var now = Instant.zero

  var apps: Slab<App>
  var assertions: Slab<Assertion>
  var items: Slab<RunLoopItem>
  var timers: TimerQueue

  /// What is left of a device-wide step.
  var agenda: ContiguousArray<AgendaItem> = []
  var agendaDone = 0

  /// The limit that was set last, as long as it may yet be taken away unseen.
  var pendingLimit: PendingLimit?
  /// Where limits count from first lines, by app: when willFinishLaunching began; once it has returned, how much of the launch is used up. Both in nanoseconds.
  var launchTimes: ContiguousArray<Int64> = []
  /// Apps whose suspension is due now, in order; an app whose flag has gone since is passed over.
  var dueSuspensions: ContiguousArray<DueSuspension> = []
  var dueSuspensionsDone = 0

  /// The apps in the foreground, longest there first; kept only where the policy limits them.
  var front: ContiguousArray<UInt32> = []
  /// The apps that `lock` sent away, in file order, each with the process that it was.
  var lockedAway: ContiguousArray<(app: UInt32, process: UInt32)> = []
  var isLocked = false
  var hasBeenUnlocked = true
  /// Whether somebody is at the device: processing waits for nobody to be.
  var isUserPresent = false
  /// How many apps hold a place in the foreground.
  var frontCount = 0
  /// Counts departures from the foreground.
  var lastFrontStamp: UInt32 = 0

  /// What few apps need, and where each app's is.
  var extras: Slab<AppExtras>
  var extraOf: ContiguousArray<UInt32> = []
  /// The identifiers that manifests permit, by app and identifier; never gone through.
  var permittedIdentifiers: Set<UInt64> = []
  var uses: Slab<BudgetUse>
  var requests: Slab<PendingRequest>
  var notifications: Slab<LocalNotification>
  var posts: PostOffice
  var processorSpans: Slab<ProcessorSpan>
  var memory: MemoryLedger

  /// Fetches and keep-alives that are waited for.
  var opportunities = 0
  /// Requests that are due and wait for something.
  var waitingRequests = 0
  /// Wakes that end when the user comes back.
  var processingWakes = 0

  /// All open tasks that have not been called too old, by age; kept only where the policy calls any so.
  var tasksByAge = AgeLine()

  /// Always nil. A value with a weak reference cannot be moved about in registers, so the compiler lends the engine by its address, where it
  /// would copy all of it to the stack for every call that only reads (decision 0006).
  private weak var anchor: Anchor?
  private final class Anchor: Sendable {}

  /// An engine without apps, with room for so many before it has to grow.
  public init(
    policy: Policy, device: DeviceFacts = DeviceFacts(), minimumCapacity: Int = 16, limitsCountFrom limitStart: LimitStart = .delivery
  ) {
    policy.checkPreconditions()
    self.policy = policy
    self.limitStart = limitStart
    deviceFacts = device
    self.device = DenialReasons(device, under: policy)
    rows = ContiguousArray(AssertionKind.allCases.map { AdmissionRow($0, in: policy) })
    apps = Slab(minimumCapacity: minimumCapacity)
    assertions = Slab()
    items = Slab()
    timers = TimerQueue()
    extras = Slab()
    uses = Slab()
    requests = Slab()
    notifications = Slab()
    posts = PostOffice()
    processorSpans = Slab()
    memory = MemoryLedger(policy.memory, capacity: device.memory)
  }

  private init(copying other: borrowing Engine) {
    policy = other.policy
    deviceFacts = other.deviceFacts
    device = other.device
    rows = other.rows
    limitStart = other.limitStart
    now = other.now
    apps = other.apps.copy()
    assertions = other.assertions.copy()
    items = other.items.copy()
    timers = other.timers.copy()
    agenda = other.agenda
    agendaDone = other.agendaDone
    pendingLimit = other.pendingLimit
    launchTimes = other.launchTimes
    dueSuspensions = other.dueSuspensions
    dueSuspensionsDone = other.dueSuspensionsDone
    front = other.front
    lockedAway = other.lockedAway
    isLocked = other.isLocked
    hasBeenUnlocked = other.hasBeenUnlocked
    isUserPresent = other.isUserPresent
    frontCount = other.frontCount
    lastFrontStamp = other.lastFrontStamp
    extras = other.extras.copy()
    extraOf = other.extraOf
    permittedIdentifiers = other.permittedIdentifiers
    uses = other.uses.copy()
    requests = other.requests.copy()
    notifications = other.notifications.copy()
    posts = other.posts.copy()
    processorSpans = other.processorSpans.copy()
    memory = other.memory
    opportunities = other.opportunities
    waitingRequests = other.waitingRequests
    processingWakes = other.processingWakes
    tasksByAge = other.tasksByAge.copy()
  }

  /// An engine of its own in the same state: what both are told alike, they answer alike.
  /// - Complexity: O(apps + assertions + deadlines).
  public func copy() -> Engine { Engine(copying: self) }

  /// Makes an app known, not running. Apps are served in the order in which they were added.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID {
    precondition(apps.count < Int(Deadline.indexLimit), "No more than \(Deadline.indexLimit) apps")
    let app = apps.insert(App(modes: manifest.backgroundModes, flags: AppFlags(manifest, under: policy)))
    extraOf.append(.max)
    if limitStart == .firstLine { launchTimes.append(0) }
    for identifier in manifest.permittedIdentifiers { permittedIdentifiers.insert(Engine.key(app, identifier)) }
    if manifest.footprint != nil || manifest.memoryLimit != nil {
      let slot = makeExtras(app)
      extras[slot].footprint = manifest.footprint ?? -1
      extras[slot].memoryLimit = manifest.memoryLimit ?? -1
    }
    return AppID(rawValue: app)
  }

  /// An app and one of the host's numbers in one: what dictionaries of single apps' matters are looked up by.
  static func key(_ app: UInt32, _ number: UInt32) -> UInt64 { UInt64(app) << 32 | UInt64(number) }

  /// How many apps there are.
  public var appCount: Int { apps.count }

  /// The state an app is in.
  public func state(of app: AppID) -> AppState { apps[index(app)].state }

  /// `backgroundTimeRemaining`: what is left of the grant; nil, for infinite, while its clock does not run (rule F10).
  public func backgroundTimeRemaining(of app: AppID) -> Interval? {
    guard apps[index(app)].flags.contains(.clockRuns) else { return nil }
    return Interval(nanoseconds: max(0, apps[index(app)].clock - now.nanoseconds))
  }

  /// How many tasks an app holds open.
  public func openTaskCount(of app: AppID) -> Int { Int(apps[index(app)].openTasks) }

  /// Whether an app's run loop is in the middle of something, so that it owes a `returned`.
  public func owesReturn(_ app: AppID) -> Bool { apps[index(app)].delivery != .none }

  /// Whether it is, and its first line has not been told: a `began` would make sense.
  public func owesBegin(_ app: AppID) -> Bool {
    let app = apps[index(app)]
    return app.delivery != .none && !app.flags.contains(.hasBegun)
  }
}
