import CurfewEngine

/// A device's record of an app: the state that the engine does not keep.
struct AppRecord {
  let name: String
  let manifest: AppManifest
  private(set) var delegate: (any AppDelegate)?
  private var host: (any ProcessHost)?
  /// Observers of the app's notifications, in the order in which they were added.
  var observers: [AppObserver] = []
  /// The app as an object; created when first requested.
  var object: AppObject?
  private(set) var process: AppProcess?
  /// The latest of the app's former processes whose host has not returned from its end.
  var ending: AppProcess?
  /// The newest of the app's open tasks.
  var lastTask = UInt32.max
  /// The engine's number for the app's process; set when the process begins its first task.
  private(set) var processNumber: UInt32?
  /// The count of the tasks that the app has begun, and the count of those that it began
  /// in former processes.
  private(set) var begunTasks = 0
  private(set) var begunBefore = 0
  /// The position of the app's Background App Refresh switch.
  var backgroundRefresh: BackgroundRefreshStatus
  /// The text of an error that is about to end the app's process.
  var error: String?
  var lastDecision: Decision?
  var lastDiagnostic: DeviceDiagnostic?
  /// The number of denials that a test has set for the app's next tasks.
  var tasksToDeny = 0
  /// On a virtual clock: for each wake that was admitted but has not begun, the place that
  /// delivered it.
  var deliverers: [WakeID: CallSite] = [:]
  var ends = Recent<ProcessEnd>()
  var expirations = Recent<Expiration>()
  var taskRequests = TaskRequestRecords()

  init(
    _ name: String, _ manifest: AppManifest, _ delegate: (any AppDelegate)?,
    _ host: (any ProcessHost)?
  ) {
    (self.name, self.manifest, self.delegate, self.host) = (name, manifest, delegate, host)
    backgroundRefresh = manifest.backgroundRefresh
  }

  mutating func launch(in core: DeviceCore, as app: AppID) {
    let next = AppProcess(core: core, app: app, delegate: delegate, host: host)
    if let calls = ending?.hostCalls { (calls.successor, next.isHeldBack) = (next, true) }
    process = next
  }

  /// Counts a task that the app's process has begun.
  /// - Returns: The count of all tasks that the app has begun, including this task.
  mutating func countTask(ofProcess number: UInt32) -> Int {
    begunTasks += 1
    processNumber = number
    return begunTasks
  }

  /// Takes the process, which has ended.
  mutating func takeProcess() -> AppProcess? {
    (processNumber, begunBefore, error) = (nil, begunTasks, nil)
    return process.take()
  }

  /// Takes all objects of the program that the app holds while it is not running. They are released
  /// outside the lock, because their deinitializers may call the device.
  mutating func takeObjects() -> [AnyObject] {
    var objects: [AnyObject] = observers
    if let delegate { objects.append(delegate) }
    if let host { objects.append(host) }
    if let object { objects.append(object) }
    if let scheduler = taskRequests.scheduler { objects.append(scheduler) }
    (observers, delegate, host, object, taskRequests.scheduler) = ([], nil, nil, nil, nil)
    return objects
  }

  fileprivate var holdsObjects: Bool {
    delegate != nil || host != nil || object != nil || !observers.isEmpty
      || taskRequests.scheduler != nil
  }
}

/// The apps of a device, indexed by the engine's numbers for them.
///
/// Invariants: records are never removed, so an app's number is its index. Each name leads
/// to an app of that name that has not been removed. Only an app with a process has tasks,
/// and the engine's number for the process. An error is kept for at most one step.
struct AppRecords {
  /// Every app, including removed apps, in the order of registration.
  private(set) var all: ContiguousArray<AppRecord> = []
  private var named: [String: AppID] = [:]

  var count: Int { all.count }
  var ids: LazyMapSequence<Range<UInt32>, AppID> { (0..<UInt32(count)).lazy.map(AppID.init) }
  /// Whether an app has ever been removed.
  var hasRemoved: Bool { named.count < count }

  /// - Precondition: The device has the app.
  subscript(app: AppID) -> AppRecord {
    @inline(__always) _read { yield all[Int(app.rawValue)] }
    @inline(__always) _modify { yield &all[Int(app.rawValue)] }
  }

  /// The registered app with this name.
  subscript(named name: String) -> AppID? { named[name] }

  func contains(_ app: AppID) -> Bool { app.rawValue < count }

  /// The apps that have not been removed, in the order of registration.
  var registered: [AppID] { ids.filter { isRegistered($0) } }

  /// Whether the device has the app and has not removed it.
  func isRegistered(_ app: AppID) -> Bool { named[self[app].name] == app }

  mutating func add(_ record: AppRecord, as app: AppID) {
    precondition(app.rawValue == count, "App \(app.rawValue) must have the number \(count)")
    all.append(record)
    named[record.name] = app
  }

  /// Frees an app's name, and takes its objects.
  mutating func remove(_ app: AppID) -> [AnyObject] {
    named[self[app].name] = nil
    defer { self[app].taskRequests = TaskRequestRecords() }
    return self[app].takeObjects()
  }

  /// - Complexity: O(apps).
  func checkInvariants(isClosed: Bool) {
    for (name, app) in named {
      precondition(
        contains(app) && self[app].name == name, "'\(name)' leads to app \(app.rawValue)")
    }
    for record in all {
      precondition(
        record.process != nil || record.processNumber == nil,
        "\(record.name) has a process number but no process")
      precondition(
        record.process?.isHeldBack != true || record.ending != nil,
        "\(record.name) waits for an end that is over")
      precondition(
        record.process != nil || record.lastTask == .max,
        "\(record.name) is not running but has a task")
      precondition(
        record.begunBefore <= record.begunTasks,
        "\(record.name) has begun more tasks in former processes than in all processes")
      precondition(record.error == nil, "\(record.name)'s error has not ended its process")
      precondition(
        !isClosed || record.process == nil && record.ending == nil && !record.holdsObjects,
        "\(record.name) holds something on a closed device")
    }
  }
}
