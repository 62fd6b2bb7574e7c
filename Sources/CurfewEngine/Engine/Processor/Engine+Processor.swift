/// The limit on the processor use of an app in the background within a window (rule D4).
extension Engine {
  mutating func useCPU(
    _ share: UInt32, for length: Interval, of app: AppID, _ actions: inout ActionBuffer
  ) {
    precondition(
      share <= CPURules.greatestShare && length >= .zero, "\(share) % for \(length.nanoseconds) ns")
    guard apps[app].isRunning else { return illegal(app, &actions) }
    apps[app].flags.insert(.usesCPU)
    let counts = apps[app].state == .background
    processor.set(
      &apps[extras: app].processor, to: share, until: now + length, counts: counts, now: now)
    armProcessor(app)
  }

  /// Starts to count an app's use when the app enters the background, and stops when it leaves.
  @inline(never)
  mutating func noteVisit(_ app: AppID, isInBackground: Bool) {
    if isInBackground {
      processor.start(&apps[extras: app].processor, now: now)
    } else {
      processor.stop(&apps[extras: app].processor)
    }
    armProcessor(app)
  }

  mutating func processorFired(_ app: AppID, _ actions: inout ActionBuffer) {
    apps[extras: app].processor.timer = .none
    terminate(app, EngineProcessEnd(reason: .cpuResourceLimit), &actions)
  }

  /// Sets the deadlines of all apps again after the device's power has changed.
  /// - Complexity: O(apps).
  mutating func armAllProcessors() {
    for app in apps.ids where apps[app].flags.contains(.usesCPU) { armProcessor(app) }
  }

  private mutating func armProcessor(_ app: AppID) {
    let end = processor.exhaustion(
      of: apps[extras: app].processor, now: now, charging: deviceFacts.charging)
    if let end {
      timers.arm(&apps[extras: app].processor.timer, at: end, .processor(app))
    } else {
      timers.disarm(&apps[extras: app].processor.timer)
    }
  }
}
