import CurfewEngine

extension DeviceState {
  /// The cost of `checkInvariants`.
  var size: Int { apps.count + tasks.count + outbox.count }

  /// Checks each part of the device, and stops the program if the structure is inconsistent. The
  /// engine has its own check. Call this function when the lock is about to be released.
  /// - Complexity: O(`size`).
  func checkInvariants(isRealTime: Bool) {
    apps.checkInvariants(isClosed: isClosed)
    outbox.checkInvariants()
    warnings.checkInvariants(isRealTime: isRealTime)
    jobs.checkInvariants()
    sleeps.checkInvariants()
    log.checkInvariants(isClosed: isClosed)
    var open = 0
    for app in apps.ids {
      open += tasks.checkInvariants(endingWith: apps[app].lastTask, of: app)
      guard !isClosed else { continue }
      let (name, runs) = (apps[app].name, driver.engine.state(of: app) != .notRunning)
      precondition(
        (apps[app].process != nil) == runs,
        "\(name) \(runs ? "runs without a process" : "has a process but is not running")")
      precondition(apps[app].process?.isAlive ?? true, "\(name)'s process is dead")
      precondition(
        apps.isRegistered(app) != driver.engine.isRemoved(app),
        "\(name) is removed and registered, or neither")
    }
    precondition(isClosed || !isAtRest || !driver.isDue, "something is due that nobody looked for")
    precondition(open == tasks.count, "\(tasks.count) tasks are open, \(open) belong to apps")
    guard isClosed else { return }
    let isEmpty = outbox.isEmpty && warnings.isEmpty && sleeps.next == nil && waiters.isEmpty
    precondition(isEmpty, "a closed device has something to do")
  }
}

extension DeviceCore {
  /// Checks the device in debug builds. Each release of the lock pays for 16 apps, tasks and
  /// deliveries, so a device of 10,000 apps is checked once in 625 releases, and a small device at
  /// each release.
  func checkInvariants() {
    assert(
      {
        paidSize += 16
        guard paidSize >= state.size else { return true }
        paidSize = 0
        state.checkInvariants(isRealTime: clock != nil)
        let isArmed =
          clock == nil || state.isClosed || isTickComing
          || state.armed <= state.driver.nextInstant ?? .distantFuture
        precondition(isArmed, "the clock is armed to \(state.armed), after what comes next")
        return true
      }())
  }
}
