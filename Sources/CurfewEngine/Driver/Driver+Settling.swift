/// Of copies that are let go on, to see what comes.
extension Driver {
  /// Whether nothing is to come of itself but opportunities, where sessions' further terms are
  /// something to come: see `hasOnlyOpportunities`.
  package var hasOnlyStarts: Bool { isStepFinished && plans.isEmpty && engine.hasOnlyStarts }

  /// Pulls all that is left of the step, and has every app that is in the middle of something
  /// return at once: of a copy of which somebody wants to know what comes.
  /// - Complexity: O(apps + what there is to pull).
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
