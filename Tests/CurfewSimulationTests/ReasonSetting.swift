import CurfewEngine

/// A scenario in which one fact denies one kind, and its twin without the fact.
struct ReasonSetting {
  enum Fact { case present, absent }

  private let kind: KindName
  private let reason: DenialReasons
  /// The policy under which the fact denies the kind. The twin uses ios13, which has every kind.
  private let policy: String

  init(_ kind: KindName, _ reason: DenialReasons, policy: String) {
    self.kind = kind
    self.reason = reason
    self.policy = policy
  }

  func text(_ fact: Fact) -> String {
    let isPresent = fact == .present
    return """
      curfew: scenario/1
      name: \(kind), \(reason.fileName)
      policy: \(isPresent ? policy : "ios13")
      device: {\(isPresent ? device : "")}
      apps:
        app:
          backgroundModes: [\(isPresent && reason == .modeNotDeclared ? "" : BackgroundModes.fileNames.joined(separator: ", "))]
          \(isPresent ? app : "exitsOnSuspend: false")
          returns: {willTerminate: 2s}
      timeline:
        - {at: 0s, do: launch, app: app}
        - {at: 1s, do: \(kind == .finiteTask ? "beginTask, app: app, task: work, for: 1s" : "probe, app: app")}
        - {at: 10s, do: home}
      \((isPresent ? before : plainly).map { "  - {\($0)}" }.joined(separator: "\n"))
      \(asking(fact).map { "  - {\($0)}" }.joined(separator: "\n"))
      """
  }

  private var device: String {
    switch reason {
    case .lowPowerMode: "lowPowerMode: true"
    case .lowBattery: "battery: 15%"
    default: ""
    }
  }

  private var app: String {
    switch reason {
    case .exitsOnSuspend: "exitsOnSuspend: true"
    case .backgroundRefreshDenied: "backgroundRefresh: denied"
    case .backgroundRefreshRestricted: "backgroundRefresh: restricted"
    default: "exitsOnSuspend: false"
    }
  }

  /// The steps that lead to the fact, between 11 and 30 s.
  private var before: [String] {
    switch reason {
    case .forceQuit: ["at: 12s, do: forceQuit, app: app"]
    case .beforeFirstUnlock: ["at: 12s, do: reboot"]
    case .mayNotRelaunch: ["at: 11s, do: launch, app: app", "at: 12s, do: crash, app: app"]
    // The app is running when it is quit, so it is notified and returns after two seconds.
    case .terminating:
      ["at: 11s, do: launch, app: app", "at: 29s, do: forceQuit, app: app"]
    default: plainly
    }
  }

  private var plainly: [String] {
    ["at: 11s, do: lock", "at: 12s, do: unlock", "at: 13s, do: home"]
  }

  /// The steps that ask for the kind, at 30 s.
  private func asking(_ fact: Fact) -> [String] {
    switch PolicyNames().class(of: kind) {
    case .task, nil: return []
    case .session:
      return [
        "at: 30s, do: launch, app: app", "at: 31s, do: startSession, app: app, mode: \(kind)",
      ]
    case .wake:
      if reason == .interval {
        let interval = fact == .present ? "599s" : "600s"
        return [
          "at: 30s, do: launch, app: app",
          "at: 31s, do: setKeepAlive, app: app, interval: \(interval)",
        ]
      }
      // One delivery more than any budget allows, or a single one.
      let count = reason == .budget && fact == .present ? 4 : 1
      return (0..<count).flatMap { index in
        [
          "at: \(30 + index)s, do: deliver, app: app, kind: \(kind)",
          "at: \(30 + index)s, do: completeWake, app: app",
        ]
      }
    }
  }
}
