public import CurfewEngine
public import CurfewPolicy
public import CurfewText

/// Runs a trace's events through an engine again, in virtual time, and compares every action.
public struct Replay: ~Copyable {
  /// Where an engine did something else than the trace says.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The trace's line, counted from 1 with the header.
    public var line: Int
    /// What the trace has there; nil at its end.
    public var expected: String?
    /// What the engine did; nil if nothing.
    public var found: String?

    /// `line 12: the trace has …, the engine did …`.
    public var description: String {
      "line \(line): the trace has \(expected ?? "no more lines"), the engine did \(found ?? "nothing")"
    }
  }

  /// How a replay ended.
  package enum Ending: Hashable, Sendable {
    /// Every action was the same.
    case same
    /// One was not.
    case different(Divergence)
    /// The caller wanted no more; up to this line, counted from 1 with the header, everything was the same.
    case interrupted(line: Int)
  }

  private let trace: Trace
  private let returns: TraceReturns
  private var driver: Driver
  private var state: ReplayState
  private let indices: [String: AppID]
  private var forks = ReplayForks()

  /// Runs `trace` under the policy that it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none.
  /// - Throws: If the policy's digest is not the trace's: under other rules a difference says nothing.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, under file: PolicyFile) throws(FileErrors) -> Divergence? {
    guard trace.header.policyDigest == file.digest else {
      let message =
        "the trace was recorded under '\(trace.header.policy)' of digest \(trace.header.policyDigest), this policy has \(file.digest)"
      throw FileErrors([FileDiagnostic(file: file.file, message)])
    }
    return run(trace, policy: file.policy)
  }

  /// Runs `trace` under `policy`, whatever it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, policy: Policy) -> Divergence? {
    if case .different(let divergence) = run(trace, policy: policy, isInterrupted: { _ in false }) { divergence } else { nil }
  }

  /// Runs `trace` under `policy` for as long as the caller wants.
  ///
  /// - Parameter isInterrupted: Asked every thousand lines or so, with the number of the line up to which everything has been the same.
  /// - Complexity: O(lines).
  package static func run(_ trace: Trace, policy: Policy, isInterrupted: (_ line: Int) -> Bool) -> Ending {
    if trace.header.clock != nil {
      var replay = ExactReplay(trace, policy)
      return replay.run(trace.lines, isInterrupted)
    }
    var replay = Replay(trace, policy)
    return replay.run(isInterrupted)
  }

  /// How many lines, or steps that come to no line, pass between two questions whether to go on.
  static let questionDistance = 1024

  private init(_ trace: Trace, _ policy: Policy) {
    self.trace = trace
    returns = TraceReturns(trace, limits: policy.limits)
    let stage = ReplayStage(trace, policy)
    indices = stage.indices
    driver = stage.driver
    state = stage.state
  }

  private mutating func run(_ isInterrupted: (Int) -> Bool) -> Ending {
    var first: Divergence?
    while true {
      switch runToDivergence(isInterrupted) {
      case .same: return .same
      case .interrupted(let line): return .interrupted(line: line)
      case .different(let divergence):
        first = first ?? divergence
        // Where the lines did not tell what came first, the other may have.
        guard forks.takeLast(&driver, &state) else { return .different(first ?? divergence) }
        state.delivered = nil
      }
    }
  }

  private mutating func runToDivergence(_ isInterrupted: (Int) -> Bool) -> Ending {
    var steps = 0
    while true {
      steps += 1
      if steps % Replay.questionDistance == 0, isInterrupted(state.position + 1) { return .interrupted(line: state.position + 1) }
      if state.matched < state.produced.count {
        let next = state.produced[state.matched]
        guard state.position < trace.lines.count, trace.lines[state.position].isWritten(like: next.line) else {
          return .different(divergence(found: next.line))
        }
        if let app = next.delivers {
          state.delivered = app
          if returns.untilLimit.contains(state.position) { state.limited.append(app) }
        }
        state.position += 1
        state.matched += 1
        if let app = next.delivers, returns.atOnce[state.position - 1] { say(.returned(app), at: driver.now) }
        continue
      }
      guard state.position < trace.lines.count else { return .same }
      let line = trace.lines[state.position]
      if isInsideDelivery(line) {
        if isAmbiguous(line) { forks.add(driver, state) }
        guard case .event(let event) = line.body, feed(event, line) else { return .different(divergence(found: nil)) }
        state.position += 1
      } else if let next = driver.nextInstant, next <= line.time, !isBeforeLook(line) {
        advance(to: max(next, driver.now))
      } else if case .event(let event) = line.body, line.time >= driver.now, feed(event, line) {
        state.delivered = nil
        state.position += 1
      } else {
        return .different(divergence(found: nil))
      }
    }
  }

  private mutating func advance(to instant: Instant) {
    state.delivered = nil
    if let app = wronglyKilled(at: instant) {
      say(.returned(app), at: driver.now)
    } else {
      _ = driver.step(until: instant)
      produce()
    }
  }

  /// Whether an app's own call, which looks as if it had been made inside the callback that was just delivered, may as well be the timeline's: then
  /// what was due at this instant came before it, and wrote nothing, because it only queued behind that callback.
  private func isAmbiguous(_ line: TraceLine) -> Bool {
    guard case .event(let deed) = line.body, deed.verb.isOwnCall, let next = driver.nextInstant, next <= line.time else { return false }
    var ahead = driver.copy()
    return ahead.next(until: line.time) == nil
  }

  /// The app that the next step would kill for a callback that did return, as nobody could tell until now.
  private func wronglyKilled(at instant: Instant) -> AppID? {
    guard state.limited.contains(where: { driver.engine.owesReturn($0) }) else { return nil }
    var ahead = driver.copy()
    _ = ahead.step(until: instant)
    while let item = ahead.pull() {
      if case .action(.terminated(let app, let end)) = item, end.reason == .appWatchdog, state.limited.contains(app) { return app }
    }
    return nil
  }

  /// Whether a line is what an app did inside the callback that this very step has delivered: that comes before the rest of the step.
  private func isInsideDelivery(_ line: TraceLine) -> Bool {
    guard case .event(let event) = line.body, let delivered = state.delivered, line.time == driver.now,
      line.app.flatMap({ indices[$0] }) == delivered, driver.engine.owesReturn(delivered)
    else { return false }
    return event.verb == .return || event.verb.isOwnCall
  }

  /// Whether a line is something that an app does of itself while only a look at memory is due, which comes after that (rule M1): a return, or an
  /// end after `for:`. An end may also be the timeline's, and so come after a look; then that look wrote nothing, because whoever it reached was
  /// busy, and an end before it comes to the same.
  private func isBeforeLook(_ line: TraceLine) -> Bool {
    guard case .event(let event) = line.body, line.time == driver.now, driver.engine.isOnlyMemoryDue(at: line.time) else { return false }
    return event.verb == .return || event.verb == .endTask
  }

  private func divergence(found: TraceLine?) -> Divergence {
    let expected = state.position < trace.lines.count ? trace.lines[state.position].json() : nil
    return Divergence(line: state.position + 2, expected: expected, found: found?.json())
  }

  private mutating func say(_ event: Event, at instant: Instant) {
    driver.sayOverdue(event, at: instant)
    produce()
  }

  private mutating func produce() {
    if state.matched == state.produced.count {
      state.produced.removeAll(keepingCapacity: true)
      state.matched = 0
    }
    while let item = driver.pull() {
      guard case .action(let action) = item else { continue }
      state.coder.note(action)
      if case .terminated(let app, _) = action { state.limited.removeAll { $0 == app } }
      if let line = state.coder.line(for: action, at: driver.now) {
        let delivers = state.coder.moment(of: action) != nil ? line.app.flatMap { indices[$0] } : nil
        state.produced.append((line, delivers))
      }
    }
  }

  /// Answers false for an event that cannot enter the engine as it stands.
  private mutating func feed(_ event: Deed, _ line: TraceLine) -> Bool {
    let app = line.app.flatMap { indices[$0] }
    guard let entering = state.coder.event(for: event, app: app) else { return false }
    if case .returned(let app) = entering, !driver.engine.owesReturn(app) { return false }
    _ = state.coder.line(for: event, app: app, at: line.time)
    say(entering, at: line.time)
    return true
  }
}
