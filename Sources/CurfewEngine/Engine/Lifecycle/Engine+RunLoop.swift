extension Engine {
  /// Takes the items that wait for an app's run loop, up to the first item for which the app owes
  /// a `returned` (rule A2). Then updates the app's suspension.
  @inline(__always)
  mutating func runLoop(_ app: AppID, _ actions: inout ActionBuffer) {
    // Many calls find a busy run loop and nothing that depends on it.
    let isUnchanged =
      policy.limits.withoutAssertionWarning == nil && apps[app].delivery != .none
      && apps[app].flags.isDisjoint(with: [.suspensionDue, .suspensionWaits, .isToldStillOpen])
    if !isUnchanged { takeItems(app, &actions) }
  }

  /// `runLoop` for an app whose run loop is usually free.
  @inline(never)
  mutating func takeItems(_ app: AppID, _ actions: inout ActionBuffer) {
    while apps[app].delivery == .none, !apps[app].items.isEmpty {
      if let step = apps[app].items.takeStep() {
        take(step, app, &actions)
      } else {
        take(items.removeFirst(of: &apps[app].items.records).work, app, &actions)
      }
    }
    if apps[app].flags.contains(.isToldStillOpen) { tellStillOpen(app, &actions) }
    updateSuspension(app)
    updateBusyWatch(app)
  }

  @inline(__always)
  mutating func enqueue(_ step: LifecycleStep, _ app: AppID) {
    guard step != .none else { return }
    if apps[app].items.isEmpty {
      apps[app].items = WaitingItems(step)
    } else {
      enqueue(.lifecycle(step), app)
    }
  }

  mutating func enqueue(_ work: RunLoopItem.Work, _ app: AppID) {
    if let step = apps[app].items.takeStep() { append(.lifecycle(step), app) }
    append(work, app)
  }

  private mutating func append(_ work: RunLoopItem.Work, _ app: AppID) {
    _ = items.append(RunLoopItem(work: work), to: &apps[app].items.records)
  }

  /// Removes a wake's event from the items that wait.
  mutating func removeItem(ofWake place: Place<Assertion>, _ app: AppID) {
    let item = items.first(in: apps[app].items.records) {
      if case .wake(place) = $0.work { true } else { false }
    }
    if let item { items.remove(item, from: &apps[app].items.records) }
  }

  private mutating func take(_ work: RunLoopItem.Work, _ app: AppID, _ actions: inout ActionBuffer)
  {
    switch work {
    case .lifecycle(let step): take(step, app, &actions)
    case .expiration(let place, let id, let visit):
      deliverExpiration(place, id, visit: visit, .expirationHandler, app, &actions)
    case .lastExpiration(let place, let id, let visit):
      deliverExpiration(place, id, visit: visit, .lastExpirationHandler, app, &actions)
    case .wake(let place): deliverWake(place, app, &actions)
    case .wakeExpiration(let place, let id): deliverWakeExpiration(place, id, app, &actions)
    case .sessionExpiration(let place, let kind):
      deliverSessionExpiration(place, kind, app, &actions)
    case .memoryWarning: deliver(.didReceiveMemoryWarning, app, .didReceiveMemoryWarning, &actions)
    case .post(let name, let value): actions.append(.notification(app, name: name, value: value))
    case .localNotification(let id): actions.append(.localNotification(app, id: id, .delivered))
    case .event(let kind):
      call(app, .event)
      actions.append(.event(app, kind))
    }
  }

  mutating func take(_ step: LifecycleStep, _ app: AppID, _ actions: inout ActionBuffer) {
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
      apps[app].flags.remove(.isReportedSlow)
      if limits.start == .delivery { limitDidEnterBackground(app) }
    case .enterForeground:
      if apps[app].state == .suspended { setState(.background, of: app, &actions) }
      deliver(.willEnterForeground, app, .willEnterForeground, &actions)
    case .terminate:
      deliver(.willTerminate, app, .willTerminate, &actions)
      if limits.start == .delivery { limit(app, policy.limits.willTerminate) }
    }
  }

  private mutating func beginLaunch(_ app: AppID, _ actions: inout ActionBuffer) {
    deliver(.willFinishLaunching, app, .willFinishLaunching, &actions)
    apps[app].flags.remove(.isReportedSlow)
    if limits.start == .delivery { limit(app, policy.limits.launchWarning) }
  }

  @inline(__always)
  private mutating func deliver(
    _ callback: Callback, _ app: AppID, _ delivery: PendingDelivery, _ actions: inout ActionBuffer
  ) {
    call(app, delivery)
    actions.append(.callback(app, callback))
  }

  /// Marks an app's run loop as busy.
  @inline(__always)
  mutating func call(_ app: AppID, _ delivery: PendingDelivery) {
    apps[app].delivery = delivery
    calls += 1
  }

  /// Handles the return of a delivery: first the change that waited for it, then the items
  /// behind it.
  mutating func returned(_ app: AppID, _ actions: inout ActionBuffer) {
    let delivery = apps[app].delivery
    precondition(delivery != .none, "App \(app.rawValue) returned from nothing")
    apps[app].delivery = .none
    calls -= 1
    apps[app].flags.remove(.hasBegun)
    switch delivery {
    case .none, .didBecomeActive, .didReceiveMemoryWarning, .expirationHandler, .event, .wake,
      .wakeExpirationHandler,
      .sessionExpirationHandler:
      break
    case .lastExpirationHandler: tellStillOpen(app, &actions)
    case .willFinishLaunching:
      // The two callbacks are one launch: its limit continues, or stops until the next first line.
      if limits.start == .firstLine { holdLaunch(app) }
      deliver(.didFinishLaunching, app, .didFinishLaunching, &actions)
      return updateBusyWatch(app)
    case .didFinishLaunching, .didEnterBackground: takeLimitAway(app)
    case .willResignActive: setState(.inactive, of: app, &actions)
    case .willEnterForeground:
      setState(.inactive, of: app, &actions)
      deliverKeptPosts(app, &actions)
      endDeferrals(of: app, &actions)
    case .willTerminate:
      return terminate(app, EngineProcessEnd(reason: apps[app].reasons.quit), &actions)
    }
    runLoop(app, &actions)
  }
}
