/// The net change under one name, or one location, kept for a suspended app.
struct KeptPost: Linked {
  var next = Place<KeptPost>.nowhere
  let name: UInt32
  /// The value that the app knew when it was suspended.
  fileprivate var before: UInt32?
  fileprivate(set) var value: UInt32?
  /// Whether the post counts as a change even if its value is the one that the app knew: the name
  /// is new, a name has been dropped, or a post had no value.
  fileprivate var mustBeTold = false

  fileprivate var isChange: Bool { mustBeTold || value != before }
}

/// The posts kept for a suspended app.
struct KeptPosts: BitwiseCopyable, Equatable {
  /// The changes in order of their first event.
  fileprivate var changes = Chain<KeptPost>()
  fileprivate var locations = Chain<KeptPost>()
  fileprivate var locationCount: UInt32 = 0
  fileprivate var changeCount: UInt32 = 0
  /// Whether a name has been dropped. A new name then counts as a change: it may be the dropped
  /// name, and the value that the app knew under that name has been forgotten.
  fileprivate var hasDropped = false
}

/// The values that have been posted, and the posts kept for suspended apps (rule A11).
///
/// Invariants: an app has at most one kept change under a name, and `places` has its place;
/// the numbers of changes and locations are at most the rules' limits; a chain is empty unless
/// the app has the flag `isOwedPosts`.
struct Posts: ~Copyable {
  /// The last value posted under a name.
  private struct Value {
    let value: UInt32?
    let sequence: UInt64
  }

  private let rules: NotificationRules
  /// The last value under each name, for the device and for each app.
  private var values: [AppKey: Value] = [:]
  private var sequence: UInt64 = 0
  private(set) var records = Slab<KeptPost>()
  /// The places in `records` of kept changes, by app and name.
  private var places: [AppKey: Place<KeptPost>] = [:]

  init(_ rules: NotificationRules) { self.rules = rules }

  private init(copying other: borrowing Posts) {
    (rules, values, sequence, places) = (other.rules, other.values, other.sequence, other.places)
    records = other.records.copy()
  }

  func copy() -> Posts { Posts(copying: self) }

  /// Notes the value of a post to an app, or to the device.
  mutating func note(_ post: NotificationPost, for app: AppID?) {
    sequence += 1
    values[AppKey(app: app, number: post.name)] = Value(value: post.value, sequence: sequence)
  }

  /// The value that an app knows: its own or the device's, whichever was posted later.
  private func known(_ name: UInt32, to app: AppID) -> Value? {
    let own = values[AppKey(app: app, number: name)]
    guard let device = values[AppKey(app: nil, number: name)] else { return own }
    return own.map { $0.sequence > device.sequence ? $0 : device } ?? device
  }

  /// Keeps a post for a suspended app. Must be called before `note`.
  /// - Returns: The name that was dropped, or nil.
  mutating func keep(_ post: NotificationPost, for app: AppID, in kept: inout KeptPosts) -> UInt32?
  {
    switch post.manner {
    case .queueing:
      _ = records.append(KeptPost(name: post.name, value: post.value), to: &kept.locations)
      kept.locationCount += 1
      guard kept.locationCount > rules.queued else { return nil }
      _ = records.removeFirst(of: &kept.locations)
      kept.locationCount -= 1
      return nil
    case .coalescing:
      let place = change(AppKey(app: app, number: post.name), app, in: &kept)
      records[place].value = post.value
      if post.value == nil { records[place].mustBeTold = true }
      guard let limit = rules.names, kept.changeCount > limit else { return nil }
      return dropOldest(&kept, of: app)
    }
  }

  private mutating func dropOldest(_ kept: inout KeptPosts, of app: AppID) -> UInt32 {
    let name = records.removeFirst(of: &kept.changes).name
    places[AppKey(app: app, number: name)] = nil
    kept.changeCount -= 1
    kept.hasDropped = true
    return name
  }

  private mutating func change(_ key: AppKey, _ app: AppID, in kept: inout KeptPosts) -> Place<
    KeptPost
  > {
    if let place = places[key] { return place }
    let known = known(key.number, to: app)
    let post = KeptPost(
      name: key.number, before: known?.value, mustBeTold: known == nil || kept.hasDropped)
    let place = records.append(post, to: &kept.changes)
    kept.changeCount += 1
    places[key] = place
    return place
  }

  /// Delivers the kept posts to an app: the changes in order of their first event, then
  /// the locations.
  mutating func deliver(_ kept: inout KeptPosts, to app: AppID, _ actions: inout ActionBuffer) {
    records.forEach(in: kept.changes) {
      if $0.isChange { actions.append(.notification(app, name: $0.name, value: $0.value)) }
    }
    records.forEach(in: kept.locations) {
      actions.append(.notification(app, name: $0.name, value: $0.value))
    }
    drop(&kept, of: app)
  }

  mutating func drop(_ kept: inout KeptPosts, of app: AppID) {
    while !kept.changes.isEmpty { _ = dropOldest(&kept, of: app) }
    records.removeAll(of: &kept.locations)
    kept = KeptPosts()
  }

  /// Forgets the values that were posted to this app only.
  /// - Complexity: O(names that have been posted).
  mutating func forget(_ app: AppID) { values = values.filter { $0.key.app != app } }

  func checkInvariants(_ apps: borrowing AppTable) {
    var (changes, locations) = (0, 0)
    for app in apps.ids {
      let kept = apps[extras: app].posts
      let isOwed = !kept.changes.isEmpty || !kept.locations.isEmpty
      precondition(
        !isOwed || apps[app].flags.contains(.isOwedPosts),
        "app \(app.rawValue) has kept posts but no flag for them")
      var walk = records.walk(kept.changes)
      while let place = walk.next(in: records) {
        precondition(
          places[AppKey(app: app, number: records[place].name)] == place,
          "a change for app \(app.rawValue) is lost")
        changes += 1
      }
      let waiting = records.count(kept.locations)
      precondition(
        waiting == kept.locationCount && waiting <= rules.queued,
        "app \(app.rawValue) keeps \(waiting) locations")
      let names = records.count(kept.changes)
      precondition(
        names == kept.changeCount && names <= rules.names ?? .max,
        "app \(app.rawValue) keeps \(names) names")
      locations += waiting
    }
    precondition(
      changes + locations == records.count && changes == places.count, "posts belong to no app")
  }
}
