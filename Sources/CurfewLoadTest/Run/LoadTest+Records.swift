internal import Curfew
internal import CurfewEngine

/// What the device has recorded of its apps, as far as it has been read. A device forgets all but
/// the last thousand or two of an app.
struct DeviceRecords {
  /// After so many visits of an app its records are read, between its visits: each leaves three
  /// expirations and one end at most, and a thousand are kept.
  private let patience: Int

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

  /// How far an app's records have been read. Small: there may be a million.
  private struct Cursor {
    /// The place in the plan of the task whose expiration was read last; -1 before any.
    var last: Int32 = -1
    /// Visits since then.
    var visits: Int32 = 0
  }

  init(apps: Int, keepsExpirations: Bool, patience: Int = 300) {
    self.patience = patience
    ends = Array(repeating: [], count: apps)
    kept = keepsExpirations ? Array(repeating: [], count: apps) : nil
    cursors = Array(repeating: Cursor(), count: apps)
  }

  /// Whether an app's records are to be read before its next visit begins.
  func isDue(_ app: Int) -> Bool { cursors[app].visits >= patience }

  /// Whether an app has had a visit since its records were read.
  func hasNews(_ app: Int) -> Bool { cursors[app].visits > 0 }

  /// Notes that a visit of an app begins.
  mutating func noteVisit(of app: Int) { cursors[app].visits += 1 }

  /// Takes in what is new of an app, and enters it beside the app's own books.
  ///
  /// - Parameter tasks: The places of the app's tasks in the plan.
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

  /// Where a task stands in the plan: behind the last one that was looked for, as a rule.
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
  /// - Parameter last: The app's task whose expiration came before.
  fileprivate func enter(_ expiration: Expiration, at place: Int, after last: Int?) {
    tasks[place].isDecided = true
    tasks[place].due = expiration.due
    tasks[place].sent = expiration.making.decided
    if let last, tasks[last].due == expiration.due {
      // A warning's handlers come behind each other, and have the first one's decision.
      (tasks[place].decided, tasks[place].isByLoop) = (tasks[last].decided, tasks[last].isByLoop)
    } else {
      (tasks[place].decided, tasks[place].isByLoop) = (
        expiration.making.decided, expiration.making.isByTick
      )
    }
  }
}

extension LoadTest {
  /// Reads what the device has recorded of the apps that have had visits, or of all where that
  /// is not all of it. To be called when everything is at rest: whoever asks a device lets happen
  /// what is due.
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
  /// The places of an app's tasks in `tasks`.
  func taskPlaces(of app: AppID) -> Range<Int> {
    let visits = visits(of: app)
    guard let first = visits.first, let last = visits.last else { return 0..<0 }
    return first.firstTask..<last.firstTask + last.taskCount
  }
}
