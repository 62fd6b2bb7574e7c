import CurfewEngine

extension Policy {
  /// The values of ios13 that the cycle uses, with any number of apps in the foreground.
  static let canonical = simple(grant: .seconds(30))

  /// A policy of tasks alone: suspension is immediate, and nothing else ends an app.
  static func simple(
    grant: Interval, foregroundLimit: UInt32? = nil, ageWarning: Interval? = .seconds(30),
    sessions: [AssertionKind: SessionRules] = [:], wakes: [AssertionKind: WakeRules] = [:],
    memory: MemoryRules = .unlimited
  ) -> Policy {
    Policy(
      multitasking: true, foregroundLimit: foregroundLimit, hasBackgroundRefresh: true,
      hasLowPowerMode: true, suspendDelay: .zero,
      limits: CallbackLimits(
        launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5),
        willTerminate: .seconds(5), code: nil),
      tasks: TaskRules(
        grant: grant, grantAfterWake: grant, warning: .seconds(5), limit: 1000, limitCode: nil,
        code: nil, ageWarning: ageWarning, lateBegin: .valid, refreshGate: .open),
      sessions: sessions, wakes: wakes, memory: memory)
  }
}
