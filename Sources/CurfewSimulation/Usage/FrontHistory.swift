/// Makes of what a log says about one user, row by row in the order of time, which app was in front
/// and until when.
///
/// All times are Unix nanoseconds, apps are numbers.
struct FrontHistory {
  /// A visit: an app in front.
  struct Visit: Equatable {
    var at: Int64
    var app: Int32
    /// When it ended; nil: when the next one began.
    var left: Int64?
  }

  private(set) var visits: [Visit] = []
  /// How many visits were left out because they ended when they began.
  private(set) var zeroLengthVisits = 0
  /// So long after its app was seen in front for the last time a visit ends whose end nobody
  /// recorded; nil: never.
  private let longest: Int64?
  /// Whether the last visit still goes on.
  private var isOpen = false
  /// When the app in front was seen there for the last time.
  private var seen: Int64 = 0
  /// When the app in front will leave, where that is known before.
  private var until: Int64?

  init(longest: Int64?) { self.longest = longest }

  /// The app comes to the front, or is seen there.
  ///
  /// - Parameter end: When it will leave, where that is known before.
  mutating func open(_ app: Int32, at time: Int64, until end: Int64? = nil) {
    // A visit that begins where the one before ended, of the same app, is the same visit.
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

  /// The app leaves the front, if it is there.
  mutating func close(_ app: Int32, at time: Int64) {
    if isOpen, visits.last?.app == app { leave(at: time) }
  }

  /// The log ends.
  mutating func finish() {
    guard isOpen else { return }
    if let until {
      leave(at: until)
    } else if let longest {
      leave(at: seen.saturatingSum(longest))
    }
  }

  /// Ends the visit that goes on, if it has ended by `time`.
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
    // It took the front from the one before, however short it was, and has left it to nobody.
    if let last = visits.last, last.left == nil { visits[visits.count - 1].left = time }
  }

  private mutating func drop() {
    visits.removeLast()
    zeroLengthVisits += 1
  }
}

extension Int64 {
  /// The sum, or the greatest or the least number there is.
  func saturatingSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
