/// Functions for copies that run ahead, to find out what happens next.
extension Driver {
  /// Whether every deadline still to come is an opportunity. Unlike `hasOnlyOpportunities`, this
  /// is false if a further term of a session is to come.
  package var hasOnlyStarts: Bool { isStepFinished && plans.isEmpty && engine.hasOnlyStarts }

  /// Pulls the rest of the step and makes every app that owes a `returned` return at once. For
  /// copies that run ahead.
  /// - Complexity: O(apps + items to pull).
  package mutating func settle(_ note: (Action, Instant) -> Void = { _, _ in }) {
    pullAll(note)
    for app in 0..<UInt32(engine.appCount) where engine.owesReturn(AppID(rawValue: app)) {
      while engine.owesReturn(AppID(rawValue: app)) {
        say(.returned(AppID(rawValue: app)))
        pullAll(note)
      }
    }
  }

  private mutating func pullAll(_ note: (Action, Instant) -> Void) {
    while let item = pull() {
      switch item {
      case .action(let action): note(action, now)
      case .turn(let app): say(.returned(app))
      case .due: break
      }
    }
  }
}
