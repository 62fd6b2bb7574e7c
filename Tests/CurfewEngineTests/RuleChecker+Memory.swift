import CurfewEngine

/// Memory (rules M1, M2), summed up at every check.
extension RuleChecker {
  /// The result of a memory check.
  enum Look: Equatable {
    /// An app is over its own limit.
    case kill(Int)
    /// Running apps are to be warned.
    case warn
    /// An app makes room.
    case purge(Int)
    /// No app can make room, which is to be reported.
    case tell
  }

  /// No footprint above this means anything.
  static let mostMemory: Int64 = 1 << 40

  private func isCounted(_ app: Int) -> Bool {
    apps[app].state != .notRunning && apps[app].quit == nil
  }

  private func footprint(_ app: Int) -> Int64 {
    min(standing[app].footprint, RuleChecker.mostMemory)
  }

  var memoryInUse: Int64 { apps.indices.filter(isCounted).map(footprint).reduce(0, +) }

  private var capacity: Int64 { device.memory ?? policy.memory.capacity }

  /// Resets the levels as soon as use falls.
  mutating func settleLevels() {
    if isLess(memoryInUse, thanPercent: policy.memory.resetLevel) { hasWarnedOfMemory = false }
    if memoryInUse <= capacity { hasToldOverCapacity = false }
    if !isMore(memoryInUse, thanPercent: policy.memory.purgeTo ?? policy.memory.purgeAbove) {
      isPurging = false
    }
  }

  private func isLess(_ use: Int64, thanPercent level: UInt8) -> Bool {
    let (use, limit) = (
      use.multipliedFullWidth(by: 100), capacity.multipliedFullWidth(by: Int64(level))
    )
    return (use.high, use.low) < (limit.high, limit.low)
  }

  private func isMore(_ use: Int64, thanPercent level: UInt8) -> Bool {
    let (use, limit) = (
      use.multipliedFullWidth(by: 100), capacity.multipliedFullWidth(by: Int64(level))
    )
    return (use.high, use.low) > (limit.high, limit.low)
  }

  /// The next thing to do about memory.
  func nextLook() -> Look? {
    let counted = apps.indices.filter(isCounted)
    if let app = apps.indices.first(where: {
      apps[$0].state != .notRunning && footprint($0) > standing[$0].memoryLimit ?? .max
    }) {
      return .kill(app)
    }
    if isMore(memoryInUse, thanPercent: policy.memory.warningLevel), !hasWarnedOfMemory,
      counted.contains(where: { apps[$0].state.isAwake })
    {
      return .warn
    }
    let level =
      isPurging ? policy.memory.purgeTo ?? policy.memory.purgeAbove : policy.memory.purgeAbove
    guard isMore(memoryInUse, thanPercent: level) else { return nil }
    let victims = counted.filter { !front.contains($0) }.sorted { goes($0, before: $1) }
    return victims.first.map { .purge($0) }
      ?? (hasToldOverCapacity || memoryInUse <= capacity ? nil : .tell)
  }

  /// Suspended apps first, then running ones without sound or an accessory, then running ones with
  /// either. Within each group: the policy's order; then the largest, the one longest not in front,
  /// and file order.
  func goes(_ a: Int, before b: Int) -> Bool {
    func tier(_ app: Int) -> Int {
      if apps[app].state == .suspended { return 0 }
      let wakes = apps[app].wakes.map(\.kind) + apps[app].lingers.map(\.kind)
      let isHeld = wakes.contains { policy.wakes[$0]?.isPurgedLast == true }
      return isHeld
        || apps[app].sessions.contains {
          $0.isHeld && policy.sessions[$0.kind]?.isPurgedLast == true
        } ? 2 : 1
    }
    func weight(_ app: Int) -> Int64 {
      switch policy.memory.purge {
      case .largest: -footprint(app)
      case .leastRecentlyUsed: Int64(standing[app].departure)
      case .leastCostly: (standing[app].manifest.startCost ?? policy.memory.startCost).nanoseconds
      }
    }
    return (tier(a), weight(a), -footprint(a), standing[a].departure, a) < (
      tier(b), weight(b), -footprint(b), standing[b].departure, b
    )
  }

  // MARK: The check

  mutating func beginLook() {
    look = nextLook()
    demand(look != nil, "a memory check was not due")
    switch look {
    case .warn:
      hasWarnedOfMemory = true
      for app in apps.indices where apps[app].state.isAwake && apps[app].quit == nil {
        apps[app].waiting.append(.memoryWarning)
      }
    case .purge(let app):
      isPurging = true
      if apps[app].state.isAwake { apps[app].quit = .memoryPressure }
    case .kill, .tell, nil: break
    }
  }

  mutating func endLook() {
    switch look {
    case .kill(let app): demand(apps[app].state == .notRunning, "app \(app) outlives its own limit")
    case .purge(let app):
      demand(
        apps[app].state == .notRunning || apps[app].quit == .memoryPressure,
        "app \(app) was not purged")
    case .tell: demand(hasToldOverCapacity, "it was not reported that memory is over capacity")
    case .warn, nil: break
    }
    look = nil
  }

  mutating func noteOverCapacity() {
    demand(look == .tell, "memory is not over capacity, or this was already reported")
    hasToldOverCapacity = true
  }
}
