package import CurfewEngine
import CurfewPolicy
package import CurfewTrace

/// What comes of an app if nobody does anything more: found by letting a copy of its engine go on.
package enum Outlook {
  /// So many steps are looked ahead; what goes on longer, beside others' wakes that come again
  /// and again, has no end that anybody waits for.
  private static let mostSteps = 10_000

  /// The lines from now on up to the next change of the app's state, with it and what belongs to
  /// its instant; what there is until nothing but opportunities is to come, where the state lasts.
  ///
  /// Who is in the middle of a callback returns at once, and who is called later does.
  /// - Complexity: O(steps), ten thousand at most.
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
  /// What is so at `instant`, and what comes of the app in `driver`, which stands where the
  /// lines end.
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
