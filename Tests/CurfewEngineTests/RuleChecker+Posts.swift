import CurfewEngine

/// Posts and notifications that wait for an app: for its run loop, while it is suspended (rule
/// A11), and until they are due (rule N1).
extension RuleChecker {
  /// An item that waits for a run loop; items leave it in the order in which they came.
  enum Item: Equatable {
    case wake(AssertionKind)
    case event(AssertionKind)
    case memoryWarning
    case post(UInt32, UInt32?)
    case localNotification(UInt32)
  }

  struct Notification {
    let id: UInt32
    let due: Instant
  }

  mutating func takeTurn(_ item: Item, _ app: Int) {
    demand(apps[app].state.isAwake, "\(item) while \(apps[app].state)")
    guard let first = apps[app].waiting.first, first == item else {
      return demand(false, "\(item) came out of turn; app \(app) waits for \(apps[app].waiting)")
    }
    apps[app].waiting.removeFirst()
  }

  // MARK: Posts

  mutating func applyPost(_ named: Int?, _ post: NotificationPost) {
    for app in apps.indices where (named ?? app) == app && apps[app].state.isAwake {
      apps[app].waiting.append(.post(post.name, post.value))
    }
    posts.append((named, post))
    for app in apps.indices where (named ?? app) == app && apps[app].state == .suspended {
      let (before, after) = (
        keptNames(app, upTo: posts.count - 1).dropped.count,
        keptNames(app, upTo: posts.count).dropped
      )
      mustDrop += after[before...].map {
        .notificationDropped(AppID(rawValue: UInt32(app)), name: $0)
      }
    }
  }

  /// The posts of one name while an app was suspended.
  private struct KeptName {
    let name: UInt32
    var values: [UInt32?]
    var isAfterDrop: Bool
  }

  /// The missed posts that are kept, by first event, and the names that were dropped, oldest first.
  private func keptNames(_ app: Int, upTo end: Int) -> (kept: [KeptName], dropped: [UInt32]) {
    var (kept, dropped): ([KeptName], [UInt32]) = ([], [])
    for (to, post) in posts[apps[app].firstMissedPost..<end]
    where (to ?? app) == app && post.manner == .coalescing {
      if let place = kept.firstIndex(where: { $0.name == post.name }) {
        kept[place].values.append(post.value)
      } else {
        kept.append(KeptName(name: post.name, values: [post.value], isAfterDrop: !dropped.isEmpty))
      }
      if kept.count > policy.notifications.names ?? .max { dropped.append(kept.removeFirst().name) }
    }
    return (kept, dropped)
  }

  /// The names that have changed since the app was suspended, by first event, then the queued posts
  /// without the oldest that were dropped.
  func missedPosts(_ app: Int) -> [Action] {
    let known = posts[..<apps[app].firstMissedPost].filter { ($0.to ?? app) == app }.map(\.post)
    let missed = posts[apps[app].firstMissedPost...].filter { ($0.to ?? app) == app }.map(\.post)
    let id = AppID(rawValue: UInt32(app))
    var told: [Action] = []
    for post in keptNames(app, upTo: posts.count).kept {
      let before = known.last { $0.name == post.name }
      let last = post.values[post.values.count - 1]
      if let before, before.value == last, !post.values.contains(nil), !post.isAfterDrop {
        continue
      }
      told.append(.notification(id, name: post.name, value: last))
    }
    let queued = missed.filter { $0.manner == .queueing }.suffix(Int(policy.notifications.queued))
    return told + queued.map { .notification(id, name: $0.name, value: $0.value) }
  }

  // MARK: Local notifications

  /// The soonest stay; among equals the last scheduled one is dropped.
  mutating func applySchedule(_ id: UInt32, _ interval: Interval, _ app: Int) {
    standing[app].notifications.removeAll { $0.id == id }
    standing[app].notifications.append(Notification(id: id, due: now + interval))
    while standing[app].notifications.count > policy.notifications.kept {
      let latest = standing[app].notifications.map(\.due).max()
      standing[app].notifications.lastIndex { $0.due == latest }.map {
        _ = standing[app].notifications.remove(at: $0)
      }
    }
  }

  mutating func noteLocalNotification(_ id: UInt32, _ fate: LocalNotificationFate, _ app: Int) {
    switch fate {
    case .shown:
      demand(
        event == nil && !front.contains(app), "\(id) was shown although app \(app) is in front")
      takeDue(id, app)
    case .delivered:
      // If the app was free, the notification never waited.
      if !apps[app].waiting.contains(.localNotification(id)) {
        demand(
          event == nil && front.contains(app) && apps[app].owed == nil,
          "\(id) was delivered to an app that is busy or not in front")
        takeDue(id, app)
        apps[app].waiting.append(.localNotification(id))
      }
      takeTurn(.localNotification(id), app)
    }
  }

  private mutating func takeDue(_ id: UInt32, _ app: Int) {
    guard let place = standing[app].notifications.firstIndex(where: { $0.id == id }) else {
      return demand(false, "\(id) is not scheduled")
    }
    demand(
      isDue(standing[app].notifications.remove(at: place).due), "\(id) came too early or too late")
  }

  /// Due notifications that were not reported wait for the busy run loop of an app in front.
  mutating func passOverNotifications(_ app: Int) {
    while let soonest = standing[app].notifications.map(\.due).min(), soonest <= now {
      let wasInFront = front.contains(app) || standing[app].leftFront == now
      demand(wasInFront, "app \(app)'s notification was forgotten")
      guard let place = standing[app].notifications.firstIndex(where: { $0.due == soonest }) else {
        return
      }
      let id = standing[app].notifications.remove(at: place).id
      if front.contains(app) {
        demand(apps[app].owed != nil, "\(id) waits for nothing")
        apps[app].waiting.append(.localNotification(id))
      }
    }
  }
}
