import CurfewEngine

/// Replays a trace of real time, which leaves nothing open: every return has a line, and every advance. One pass, no guess, no way back.
struct ExactReplay: ~Copyable {
  private var driver: Driver
  private var state: ReplayState
  private let indices: [String: AppID]

  init(_ trace: Trace, _ policy: Policy) {
    let stage = ReplayStage(trace, policy)
    indices = stage.indices
    state = stage.state
    driver = stage.driver
  }

  /// - Complexity: O(lines).
  mutating func run(_ lines: [TraceLine], _ isInterrupted: (Int) -> Bool) -> Replay.Ending {
    for line in lines {
      if state.position % Replay.questionDistance == 0, isInterrupted(state.position + 1) {
        return .interrupted(line: state.position + 1)
      }
      if let divergence = take(line) { return .different(divergence) }
      state.position += 1
    }
    guard state.matched < state.produced.count else { return .same }
    return .different(divergence(nil, found: state.produced[state.matched].line))
  }

  /// Answers the difference, if there is one.
  private mutating func take(_ line: TraceLine) -> Replay.Divergence? {
    if state.matched < state.produced.count {
      let found = state.produced[state.matched].line
      guard found.isWritten(like: line) else { return divergence(line, found: found) }
      state.matched += 1
      return nil
    }
    state.produced.removeAll(keepingCapacity: true)
    state.matched = 0
    guard line.time >= driver.now, enter(line) else { return divergence(line, found: nil) }
    return nil
  }

  /// Answers false for a line that is nothing that enters the engine as it stands.
  private mutating func enter(_ line: TraceLine) -> Bool {
    switch line.body {
    case .event(let event):
      let app = line.app.flatMap { indices[$0] }
      guard let entering = state.coder.event(for: event, app: app), owes(entering, event) else { return false }
      _ = state.coder.line(for: event, app: app, at: line.time)
      driver.sayOverdue(entering, at: line.time)
      while let item = driver.pull() { produce(item) }
      return true
    case .advance:
      while let item = driver.next(until: line.time) { produce(item) }
      return true
    default: return false
    }
  }

  /// Whether a first line or a return is one of what was delivered last; true for any other event.
  private func owes(_ entering: Event, _ deed: Deed) -> Bool {
    switch entering {
    case .began(let app): driver.engine.owesBegin(app) && state.coder.lastDelivery(to: app) == deed.callback
    case .returned(let app): driver.engine.owesReturn(app) && state.coder.lastDelivery(to: app) == deed.callback
    default: true
    }
  }

  private mutating func produce(_ item: Driver.Item) {
    guard case .action(let action) = item else { return }
    state.coder.note(action)
    if let line = state.coder.line(for: action, at: driver.now) { state.produced.append((line, nil)) }
  }

  private func divergence(_ line: TraceLine?, found: TraceLine?) -> Replay.Divergence {
    Replay.Divergence(line: state.position + 2, expected: line?.json(), found: found?.json())
  }
}
