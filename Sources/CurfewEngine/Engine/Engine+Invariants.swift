extension Engine {
  /// Walks the whole engine and stops the program where its structure contradicts itself. For tests.
  /// - Complexity: O(apps + assertions + deadlines).
  package func checkInvariants() {
    timers.checkInvariants()
    var openTasks = 0
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
          if rows[Int(assertion.kind.rawValue)].definesStart { defining += 1 }
        }
        assertionCount += 1
        (previous, slot) = (slot, self.assertion(after: slot, of: app))
      }
      openTasks += Int(tasks)
      precondition(
        UInt32(record.openTasks) == tasks && record.otherAssertions == others && record.startDefining == defining,
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
    if let limit = policy.foregroundLimit { precondition(front.count <= limit, "too many apps in the foreground") }
  }
}
