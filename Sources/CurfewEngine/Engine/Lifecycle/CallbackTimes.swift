/// The limits of callbacks: the point from which they count, and the limit set last. Most callbacks
/// return before the next deadline is requested, so a limit enters the timer queue only at
/// that request.
///
/// Invariant: at most one limit is pending, and the app of the pending limit has no limit
/// in the queue.
struct CallbackTimes {
  /// A limit that is not in the timer queue yet.
  struct Pending: BitwiseCopyable {
    let app: AppID
    let deadline: Instant
    let ticket: UInt64
  }

  let start: LimitStart
  private(set) var pending: Pending?
  /// For limits that count from first lines, by app: the instant at which willFinishLaunching
  /// began; after its return, the part of the launch's limit that is used up. Both are
  /// in nanoseconds.
  private var launches: ContiguousArray<Int64> = []

  init(from start: LimitStart) { self.start = start }

  mutating func addApp() {
    if start == .firstLine { launches.append(0) }
  }

  /// - Precondition: No limit is pending.
  mutating func set(_ limit: Pending) {
    precondition(pending == nil, "A limit of app \(limit.app.rawValue) while another is pending")
    pending = limit
  }

  /// Removes and returns the pending limit; if `app` is not nil, only if the limit is that app's.
  mutating func take(of app: AppID? = nil) -> Pending? {
    guard let limit = pending, app.map({ $0 == limit.app }) ?? true else { return nil }
    pending = nil
    return limit
  }

  mutating func launchBegan(_ app: AppID, at now: Instant) {
    launches[Int(app.rawValue)] = now.nanoseconds
  }

  /// Stops the time of a launch until its second callback has begun.
  mutating func holdLaunch(_ app: AppID, at now: Instant) {
    launches[Int(app.rawValue)] = now.nanoseconds - launches[Int(app.rawValue)]
  }

  /// The time used of a launch whose time is stopped.
  func usedUp(_ app: AppID) -> Interval { Interval(nanoseconds: launches[Int(app.rawValue)]) }
}
