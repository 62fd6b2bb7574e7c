/// What has been posted, and what is kept for apps that were suspended then (rule A11).
struct PostOffice: ~Copyable {
  /// A value that was posted last under a name; negative for none.
  struct Value: BitwiseCopyable {
    var value: Int64
    var sequence: UInt64
  }

  /// What has come for a suspended app under one name, or one location.
  struct Waiting: BitwiseCopyable {
    var name: UInt32
    /// Comes after it.
    var next = UInt32.max
    /// What the app knew when it was suspended; negative for a value that is none.
    var before: Int64 = -1
    var value: Int64 = -1
    /// A change whatever the values say: never posted before, or without a value in between.
    var isChange = false
  }

  /// The last value under each name, of the device and of each app. Never gone through: a dictionary's order is nobody's.
  private var values: [UInt64: Value] = [:]
  private var sequence: UInt64 = 0
  var waiting = Slab<Waiting>()
  /// Where what waits for an app under a name is.
  var places: [UInt64: UInt32] = [:]

  init() {}

  func copy() -> PostOffice {
    var other = PostOffice()
    other.values = values
    other.sequence = sequence
    other.waiting = waiting.copy()
    other.places = places
    return other
  }

  /// The value that an app knows: its own or the device's, whichever came later.
  func value(of name: UInt32, for app: UInt32) -> Value? {
    let own = values[Engine.key(app, name)]
    guard let device = values[Engine.key(.max, name)] else { return own }
    return own.map { $0.sequence > device.sequence ? $0 : device } ?? device
  }

  /// Notes a value for an app, or for the device.
  mutating func note(_ post: Post, for app: UInt32?) {
    sequence += 1
    values[Engine.key(app ?? .max, post.name)] = Value(value: post.value.map(Int64.init) ?? -1, sequence: sequence)
  }
}

extension Engine {
  mutating func post(_ post: Post, to app: UInt32?, _ actions: inout ActionBuffer) {
    if let app {
      bring(post, to: app, &actions)
    } else {
      for app in 0..<UInt32(apps.used) { bring(post, to: app, &actions) }
    }
    posts.note(post, for: app)
  }

  private mutating func bring(_ post: Post, to app: UInt32, _ actions: inout ActionBuffer) {
    switch apps[app].state {
    case .notRunning: break
    case .suspended: keep(post, for: app)
    case .inactive, .active, .background:
      var item = RunLoopItem(kind: .post)
      (item.assertion, item.id, item.visit) = (post.name, post.value ?? 0, post.value == nil ? 0 : 1)
      enqueue(item, app)
      runLoop(app, &actions)
    }
  }

  func deliverPost(_ item: RunLoopItem, _ app: UInt32, _ actions: inout ActionBuffer) {
    actions.append(.notification(AppID(rawValue: app), name: item.assertion, value: item.visit == 0 ? nil : item.id))
  }

  private mutating func keep(_ post: Post, for app: UInt32) {
    let slot = makeExtras(app)
    apps[app].flags.insert(.isOwedPosts)
    let value = post.value.map(Int64.init) ?? -1
    if post.manner == .queueing { return keepLocation(PostOffice.Waiting(name: post.name, value: value), slot) }
    let key = Engine.key(app, post.name)
    let place: UInt32
    if let known = posts.places[key] {
      place = known
    } else {
      var new = PostOffice.Waiting(name: post.name)
      if let known = posts.value(of: post.name, for: app) { new.before = known.value } else { new.isChange = true }
      place = posts.waiting.insert(new)
      posts.places[key] = place
      let last = extras[slot].lastPost
      if last == .max { extras[slot].firstPost = place } else { posts.waiting[last].next = place }
      extras[slot].lastPost = place
    }
    posts.waiting[place].value = value
    if post.value == nil { posts.waiting[place].isChange = true }
  }

  private mutating func keepLocation(_ location: PostOffice.Waiting, _ slot: UInt32) {
    let place = posts.waiting.insert(location)
    let last = extras[slot].lastLocation
    if last == .max { extras[slot].firstLocation = place } else { posts.waiting[last].next = place }
    extras[slot].lastLocation = place
    extras[slot].locationCount += 1
    guard extras[slot].locationCount > policy.notifications.queued else { return }
    let oldest = extras[slot].firstLocation
    extras[slot].firstLocation = posts.waiting[oldest].next
    if extras[slot].firstLocation == .max { extras[slot].lastLocation = .max }
    extras[slot].locationCount -= 1
    posts.waiting.free(oldest)
  }

  /// Tells an app that runs again what it missed: what has changed, by first event, then the locations.
  @inline(__always)
  mutating func deliverKeptPosts(_ app: UInt32, _ actions: inout ActionBuffer) {
    if apps[app].flags.contains(.isOwedPosts) { emptyPosts(of: app, .delivered, &actions) }
  }

  /// A process that has ended is owed nothing.
  @inline(__always)
  mutating func dropKeptPosts(_ app: UInt32, _ actions: inout ActionBuffer) {
    if apps[app].flags.contains(.isOwedPosts) { emptyPosts(of: app, .dropped, &actions) }
  }

  private enum PostFate { case delivered, dropped }

  @inline(never)
  private mutating func emptyPosts(of app: UInt32, _ fate: PostFate, _ actions: inout ActionBuffer) {
    apps[app].flags.remove(.isOwedPosts)
    guard let slot = extra(app) else { return }
    var place = extras[slot].firstPost
    while place != .max {
      let post = posts.waiting[place]
      posts.places[Engine.key(app, post.name)] = nil
      if fate == .delivered, post.isChange || post.value != post.before { tell(post, app, &actions) }
      posts.waiting.free(place)
      place = post.next
    }
    place = extras[slot].firstLocation
    while place != .max {
      let post = posts.waiting[place]
      if fate == .delivered { tell(post, app, &actions) }
      posts.waiting.free(place)
      place = post.next
    }
    (extras[slot].firstPost, extras[slot].lastPost) = (.max, .max)
    (extras[slot].firstLocation, extras[slot].lastLocation) = (.max, .max)
    extras[slot].locationCount = 0
  }

  private func tell(_ post: PostOffice.Waiting, _ app: UInt32, _ actions: inout ActionBuffer) {
    actions.append(.notification(AppID(rawValue: app), name: post.name, value: post.value < 0 ? nil : UInt32(post.value)))
  }
}
