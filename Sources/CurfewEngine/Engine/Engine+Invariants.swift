extension Engine {
  /// Walks the whole engine and stops the program where its structure contradicts itself. For tests.
  /// - Complexity: O(apps + assertions + deadlines).
  package func checkInvariants() {
    timers.checkInvariants()
    var (openTasks, processing) = (0, 0)
    var assertionCount = 0
    var waiting = 0
    for app in 0..<UInt32(apps.used) {
      let record = apps[app]
      var (tasks, others, defining) = (UInt32(0), UInt32(0), UInt32(0))
      var (slot, previous, lastTask) = (firstAssertion(of: app), record.lastAssertion, UInt32(0))
      while slot != .max {
        let assertion = assertions[slot]
        precondition(assertion.app == app && assertion.previous == previous, "app \(app)'s assertions are broken")
        if assertion.kind == .finiteTask {
          precondition(assertion.id > lastTask, "app \(app)'s tasks are out of order")
          lastTask = assertion.id
          tasks += 1
        } else {
          others += 1
          if assertion.kind == .processing { processing += 1 }
          if rows[Int(assertion.kind.rawValue)].definesStart { defining += 1 }
        }
        assertionCount += 1
        (previous, slot) = (slot, self.assertion(after: slot, of: app))
      }
      openTasks += Int(tasks)
      precondition(
        UInt32(record.openTasks) == tasks && UInt32(record.otherAssertions) == others && UInt32(record.startDefining) == defining,
        "app \(app)'s counts are off")
      let runs = record.state == .background && tasks > 0 && defining == 0
      precondition(record.flags.contains(.clockRuns) == runs, "app \(app)'s clock should \(runs ? "run" : "stand still")")
      precondition((record.clockTimer != .none) == runs, "app \(app)'s clock and its deadline disagree")
      precondition(!runs || record.clock >= now.nanoseconds, "app \(app)'s grant ended in the past")
      precondition(record.state != .notRunning || tasks == 0 && others == 0 && record.delivery == .none, "app \(app) is a ghost")
      precondition(
        record.state != .suspended || tasks == 0 && others == 0 && record.delivery == .none, "app \(app) was suspended too early")
      precondition(policy.foregroundLimit == nil || record.flags.contains(.inFront) == front.contains(app), "the foreground is off")
      if record.lastItem != .max {
        var item = record.lastItem
        repeat {
          waiting += 1
          item = items[item].next
        } while item != record.lastItem
      }
    }
    precondition(assertionCount == assertions.count, "\(assertions.count - assertionCount) assertions belong to nobody")
    precondition(waiting == items.count, "\(items.count - waiting) run loop items belong to nobody")
    precondition(processing == processingWakes, "\(processingWakes) processing wakes, of which \(processing) are held")
    if let limit = policy.foregroundLimit { precondition(front.count <= limit, "too many apps in the foreground") }
    checkMemory()
    checkExtras()
  }

  private func checkMemory() {
    var (inUse, running, purgeable, inFront) = (Int64(0), 0, 0, 0)
    for app in 0..<UInt32(apps.used) {
      let record = apps[app]
      if record.flags.contains(.inFront) { inFront += 1 }
      guard record.state != .notRunning, record.presence != .terminating else { continue }
      inUse += footprint(app)
      if record.isRunning { running += 1 }
      if record.presence == .background { purgeable += 1 }
    }
    precondition(memory.inUse == inUse, "\(memory.inUse) bytes are said to be in use, \(inUse) are")
    precondition(memory.running == running && memory.purgeable == purgeable, "memory miscounts who runs or may go")
    precondition(frontCount == inFront, "\(frontCount) apps are said to be in front, \(inFront) are")
    precondition(frontCount == 0 || isUserPresent, "somebody is in front and nobody there")
    for app in memory.overLimit { precondition(apps[app].state != .notRunning, "app \(app) is gone and over its limit") }
    precondition(Set(memory.overLimit).count == memory.overLimit.count, "an app is over its limit twice")
  }

  /// Lists of rare things, and what is counted of them.
  private func checkExtras() {
    var (requestCount, waiting, notificationCount, timers, useCount, spans, kept) = (0, 0, 0, 0, 0, 0, 0)
    for slot in 0..<UInt32(extras.used) {
      let record = extras[slot]
      precondition(extraOf[Int(record.app)] == slot, "app \(record.app)'s extras are another's")
      timers += (record.fetchTimer == .none ? 0 : 1) + (record.keepAliveTimer == .none ? 0 : 1)
      var place = record.firstRequest
      while place != .max {
        precondition(requests[place].app == record.app, "app \(record.app)'s requests are broken")
        requestCount += 1
        if requests[place].isWaiting { waiting += 1 }
        place = requests[place].next
      }
      place = record.firstNotification
      var count: UInt32 = 0
      while place != .max {
        count += 1
        place = notifications[place].next
      }
      let isKept = count == record.notificationCount && count <= policy.notifications.kept
      precondition(isKept, "app \(record.app) keeps \(count) notifications")
      notificationCount += Int(count)
      place = record.firstUse
      while place != .max {
        useCount += 1
        place = uses[place].next
      }
      place = record.processor.firstSpan
      while place != .max {
        spans += 1
        place = processorSpans[place].next
      }
      kept += keptPosts(record.firstPost) + keptPosts(record.firstLocation)
      let isOwed = record.firstPost != .max || record.firstLocation != .max
      precondition(!isOwed || apps[record.app].flags.contains(.isOwedPosts), "app \(record.app) is not told of what it is owed")
      precondition((record.locks > 0) == apps[record.app].flags.contains(.holdsLock), "app \(record.app)'s locks are off")
    }
    precondition(timers == opportunities, "\(opportunities) opportunities, \(timers) deadlines of them")
    precondition(requestCount == requests.count && waiting == waitingRequests, "requests are miscounted")
    precondition(notificationCount == notifications.count, "notifications belong to nobody")
    precondition(useCount == uses.count && spans == processorSpans.count, "uses or spans belong to nobody")
    precondition(kept == posts.waiting.count && posts.places.count <= kept, "posts belong to nobody")
  }

  private func keptPosts(_ first: UInt32) -> Int {
    var (count, place) = (0, first)
    while place != .max {
      count += 1
      place = posts.waiting[place].next
    }
    return count
  }
}
