/// From when callbacks' limits count, and the limit that was set last, as long as it may yet be
/// taken away unseen: because most callbacks return before anybody asks for the next deadline,
/// a limit comes into the timer queue only then.
///
/// Invariant: at most one limit is pending, and its app has none in the queue.
struct CallbackTimes {
  /// A limit that has not come into the timer queue.
  struct Pending: BitwiseCopyable {
    let app: AppID
    let deadline: Instant
    let ticket: UInt64
  }

  let start: LimitStart
  private(set) var pending: Pending?
  /// Where limits count from first lines, by app: when willFinishLaunching began; once it has
  /// returned, how much of the launch is used up. Both in nanoseconds.
  private var launches: ContiguousArray<Int64> = []

  init(from start: LimitStart) { self.start = start }

  mutating func addApp() {
    if start == .firstLine { launches.append(0) }
  }

  /// - Precondition: None is pending.
  mutating func set(_ limit: Pending) {
    precondition(pending == nil, "A limit of app \(limit.app.rawValue) while another is pending")
    pending = limit
  }

  /// Takes the pending limit away; only if it is this app's, where one is named.
  mutating func take(of app: AppID? = nil) -> Pending? {
    guard let limit = pending, app.map({ $0 == limit.app }) ?? true else { return nil }
    pending = nil
    return limit
  }

  mutating func launchBegan(_ app: AppID, at now: Instant) {
    launches[Int(app.rawValue)] = now.nanoseconds
  }

  /// The launch stands still until its second callback has begun too.
  mutating func holdLaunch(_ app: AppID, at now: Instant) {
    launches[Int(app.rawValue)] = now.nanoseconds - launches[Int(app.rawValue)]
  }

  /// How much of a launch that stands still is used up.
  func usedUp(_ app: AppID) -> Interval { Interval(nanoseconds: launches[Int(app.rawValue)]) }
}
