extension Engine {
  /// Lets an app's run loop take what waits for it, until something has to be waited for (rule A2), then looks whether the app is to be suspended.
  mutating func runLoop(_ app: UInt32, _ actions: inout ActionBuffer) {
    while apps[app].delivery == .none, apps[app].lastItem != .max { take(dequeue(app), app, &actions) }
    updateSuspension(app)
  }

  @inline(__always)
  mutating func enqueue(_ step: LifecycleStep, _ app: UInt32) {
    guard step != .none else { return }
    enqueue(RunLoopItem(kind: .lifecycle, step: step), app)
  }

  mutating func enqueue(_ item: RunLoopItem, _ app: UInt32) {
    let slot = items.insert(item)
    let last = apps[app].lastItem == .max ? slot : apps[app].lastItem
    items[slot].next = last == slot ? slot : items[last].next
    items[last].next = slot
    apps[app].lastItem = slot
  }

  /// Takes out what has waited the longest.
  /// - Precondition: Something waits.
  mutating func dequeue(_ app: UInt32) -> RunLoopItem {
    let last = apps[app].lastItem
    let slot = items[last].next
    let item = items[slot]
    if slot == last { apps[app].lastItem = .max } else { items[last].next = item.next }
    items.free(slot)
    return item
  }

  /// Takes a wake's event out of what waits.
  mutating func removeItem(ofWake slot: UInt32, _ app: UInt32) {
    var (previous, last) = (apps[app].lastItem, apps[app].lastItem)
    guard last != .max else { return }
    repeat {
      let item = items[previous].next
      guard items[item].kind == .wake, items[item].assertion == slot else {
        previous = item
        continue
      }
      items[previous].next = items[item].next
      if item == last { last = previous == item ? .max : previous }
      apps[app].lastItem = last
      return items.free(item)
    } while previous != last
  }

  private mutating func take(_ item: RunLoopItem, _ app: UInt32, _ actions: inout ActionBuffer) {
    switch item.kind {
    case .lifecycle: take(item.step, app, &actions)
    case .expiration: deliverExpiration(item, app, &actions)
    case .wake: deliverWake(item, app, &actions)
    case .memoryWarning: deliver(.didReceiveMemoryWarning, app, .didReceiveMemoryWarning, &actions)
    case .post: deliverPost(item, app, &actions)
    case .localNotification: actions.append(.localNotification(AppID(rawValue: app), id: item.id, .delivered))
    case .event:
      apps[app].delivery = .event
      actions.append(.event(AppID(rawValue: app), item.eventKind))
    }
  }

  mutating func take(_ step: LifecycleStep, _ app: UInt32, _ actions: inout ActionBuffer) {
    switch step {
    case .none: break
    case .launch:
      setState(.inactive, of: app, &actions)
      beginLaunch(app, &actions)
    case .launchInBackground:
      setState(.background, of: app, grant: policy.tasks.grantAfterWake, &actions)
      beginLaunch(app, &actions)
    case .becomeActive:
      setState(.active, of: app, &actions)
      deliver(.didBecomeActive, app, .didBecomeActive, &actions)
    case .resignActive:
      deliver(.willResignActive, app, .willResignActive, &actions)
    case .enterBackground:
      setState(.background, of: app, &actions)
      deliver(.didEnterBackground, app, .didEnterBackground, &actions)
      if limitStart == .delivery { limit(app, policy.limits.didEnterBackground) }
    case .enterForeground:
      if apps[app].state == .suspended { setState(.background, of: app, &actions) }
      deliver(.willEnterForeground, app, .willEnterForeground, &actions)
    case .terminate:
      deliver(.willTerminate, app, .willTerminate, &actions)
      if limitStart == .delivery { limit(app, policy.limits.willTerminate) }
    }
  }

  private mutating func beginLaunch(_ app: UInt32, _ actions: inout ActionBuffer) {
    deliver(.willFinishLaunching, app, .willFinishLaunching, &actions)
    apps[app].flags.remove(.launchWarned)
    if limitStart == .delivery { limit(app, policy.limits.launchWarning) }
  }

  @inline(__always)
  private mutating func deliver(_ callback: Callback, _ app: UInt32, _ delivery: Delivery, _ actions: inout ActionBuffer) {
    apps[app].delivery = delivery
    actions.append(.callback(AppID(rawValue: app), callback))
  }

  /// A delivery has returned: what was waiting for that happens, then what waits behind it.
  mutating func returned(_ app: UInt32, _ actions: inout ActionBuffer) {
    let delivery = apps[app].delivery
    precondition(delivery != .none, "App \(app) returned from nothing")
    apps[app].delivery = .none
    apps[app].flags.remove(.hasBegun)
    switch delivery {
    case .none, .didBecomeActive, .didReceiveMemoryWarning, .expirationHandler, .event: break
    case .willFinishLaunching:
      // One launch: the limit goes on, or waits for the next first line.
      if limitStart == .firstLine { holdLaunch(app) }
      return deliver(.didFinishLaunching, app, .didFinishLaunching, &actions)
    case .didFinishLaunching, .didEnterBackground: takeLimitAway(app)
    case .willResignActive: setState(.inactive, of: app, &actions)
    case .willEnterForeground:
      setState(.inactive, of: app, &actions)
      deliverKeptPosts(app, &actions)
    case .willTerminate: return terminate(app, Termination(reason: apps[app].reasons.quit), &actions)
    }
    runLoop(app, &actions)
  }
}
