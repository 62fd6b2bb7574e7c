import CurfewEngine

/// A host whose apps return at once and that keeps no list of actions, for tests that
/// count allocations.
extension Driver {
  /// Passes an event, and everything that follows at this instant.
  mutating func tell(_ event: Event) {
    say(event)
    pass(.zero)
  }

  /// Lets time pass, through every deadline on the way.
  mutating func pass(_ interval: Interval) {
    let end = now + interval
    while let item = next(until: end) { if case .turn(let app) = item { say(.returned(app)) } }
  }

  /// The actions so far; a called app keeps its turn.
  mutating func takeActions() -> [Action] {
    var actions: [Action] = []
    while let item = pull() { if case .action(let action) = item { actions.append(action) } }
    return actions
  }
}
