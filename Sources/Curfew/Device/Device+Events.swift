public import CurfewEngine

/// What the user does with the device, and what becomes of it.
extension Device {
  /// The user leaves the app in front, where there is one.
  public func home() { core.tell(.home(nil)) }

  /// The device is locked: whatever is in front is sent away.
  public func lock() { core.tell(.lock) }

  /// The device is unlocked, onto what was in front.
  public func unlock() { core.tell(.unlock) }

  /// The device restarts: every process ends without a word, and nothing but what survives a force
  /// quit runs before the first unlock.
  public func reboot() { core.tell(.reboot) }

  /// What the device is like.
  public var facts: DeviceFacts { core.withState { $0.driver.engine.deviceFacts } }

  /// What the device is like changes, with effect at once on everything that is pending (rule
  /// B3): `device.update { $0.lowPowerMode = true }`.
  ///
  /// Where somebody else changes it at the same time, `change` is made again, on what that left.
  public func update(_ change: (inout DeviceFacts) -> Void) {
    var found = facts
    var isMade = false
    while !isMade {
      var facts = found
      change(&facts)
      precondition(facts.battery <= 100, "A battery at \(facts.battery) %")
      precondition(facts.memory ?? 0 >= 0, "A memory of \(facts.memory ?? 0) bytes")
      let before = found
      // On a closed device nothing is left to change.
      isMade = true
      core.tell { state in
        found = state.driver.engine.deviceFacts
        isMade = found == before
        return isMade ? .setDevice(facts) : nil
      }
    }
  }

  /// A fact of the device that the policy declares holds from now on, or does not, with effect at
  /// once on everything that is pending (rule B3).
  /// - Precondition: The policy declares such a fact of the device.
  public func setFact(_ fact: String, _ holds: Bool) {
    core.tell(.setFact(nil, core.number(ofFact: fact, ofApp: false), holds: holds))
  }

  /// Something happens that every app is notified of; what comes while one is suspended coalesces
  /// (rule A11).
  public func post(_ name: String, value: String? = nil) { core.post(name, value, to: nil) }

  /// Every grant is taken back now (rule F11): handlers are called, and tasks end with what
  /// the warning leaves.
  public func expireTasks(_ reason: ExpirationReason = .policyRevoked) {
    core.tell(.expireTasks(nil, reason))
  }
}
