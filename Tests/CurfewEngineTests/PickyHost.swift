import TestSupport

@testable import CurfewEngine

/// A second host of a random life, which wants only some kinds of actions. It says and pulls
/// as the life's own host does. Its driver must leave out the other actions, and change
/// nothing else.
struct PickyHost: ~Copyable {
  private let kinds: ActionKinds
  private var driver: Driver

  /// - Parameter seed: The life's seed. The kinds are drawn from other random numbers than
  ///   the life, so that the life is the same without this host.
  init(_ engine: consuming Engine, pace: Driver.Pace, seed: UInt64) {
    var random = SeededGenerator(seed: ~seed)
    let bits = random.oneIn(4) ? random.next() & random.next() : random.next()
    kinds = ActionKinds(rawValue: UInt32(truncatingIfNeeded: bits)).intersection(.all)
    driver = Driver(engine, pace: pace, wanting: kinds)
  }

  var words: String { "a host that wants the kinds \(kinds.rawValue)" }

  mutating func say(_ event: Event, at instant: Instant) { driver.say(event, at: instant) }

  mutating func step(until limit: Instant) -> Bool { driver.step(until: limit) }

  mutating func rest(_ app: AppID, for length: Interval) { driver.rest(app, for: length) }

  mutating func pull() -> Driver.Item? { driver.pull() }

  /// Pulls up to the next turn.
  /// - Returns: Whether the items are the wanted ones of `actions`, and then `turn`.
  mutating func gets(_ actions: [Action], then turn: AppID?) -> Bool {
    for action in actions where kinds.union(.calls).contains(action.kind) {
      guard driver.pull() == .action(action) else { return false }
    }
    return driver.pull() == turn.map { .turn($0) }
  }

  /// Whether its driver and engine are in the same state as those of the life's own host.
  func isLike(_ other: borrowing Driver) -> Bool {
    let isSameDriver =
      driver.nextInstant == other.nextInstant
      && driver.isDue == other.nextInstant.map { $0 <= other.now } ?? false
      && driver.isStepFinished == other.isStepFinished
      && driver.hasAdvanced == other.hasAdvanced && driver.heedsEvents == other.heedsEvents
      && driver.turns.given == other.turns.given && driver.turns.isEmpty == other.turns.isEmpty
      && driver.plans.first == other.plans.first && driver.plans.count == other.plans.count
      && driver.count.taken == other.count.taken && driver.count.atStep == other.count.atStep
      && driver.count.limit == other.count.limit && driver.standstill == other.standstill
    return isSameDriver && driver.now == other.now
      && driver.engine.nextDeadline == other.engine.nextDeadline
      && driver.engine.calls == other.engine.calls
      && (0..<UInt32(other.engine.appCount)).map(AppID.init).allSatisfy {
        driver.engine.state(of: $0) == other.engine.state(of: $0)
      }
  }
}
