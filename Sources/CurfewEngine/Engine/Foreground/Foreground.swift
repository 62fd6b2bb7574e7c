/// Which apps hold a place in the foreground, and in what order apps have left it.
///
/// Invariants: as many apps have the flag `inFront` as `count` says, and where the policy limits
/// them these are the apps of `order`, at most `limit`; each departure's stamp is greater than
/// all before.
struct Foreground {
  let limit: UInt32?
  private(set) var count = 0
  /// Longest there first; kept only where the policy limits them.
  private var order: ContiguousArray<AppID> = []
  private(set) var lastStamp: UInt32 = 0

  init(limit: UInt32?) { self.limit = limit }

  /// The app in front, where the policy limits them and it is the only one.
  var only: AppID? { order.count == 1 ? order[0] : nil }

  /// The app that has to make room for another: the one that has been in front the longest.
  var outgoing: AppID? {
    guard let limit, order.count >= limit else { return nil }
    return order.first
  }

  /// The one that was added first of those in front, where the policy limits them.
  var firstInFileOrder: AppID? { order.min() }

  mutating func take(_ app: AppID, _ apps: inout AppTable) {
    apps[app].flags.insert(.inFront)
    count += 1
    if limit != nil { order.append(app) }
  }

  /// - Complexity: O(the policy's limit); O(1) without one.
  mutating func release(_ app: AppID, _ apps: inout AppTable) {
    apps[app].flags.remove(.inFront)
    count -= 1
    lastStamp += 1
    apps[app].frontStamp = lastStamp
    if limit != nil, let place = order.firstIndex(of: app) { order.remove(at: place) }
  }

  /// Whether stamps have to be given anew before the next departure.
  var isOutOfStamps: Bool { lastStamp == .max }

  /// Gives the departures that are remembered small numbers again, after four thousand million
  /// of them.
  @inline(never)
  mutating func renumber(_ apps: inout AppTable) {
    var stamped: [(stamp: UInt32, app: AppID)] = []
    for app in apps.ids where apps[app].frontStamp > 0 {
      stamped.append((apps[app].frontStamp, app))
    }
    lastStamp = 0
    for (_, app) in stamped.sorted(by: { $0.stamp < $1.stamp }) {
      lastStamp += 1
      apps[app].frontStamp = lastStamp
    }
  }

  /// For tests: as if so many departures had been.
  mutating func skipStamps(to stamp: UInt32) { lastStamp = stamp }

  func checkInvariants(_ apps: borrowing AppTable) {
    var inFront = 0
    for app in apps.ids {
      let isInFront = apps[app].flags.contains(.inFront)
      if isInFront { inFront += 1 }
      precondition(limit == nil || isInFront == order.contains(app), "the foreground is off")
      precondition(
        apps[app].frontStamp <= lastStamp, "app \(app.rawValue) will have left the foreground")
    }
    precondition(count == inFront, "\(count) apps are said to be in front, \(inFront) are")
    precondition(order.count <= limit ?? 0, "too many apps in the foreground")
  }
}
