/// Computes the visits of one user from the log's rows, which are added in time order.
///
/// All times are Unix nanoseconds; apps are numbers.
struct FrontHistory {
  /// A visit: a stay of an app in the foreground.
  struct Visit: Equatable {
    var at: Int64
    var app: Int32
    /// The time at which the visit ends; nil if it ends when the next visit begins.
    var left: Int64?
  }

  private(set) var visits: [Visit] = []
  /// The number of visits of length 0, which are left out.
  private(set) var zeroLengthVisits = 0
  /// The time after which a visit without a recorded end is over, counted from the last row with
  /// its app in the foreground; nil for no limit.
  private let longest: Int64?
  /// Whether the last visit has not ended.
  private var isOpen = false
  /// The latest time at which the current app was seen in the foreground.
  private var seen: Int64 = 0
  /// The time at which the current app will leave, if it is already known.
  private var until: Int64?

  init(longest: Int64?) { self.longest = longest }

  /// Records that the app enters the foreground, or is seen there.
  ///
  /// - Parameter end: The time at which the app will leave, if it is already known.
  mutating func open(_ app: Int32, at time: Int64, until end: Int64? = nil) {
    // A visit of the same app that begins when the last visit ends extends that visit.
    if isOpen, visits[visits.count - 1].app == app, let until, let end, until >= time {
      self.until = max(until, end)
      return
    }
    settle(before: time)
    if isOpen, let last = visits.last {
      if last.app == app { return show(time, end) }
      if last.at == time {
        drop()
        if let before = visits.last, before.app == app, before.left == nil {
          return show(time, end)
        }
      }
    }
    visits.append(Visit(at: time, app: app))
    show(time, end)
  }

  /// Records that the app leaves the foreground, if it is there.
  mutating func close(_ app: Int32, at time: Int64) {
    if isOpen, visits.last?.app == app { leave(at: time) }
  }

  /// Records the end of the log.
  mutating func finish() {
    guard isOpen else { return }
    if let until {
      leave(at: until)
    } else if let longest {
      leave(at: seen.saturatingSum(longest))
    }
  }

  /// Ends the current visit if its end is at or before `time`.
  private mutating func settle(before time: Int64) {
    guard isOpen else { return }
    if let until {
      if until <= time { leave(at: until) }
    } else if let longest, case let end = seen.saturatingSum(longest), end < time {
      leave(at: end)
    }
  }

  private mutating func show(_ time: Int64, _ end: Int64?) {
    (isOpen, seen, until) = (true, time, end)
  }

  private mutating func leave(at time: Int64) {
    isOpen = false
    if visits[visits.count - 1].at == time { drop() }
    // Even a visit of length 0 ends the visit before it, and leaves the foreground empty.
    if let last = visits.last, last.left == nil { visits[visits.count - 1].left = time }
  }

  private mutating func drop() {
    visits.removeLast()
    zeroLengthVisits += 1
  }
}

extension Int64 {
  /// The sum, saturated at the greatest or the least `Int64`.
  func saturatingSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
