/// Posts (rule A11).
extension Engine {
  mutating func post(_ post: NotificationPost, to app: AppID?, _ actions: inout ActionBuffer) {
    if let app {
      guard exists(app) else { return illegal(app, &actions) }
      bring(post, to: app, &actions)
    } else {
      for app in apps.ids { bring(post, to: app, &actions) }
    }
    posts.note(post, for: app)
  }

  private mutating func bring(
    _ post: NotificationPost, to app: AppID, _ actions: inout ActionBuffer
  ) {
    switch apps[app].state {
    case .notRunning: break
    case .suspended:
      apps[app].flags.insert(.isOwedPosts)
      if let lost = posts.keep(post, for: app, in: &apps[extras: app].posts) {
        actions.append(.notificationDropped(app, name: lost))
      }
    case .inactive, .active, .background:
      enqueue(.post(name: post.name, value: post.value), app)
      runLoop(app, &actions)
    }
  }

  /// Delivers the kept posts to an app that runs again.
  @inline(__always)
  mutating func deliverKeptPosts(_ app: AppID, _ actions: inout ActionBuffer) {
    guard apps[app].flags.contains(.isOwedPosts) else { return }
    apps[app].flags.remove(.isOwedPosts)
    posts.deliver(&apps[extras: app].posts, to: app, &actions)
  }

  /// Drops the kept posts of a process that has ended.
  @inline(__always)
  mutating func dropKeptPosts(_ app: AppID) {
    guard apps[app].flags.contains(.isOwedPosts) else { return }
    apps[app].flags.remove(.isOwedPosts)
    posts.drop(&apps[extras: app].posts, of: app)
  }
}
