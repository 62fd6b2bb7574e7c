import CurfewEngine

extension Policy {
  /// The values of ios13 that the canonical cycle uses, with any number of apps in the foreground.
  static var canonical: Policy { plain(foregroundLimit: nil, memory: .unlimited) }

  /// One app in the foreground and the others suspended at once; only memory matters.
  static func phone(capacity: Int64) -> Policy {
    plain(
      foregroundLimit: 1,
      memory: MemoryRules(
        capacity: capacity, warningLevel: 80, resetLevel: 75, footprint: 50 << 20, appLimit: nil))
  }

  private static func plain(foregroundLimit: UInt32?, memory: MemoryRules) -> Policy {
    Policy(
      multitasking: true, foregroundLimit: foregroundLimit, hasBackgroundRefresh: true,
      hasLowPowerMode: true, suspendDelay: .zero,
      limits: CallbackLimits(
        launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5),
        willTerminate: .seconds(5), code: nil),
      tasks: TaskRules(
        grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000,
        limitCode: nil, code: nil, ageWarning: memory == .unlimited ? .seconds(30) : nil,
        lateBegin: .valid, refreshGate: .open),
      sessions: [:], wakes: [:], memory: memory)
  }
}
