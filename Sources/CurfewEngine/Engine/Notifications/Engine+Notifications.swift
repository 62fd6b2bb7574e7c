/// Local notifications (rule N1).
extension Engine {
  /// - Complexity: O(the app's scheduled notifications).
  mutating func scheduleNotification(
    _ id: UInt32, after interval: Interval, of app: AppID, _ actions: inout ActionBuffer
  ) {
    precondition(interval >= .zero, "A notification \(interval.nanoseconds) ns ago")
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let notification = LocalNotification(app: app, id: id, due: now + interval)
    notifications.schedule(notification, in: &apps[extras: app].notifications, &timers)
  }

  mutating func cancelNotification(_ id: UInt32, of app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].isRunning else { return illegal(app, &actions) }
    guard !apps[extras: app].notifications.isEmpty else { return }
    notifications.cancel(id, in: &apps[extras: app].notifications, &timers)
  }

  /// Shows a due notification to the user, or delivers it to its app if the app is in front.
  mutating func notificationFired(_ place: Place<LocalNotification>, _ actions: inout ActionBuffer)
  {
    let notification = notifications.take(place, &apps)
    let app = notification.app
    guard apps[app].presence.isInFront else {
      return actions.append(.localNotification(app, id: notification.id, .shown))
    }
    enqueue(.localNotification(id: notification.id), app)
    runLoop(app, &actions)
  }

  /// Shows the user the notifications that were due and waited for the run loop of a process that
  /// has ended.
  /// - Complexity: O(items that wait).
  mutating func showUndelivered(_ app: AppID, _ actions: inout ActionBuffer) {
    var walk = items.walk(apps[app].items.records)
    while let place = walk.next(in: items) {
      if case .localNotification(let id) = items[place].work {
        actions.append(.localNotification(app, id: id, .shown))
      }
    }
  }
}
