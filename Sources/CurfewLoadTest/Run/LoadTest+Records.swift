internal import Curfew
internal import CurfewEngine

/// The device's records of its apps, as far as they have been read. A device keeps only the last
/// one to two thousand records of an app.
struct DeviceRecords {
  /// The number of visits of an app after which its records are read, before its next visit. No
  /// record is lost, because a visit leaves at most three expirations and one end, and a thousand
  /// records are kept.
  private let patience: Int

  /// The ends of processes, by app and in order.
  private(set) var ends: [[ProcessEnd]]
  /// The number of ends read.
  private(set) var processEnds = 0
  /// The number of expirations read.
  private(set) var expirations = 0
  /// The number of expirations of tasks that no app of the test has begun.
  private(set) var strangers = 0
  /// All expirations, by app and in order; nil unless a trace is to be compared with them.
  private(set) var kept: [[Expiration]]?

  private var cursors: [Cursor]

  /// The position up to which an app's records have been read. Small, because there may be
  /// a million.
  private struct Cursor {
    /// The index in the plan of the task whose expiration was read last; -1 before any.
    var last: Int32 = -1
    /// The number of visits since that reading.
    var visits: Int32 = 0
  }

  init(apps: Int, keepsExpirations: Bool, patience: Int = 300) {
    self.patience = patience
    ends = Array(repeating: [], count: apps)
    kept = keepsExpirations ? Array(repeating: [], count: apps) : nil
    cursors = Array(repeating: Cursor(), count: apps)
  }

  /// Whether an app's records must be read before its next visit begins.
  func isDue(_ app: Int) -> Bool { cursors[app].visits >= patience }

  /// Whether an app has begun a visit since its records were read.
  func hasNews(_ app: Int) -> Bool { cursors[app].visits > 0 }

  /// Counts a visit of an app that begins.
  mutating func noteVisit(of app: Int) { cursors[app].visits += 1 }

  /// Reads an app's new records, and enters them in `measurements` beside those of the
  /// simulated app.
  ///
  /// - Parameter tasks: The indices of the app's tasks in the plan.
  mutating func read(
    _ app: App, _ number: Int, tasks: Range<Int>, _ simulated: SimulatedApp,
    _ measurements: Measurements
  ) {
    cursors[number].visits = 0
    let last = ends[number].last?.instant
    let newEnds = app.processEnds.filter { end in last.map { end.instant > $0 } ?? true }
    ends[number] += newEnds
    processEnds += newEnds.count
    let all = app.expirations
    simulated.withMeasurements {
      let last = cursors[number].last
      let known =
        last < 0 ? nil : all.lastIndex { $0.identifier == measurements[Int(last)].identifier }
      let fresh = all[(known.map { $0 + 1 } ?? 0)...]
      expirations += fresh.count
      kept?[number] += fresh
      for expiration in fresh {
        let last = Int(cursors[number].last)
        guard let place = place(of: expiration, from: last, tasks, measurements) else {
          strangers += 1
          continue
        }
        measurements.enter(expiration, at: place, after: last < 0 ? nil : last)
        cursors[number].last = Int32(place)
      }
    }
  }

  /// The index of a task in the plan. The search starts at the last task found, because the
  /// next one usually follows it.
  private func place(
    of expiration: Expiration, from last: Int, _ tasks: Range<Int>, _ measurements: Measurements
  ) -> Int? {
    let hint = max(last, tasks.lowerBound)
    let isIt = { (place: Int) in measurements[place].identifier == expiration.identifier }
    return (hint..<tasks.upperBound).first(where: isIt)
      ?? (tasks.lowerBound..<hint).last(where: isIt)
  }
}

extension Measurements {
  /// - Parameter last: The app's task whose expiration came before; nil for the first.
  fileprivate func enter(_ expiration: Expiration, at place: Int, after last: Int?) {
    tasks[place].isDecided = true
    tasks[place].due = expiration.due
    tasks[place].sent = expiration.making.decided
    if let last, tasks[last].due == expiration.due {
      // A warning's handlers run one after another and share the first one's decision.
      (tasks[place].decided, tasks[place].isByLoop) = (tasks[last].decided, tasks[last].isByLoop)
    } else {
      (tasks[place].decided, tasks[place].isByLoop) = (
        expiration.making.decided, expiration.making.isByTick
      )
    }
  }
}

extension LoadTest {
  /// Reads the device's records of the apps that have had visits, or of all apps if the counts show
  /// that some are missing. Call it when everything is at rest, because a query makes the device
  /// process whatever is due.
  func readRecords() {
    for app in apps.indices where records.hasNews(app) { readRecords(of: app) }
    let counts = device.counts
    guard counts.expirations != records.expirations || counts.processEnds != records.processEnds
    else { return }
    for app in apps.indices { readRecords(of: app) }
  }

  func readRecords(of app: Int) {
    records.read(
      apps[app], app, tasks: plan.taskPlaces(of: AppID(rawValue: UInt32(app))), simulated[app],
      measurements)
  }
}

extension LoadPlan {
  /// The indices of an app's tasks in `tasks`.
  func taskPlaces(of app: AppID) -> Range<Int> {
    let visits = visits(of: app)
    guard let first = visits.first, let last = visits.last else { return 0..<0 }
    return first.firstTask..<last.firstTask + last.taskCount
  }
}
