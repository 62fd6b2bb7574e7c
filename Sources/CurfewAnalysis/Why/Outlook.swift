package import CurfewEngine
import CurfewPolicy
package import CurfewTrace

/// The future of an app if nothing more happens from outside, found by running a copy of
/// its engine.
package enum Outlook {
  /// The limit on the steps that are run ahead. If a state lasts longer, for example because other
  /// apps' wakes recur, its end does not matter to a reader.
  private static let mostSteps = 10_000

  /// The lines from now up to the app's next change of state, including all lines of that instant.
  /// Empty if the state has not changed after 10,000 steps, or if only opportunities for starts
  /// are left.
  ///
  /// Callbacks return at once, including a callback that is in progress.
  /// - Complexity: O(steps), at most 10,000.
  package static func lines(of app: AppID, in driver: borrowing Driver, _ coder: TraceCoder)
    -> [TraceLine]
  {
    var ahead = driver.copy()
    var (coder, lines) = (coder, [TraceLine]())
    let state = ahead.engine.state(of: app)
    func tell(_ action: Action, at now: Instant) {
      coder.note(action)
      if let line = coder.line(for: action, at: now) { lines.append(line) }
    }
    ahead.settle { tell($0, at: $1) }
    var steps = 0
    while ahead.engine.state(of: app) == state, steps < mostSteps, !ahead.hasOnlyStarts,
      let next = ahead.nextInstant
    {
      guard ahead.step(until: next) else { break }
      steps += 1
      lines.append(TraceLine(time: ahead.now, app: nil, .advance))
      ahead.settle { tell($0, at: $1) }
    }
    return ahead.engine.state(of: app) == state ? [] : lines
  }
}

extension WhyReading {
  /// Explains the app's state at `instant`, with its outlook.
  ///
  /// - Parameter driver: The driver at the instant of the last line that was read.
  package func why(at instant: Instant, in driver: borrowing Driver, _ coder: TraceCoder) -> Why {
    var why = why(at: instant)
    let hasMore =
      state == .background || state == .inactive || state == .suspended && !deferrals.isEmpty
    guard hasMore, let place = coder.apps.lastIndex(of: app) else { return why }
    var ahead = self
    for line in Outlook.lines(of: AppID(rawValue: UInt32(place)), in: driver, coder) {
      ahead.add(line)
    }
    why.outlook = steps(toComeIn: ahead)
    return why
  }
}
