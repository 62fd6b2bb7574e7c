internal import Curfew
internal import CurfewEngine

/// What the device has recorded of its apps, as far as it has been read. A device forgets all but the last thousand or two of an app.
struct DeviceRecords {
  /// After so many visits of an app its records are read, between its visits: each leaves three expirations and one end at most, and a thousand are kept.
  static let patience = 300

  /// How processes ended, by app and in order.
  private(set) var ends: [[ProcessEnd]]
  /// How many those are.
  private(set) var processEnds = 0
  /// How many expirations have been read.
  private(set) var expirations = 0
  /// Those of tasks that no app of ours has begun.
  private(set) var strangers = 0
  /// All of them, by app and in order, where a trace is to be compared with them.
  private(set) var kept: [[Expiration]]?

  private var cursors: [Cursor]

  /// How far an app's records have been read.
  private struct Cursor {
    var last: Expiration?
    /// The first of that one's warning.
    var warning: Expiration?
    var visits = 0
    /// Where among the plan's tasks the last one was found.
    var task = 0
  }

  init(apps: Int, keepsExpirations: Bool) {
    ends = Array(repeating: [], count: apps)
    kept = keepsExpirations ? Array(repeating: [], count: apps) : nil
    cursors = Array(repeating: Cursor(), count: apps)
  }

  /// Whether an app's records are to be read before its next visit begins.
  func isDue(_ app: Int) -> Bool { cursors[app].visits >= DeviceRecords.patience }

  /// Whether an app has had a visit since its records were read.
  func hasNews(_ app: Int) -> Bool { cursors[app].visits > 0 }

  /// Notes that a visit of an app begins.
  mutating func noteVisit(of app: Int) { cursors[app].visits += 1 }

  /// Takes in what is new of an app, and enters it beside the app's own books.
  ///
  /// - Parameter tasks: The places of the app's tasks in the plan.
  mutating func read(_ app: App, _ number: Int, tasks: Range<Int>, _ simulated: SimulatedApp, _ measurements: Measurements) {
    cursors[number].visits = 0
    let last = ends[number].last?.instant
    let newEnds = app.processEnds.filter { end in last.map { end.instant > $0 } ?? true }
    ends[number] += newEnds
    processEnds += newEnds.count
    let all = app.expirations
    let fresh = all[(cursors[number].last.flatMap { all.lastIndex(of: $0) }.map { $0 + 1 } ?? 0)...]
    guard let newest = fresh.last else { return }
    cursors[number].last = newest
    expirations += fresh.count
    kept?[number] += fresh
    simulated.withMeasurements {
      for expiration in fresh {
        // A warning's handlers come behind each other, and the first of them is the warning's.
        let warning = cursors[number].warning.flatMap { $0.due == expiration.due ? $0 : nil } ?? expiration
        cursors[number].warning = warning
        if let place = place(of: expiration, number, tasks, measurements) {
          measurements.enter(expiration, warning: warning, at: place)
        } else {
          strangers += 1
        }
      }
    }
  }

  /// Where a task stands in the plan: behind the last one that was looked for, as a rule.
  private mutating func place(of expiration: Expiration, _ app: Int, _ tasks: Range<Int>, _ measurements: Measurements) -> Int? {
    let hint = max(cursors[app].task, tasks.lowerBound)
    let isIt = { (place: Int) in measurements[place].identifier == expiration.identifier }
    guard let place = (hint..<tasks.upperBound).first(where: isIt) ?? (tasks.lowerBound..<hint).last(where: isIt) else { return nil }
    cursors[app].task = place
    return place
  }
}

extension Measurements {
  fileprivate func enter(_ expiration: Expiration, warning: Expiration, at place: Int) {
    tasks[place].isDecided = true
    tasks[place].due = expiration.due
    tasks[place].decided = warning.making.decided
    tasks[place].isByLoop = warning.making.isByTick
    tasks[place].sent = expiration.making.decided
  }
}

extension LoadTest {
  /// Reads what the device has recorded of the apps that have had visits, or of all where that is not all of it. To be called when everything is at rest: whoever asks
  /// a device lets happen what is due.
  func readRecords() {
    for app in apps.indices where records.hasNews(app) { readRecords(of: app) }
    let counts = device.counts
    guard counts.expirations != records.expirations || counts.processEnds != records.processEnds else { return }
    for app in apps.indices { readRecords(of: app) }
  }

  func readRecords(of app: Int) {
    records.read(apps[app], app, tasks: plan.taskPlaces(of: AppID(rawValue: UInt32(app))), simulated[app], measurements)
  }
}

extension LoadPlan {
  /// The places of an app's tasks in `tasks`.
  func taskPlaces(of app: AppID) -> Range<Int> {
    let visits = visits(of: app)
    guard let first = visits.first, let last = visits.last else { return 0..<0 }
    return first.firstTask..<last.firstTask + last.taskCount
  }
}
