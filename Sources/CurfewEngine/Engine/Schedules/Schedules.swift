/// When an app's fetches come (rule W3). Outlives the process.
struct FetchSchedule: BitwiseCopyable, Equatable {
  /// The app's minimum; nil for never.
  var interval: Interval?
  /// From when the interval counts: the last fetch, or the call that set the first interval.
  var reference = Instant.zero
  var timer = TimerQueue.ID.none
  /// How many times its interval the next fetch is pushed out.
  var backoff: UInt32 = 1
  var hasFetched = false
  /// Whether an interval has ever been accepted: from then on results count.
  var hasBeenSet = false
}

/// When an app's keep-alives come (rule W3). Outlives the process.
struct KeepAlive: BitwiseCopyable, Equatable {
  var interval = Interval.zero
  var timer = TimerQueue.ID.none
}

/// Counts what the system's own wakes wait for.
///
/// Invariant: `opportunities` is how many fetches, keep-alives and requests have a deadline: only this room arms and disarms them.
struct Schedules {
  private(set) var opportunities = 0

  mutating func arm(_ timer: inout TimerQueue.ID, at instant: Instant, _ deadline: Deadline, _ timers: inout TimerQueue) {
    if timer == .none { opportunities += 1 }
    timers.arm(&timer, at: instant, deadline)
  }

  mutating func disarm(_ timer: inout TimerQueue.ID, _ timers: inout TimerQueue) {
    if timer != .none { opportunities -= 1 }
    timers.disarm(&timer)
  }

  /// A deadline has come.
  mutating func fired(_ timer: inout TimerQueue.ID) {
    timer = .none
    opportunities -= 1
  }

  func checkInvariants(_ apps: borrowing AppTable, _ requests: borrowing Requests) {
    var count = 0
    for app in apps.ids {
      requests.records.forEach(in: apps[extras: app].requests) { count += $0.timer == .none ? 0 : 1 }
      count += (apps[extras: app].fetch.timer == .none ? 0 : 1) + (apps[extras: app].keepAlive.timer == .none ? 0 : 1)
    }
    precondition(count == opportunities, "\(opportunities) opportunities, \(count) deadlines of them")
  }
}
