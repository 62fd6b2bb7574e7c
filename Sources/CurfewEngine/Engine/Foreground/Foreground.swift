/// The apps that hold a place in the foreground, and the order in which apps have left it.
///
/// Invariants: `count` apps have the flag `inFront`; if the policy limits their number, these are
/// the apps of `order`, at most `limit`; each departure's stamp is greater than all earlier ones.
struct Foreground {
  let limit: UInt32?
  private(set) var count = 0
  /// The apps in front, the app that has been there longest first; kept only if the policy limits
  /// their number.
  private var order: ContiguousArray<AppID> = []
  private(set) var lastStamp: UInt32 = 0

  init(limit: UInt32?) { self.limit = limit }

  /// The only app in front. Nil if there is not exactly one, or if the policy does not limit
  /// their number.
  var only: AppID? { order.count == 1 ? order[0] : nil }

  /// The app that must give its place to another: the app that has been in front longest.
  var outgoing: AppID? {
    guard let limit, order.count >= limit else { return nil }
    return order.first
  }

  /// The app in front that was added first, if the policy limits their number.
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

  /// Whether stamps must be renumbered before the next departure.
  var isOutOfStamps: Bool { lastStamp == .max }

  /// Renumbers the remembered departures from 1, after 4,294,967,295 departures.
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

  /// Sets the last stamp as if that many departures had happened. For tests.
  mutating func skipStamps(to stamp: UInt32) { lastStamp = stamp }

  func checkInvariants(_ apps: borrowing AppTable) {
    var inFront = 0
    for app in apps.ids {
      let isInFront = apps[app].flags.contains(.inFront)
      if isInFront { inFront += 1 }
      precondition(limit == nil || isInFront == order.contains(app), "an app's flag is wrong")
      precondition(
        apps[app].frontStamp <= lastStamp, "app \(app.rawValue) has a stamp that was not given yet")
    }
    precondition(count == inFront, "\(count) apps are counted as in front, \(inFront) are")
    precondition(order.count <= limit ?? 0, "too many apps in the foreground")
  }
}
