/// A local notification that an app has scheduled (rule N1).
struct LocalNotification: BitwiseCopyable {
  let app: UInt32
  let id: UInt32
  var next = UInt32.max
  var timer = TimerQueue.ID.none
  let due: Int64
}

/// Local notifications: the device keeps the soonest so many of each app, whatever becomes of its process.
extension Engine {
  /// - Complexity: O(the app's scheduled notifications).
  mutating func scheduleNotification(_ id: UInt32, after interval: Interval, of app: UInt32, _ actions: inout ActionBuffer) {
    precondition(interval >= .zero, "A notification \(interval.nanoseconds) ns ago")
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let slot = makeExtras(app)
    remove(notification: id, slot)
    let due = now + interval
    if extras[slot].notificationCount >= policy.notifications.kept {
      // The latest goes; of equals the one that was scheduled last, which is the new one.
      guard let latest = latestNotification(slot), notifications[latest].due > due.nanoseconds else { return }
      unlink(latest, slot)
    }
    let place = notifications.insert(LocalNotification(app: app, id: id, due: due.nanoseconds))
    if extras[slot].firstNotification == .max {
      extras[slot].firstNotification = place
    } else {
      var last = extras[slot].firstNotification
      while notifications[last].next != .max { last = notifications[last].next }
      notifications[last].next = place
    }
    extras[slot].notificationCount += 1
    timers.arm(&notifications[place].timer, at: due, .notification(place))
  }

  mutating func cancelNotification(_ id: UInt32, of app: UInt32, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    if let slot = extra(app) { remove(notification: id, slot) }
  }

  /// Shown to the user, or delivered to the app that the user has before them.
  mutating func notificationFired(_ place: UInt32, _ actions: inout ActionBuffer) {
    notifications[place].timer = .none
    let (app, id) = (notifications[place].app, notifications[place].id)
    unlink(place, makeExtras(app))
    guard apps[app].presence.isInFront else {
      return actions.append(.localNotification(AppID(rawValue: app), id: id, .shown))
    }
    enqueue(RunLoopItem(id: id, kind: .localNotification), app)
    runLoop(app, &actions)
  }

  /// In the order in which they were scheduled, so the last of the latest comes last.
  private func latestNotification(_ slot: UInt32) -> UInt32? {
    var (place, latest) = (extras[slot].firstNotification, UInt32.max)
    while place != .max {
      if latest == .max || notifications[place].due >= notifications[latest].due { latest = place }
      place = notifications[place].next
    }
    return latest == .max ? nil : latest
  }

  private mutating func remove(notification id: UInt32, _ slot: UInt32) {
    var place = extras[slot].firstNotification
    while place != .max, notifications[place].id != id { place = notifications[place].next }
    if place != .max { unlink(place, slot) }
  }

  private mutating func unlink(_ place: UInt32, _ slot: UInt32) {
    timers.disarm(&notifications[place].timer)
    if extras[slot].firstNotification == place {
      extras[slot].firstNotification = notifications[place].next
    } else {
      var previous = extras[slot].firstNotification
      while notifications[previous].next != place { previous = notifications[previous].next }
      notifications[previous].next = notifications[place].next
    }
    extras[slot].notificationCount -= 1
    notifications.free(place)
  }
}
