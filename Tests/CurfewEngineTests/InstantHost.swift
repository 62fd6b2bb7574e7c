import CurfewEngine

/// A host whose apps return at once, without as much as a list of what came out: for tests that
/// count what is allocated.
extension Driver {
  /// Tells of an event, and lets everything follow that does so at this instant.
  mutating func tell(_ event: Event) {
    say(event)
    pass(.zero)
  }

  /// Lets time pass, through every deadline on the way.
  mutating func pass(_ interval: Interval) {
    let end = now + interval
    while let item = next(until: end) { if case .turn(let app) = item { say(.returned(app)) } }
  }

  /// What has come out; who was called keeps the turn.
  mutating func takeActions() -> [Action] {
    var actions: [Action] = []
    while let item = pull() { if case .action(let action) = item { actions.append(action) } }
    return actions
  }
}
