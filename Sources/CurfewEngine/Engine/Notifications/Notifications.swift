/// A local notification that an app has scheduled (rule N1).
struct LocalNotification: Linked {
  var next = Place<LocalNotification>.nowhere
  var timer = TimerQueue.ID.none
  let app: AppID
  let id: UInt32
  let due: Instant
}

/// The local notifications of all apps. The device keeps the `kept` soonest notifications of each
/// app, even if the app's process ends.
///
/// Invariants: a notification is in its app's chain, in order of scheduling; a chain has at most
/// `kept` notifications, no two with the same number; each has a deadline.
struct Notifications: ~Copyable {
  /// The number of notifications that are kept for an app.
  private let kept: UInt32
  private(set) var records = Slab<LocalNotification>()

  init(kept: UInt32) { self.kept = kept }

  private init(copying other: borrowing Notifications) {
    kept = other.kept
    records = other.records.copy()
  }

  func copy() -> Notifications { Notifications(copying: self) }

  /// Schedules `notification`, which replaces one with the same number. If there are too many,
  /// the latest is dropped. Among equally late ones, the new notification is dropped, because it
  /// was scheduled last.
  ///
  /// - Complexity: O(the app's scheduled notifications).
  mutating func schedule(
    _ notification: LocalNotification, in chain: inout Chain<LocalNotification>,
    _ timers: inout TimerQueue
  ) {
    cancel(notification.id, in: &chain, &timers)
    if records.count(chain) >= kept {
      guard let latest = latest(in: chain), records[latest].due > notification.due else { return }
      timers.disarm(&records[latest].timer)
      records.remove(latest, from: &chain)
    }
    let place = records.append(notification, to: &chain)
    timers.arm(&records[place].timer, at: notification.due, .notification(place))
  }

  mutating func cancel(
    _ id: UInt32, in chain: inout Chain<LocalNotification>, _ timers: inout TimerQueue
  ) {
    guard let place = records.first(in: chain, where: { $0.id == id }) else { return }
    timers.disarm(&records[place].timer)
    records.remove(place, from: &chain)
  }

  mutating func removeAll(of chain: inout Chain<LocalNotification>, _ timers: inout TimerQueue) {
    var walk = records.walk(chain)
    while let place = walk.next(in: records) { timers.disarm(&records[place].timer) }
    records.removeAll(of: &chain)
  }

  /// Removes and returns a notification that is due.
  mutating func take(_ place: Place<LocalNotification>, _ apps: inout AppTable) -> LocalNotification
  {
    let notification = records[place]
    records.remove(place, from: &apps[extras: notification.app].notifications)
    return notification
  }

  /// The latest notification; among equally late ones, the one scheduled last.
  private func latest(in chain: Chain<LocalNotification>) -> Place<LocalNotification>? {
    var (latest, walk) = (Place<LocalNotification>?.none, records.walk(chain))
    while let place = walk.next(in: records) {
      if latest.map({ records[place].due >= records[$0].due }) ?? true { latest = place }
    }
    return latest
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var count = 0
    for app in apps.ids {
      var ids = Set<UInt32>()
      records.forEach(in: apps[extras: app].notifications) { notification in
        precondition(
          notification.app == app && ids.insert(notification.id).inserted,
          "app \(app.rawValue)'s notifications are broken")
        precondition(
          notification.timer != .none, "notification \(notification.id) will never be due")
      }
      precondition(ids.count <= kept, "app \(app.rawValue) keeps \(ids.count) notifications")
      count += ids.count
    }
    precondition(count == records.count, "notifications belong to no app")
  }
}
