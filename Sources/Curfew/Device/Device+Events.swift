public import CurfewEngine

/// Events that the user and the system cause on the device.
extension Device {
  /// The user leaves the app in the foreground, if there is one.
  public func home() { core.tell(.home(nil)) }

  /// The device is locked: all apps leave the foreground.
  public func lock() { core.tell(.lock) }

  /// The device is unlocked: the apps that left the foreground because of the lock return to it.
  public func unlock() { core.tell(.unlock) }

  /// The device restarts: every process ends without a callback. Nothing is launched in
  /// the background before the first unlock (rule A8).
  public func reboot() { core.tell(.reboot) }

  /// The facts of the device: battery, power, network, memory, switches.
  public var facts: DeviceFacts { core.withState { $0.driver.engine.deviceFacts } }

  /// Changes the facts of the device: `device.update { $0.lowPowerMode = true }`. The change
  /// affects everything that is pending, at once (rule B3).
  ///
  /// If another thread changes the facts at the same time, `change` is called again with the
  /// new facts.
  public func update(_ change: (inout DeviceFacts) -> Void) {
    var found = facts
    var isMade = false
    while !isMade {
      var facts = found
      change(&facts)
      precondition(facts.battery <= 100, "The battery is above 100 %: \(facts.battery) %")
      precondition(facts.memory ?? 0 >= 0, "The memory is negative: \(facts.memory ?? 0) bytes")
      let before = found
      // On a closed device the change has no effect.
      isMade = true
      core.tell { state in
        found = state.driver.engine.deviceFacts
        isMade = found == before
        return isMade ? .setDevice(facts) : nil
      }
    }
  }

  /// Sets whether a fact of the device holds from now on. The policy declares the fact. The change
  /// affects everything that is pending, at once (rule B3).
  /// - Precondition: The policy declares such a fact of the device.
  public func setFact(_ fact: String, to holds: Bool) {
    core.tell(.setFact(nil, core.number(ofFact: fact, ofApp: false), holds: holds))
  }

  /// Posts an event, and every app is notified. For a suspended app, posts are merged into their
  /// net change (rule A11).
  public func post(_ name: String, value: String? = nil) { core.post(name, value, to: nil) }

  /// Revokes every grant now (rule F11): expiration handlers are called, and tasks end after
  /// the time that the policy sets between warning and end.
  public func expireTasks(_ reason: ExpirationReason = .policyRevoked) {
    core.tell(.expireTasks(nil, reason))
  }
}
