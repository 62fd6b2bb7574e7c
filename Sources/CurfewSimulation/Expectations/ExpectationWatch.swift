import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The state of one expectation in the middle of a run.
struct ExpectationWatch: Sendable {
  private let expectation: ScenarioExpectation
  /// The number of lines that match, and the first few of them.
  private var hits = 0
  private var first: [Seen] = []
  private var nearest: Near?
  private var held = HeldState()

  init(_ expectation: ScenarioExpectation) { self.expectation = expectation }

  /// A line as verdicts print it.
  private struct Seen: Sendable, CustomStringConvertible {
    let time: Instant
    /// The app, if the expectation does not name it.
    let app: String?
    let words: String

    var when: String { "at \(HumanTime.text(time))" + (app.map { " in '\($0)'" } ?? "") }
    var description: String { "\(when): \(words)" }
  }

  /// A line that almost matches.
  private struct Near: Sendable {
    let line: Seen
    /// Whether only its time does not match.
    let isOnlyLate: Bool
    /// The distance from a match. Distances are compared by the first number, and by the second if
    /// the first numbers are equal.
    let distance: (Int, Int64)
  }

  /// The limit on the lines that a verdict prints.
  private static let told = 5

  mutating func add(_ facts: LineFacts) {
    if let app = expectation.app, facts.line.app != app { return }
    // Two forms may be about lines of the same type.
    guard facts[expectation.lines.subject] != nil else { return }
    let (time, differences) = (facts.line.time, facts.differences(from: expectation.lines))
    let isInTime = expectation.at?.contains(time) ?? true
    if differences == 0, isInTime {
      hits += 1
      if first.count < ExpectationWatch.told { first.append(seen(facts)) }
      return
    }
    guard expectation.claim == .happens, hits == 0 else { return }
    let isOther = expectation.lines.values.contains {
      $0.key == expectation.lines.subject && facts[$0.key] != $0.value
    }
    let distance = (
      differences == 0 ? 0 : (isOther ? 2 : 0) + (isInTime ? 1 : 2),
      expectation.at?.distance(to: time) ?? 0
    )
    if let nearest, nearest.distance <= distance { return }
    nearest = Near(line: seen(facts), isOnlyLate: differences == 0, distance: distance)
  }

  /// Reads a change in the life of an app.
  mutating func add(_ change: LifeChange.Body, of app: String) {
    guard case .holds(let state) = expectation.claim, app == expectation.app else { return }
    switch change {
    case .began(let span): if case .state = span.subject { held.enter(span) }
    case .ended(let span):
      if case .state = span.subject {
        held.settle(until: span.end ?? .distantFuture, wanted: state, expectation.at)
      }
    case .moment: break
    }
  }

  private func seen(_ facts: LineFacts) -> Seen {
    let words = facts.line.words(.uikit)
    return Seen(
      time: facts.line.time, app: expectation.app == nil ? facts.line.app : nil,
      words: words.text + words.rest)
  }

  // MARK: The verdict

  func verdict(cutAt cut: Instant?) -> ExpectationVerdict {
    // More lines might have followed at the instant of the cut.
    let isOver = cut.map { cut in expectation.at?.upper.map { $0 < cut } ?? false } ?? true
    switch expectation.claim {
    case .happens:
      if hits > 0 { return verdict(.met) }
      return isOver
        ? verdict(.failed, nearest.map(words) ?? "nothing of the kind") : verdict(.undecided)
    case .counts(let number):
      if let most = number.upper, hits > most { return verdict(.failed, many) }
      if !isOver, number.upper != nil || !number.contains(Int64(hits)) {
        return verdict(.undecided)
      }
      return number.contains(Int64(hits)) ? verdict(.met) : verdict(.failed, many)
    case .holds(let state):
      var held = held
      held.settle(until: cut ?? .distantFuture, wanted: state, expectation.at)
      if let (state, time) = held.violation {
        return verdict(.failed, "\(state) at \(HumanTime.text(time))")
      }
      return isOver ? verdict(.met) : verdict(.undecided)
    }
  }

  private func verdict(_ outcome: ExpectationVerdict.Outcome, _ found: String? = nil)
    -> ExpectationVerdict
  {
    ExpectationVerdict(expectation: expectation, outcome: outcome, found: found)
  }

  private func words(_ near: Near) -> String {
    near.isOnlyLate ? "it \(near.line.when)" : "\(near.line)"
  }

  /// The number of lines, and the first of them.
  private var many: String {
    guard hits > 0 else { return "none" }
    let more = hits > first.count ? "; …" : ""
    return "\(HumanCount.text(hits)), " + first.map(\.description).joined(separator: "; ") + more
  }
}

/// The state of an app, and its first difference from the wanted state.
private struct HeldState: Sendable {
  private var state = AppState.notRunning
  private var since = Instant.zero
  /// The first instant at which the state was different, after all events at that instant.
  private(set) var violation: (state: String, time: Instant)?

  mutating func enter(_ span: LifeSpan) {
    if case .state(let next) = span.subject { (state, since) = (next, span.begin) }
  }

  /// Checks the state since the last change against `wanted`, up to `end`, which is exclusive.
  mutating func settle(until end: Instant, wanted: String, _ span: Span<Instant>?) {
    guard violation == nil, state.fileName != wanted, since < end else { return }
    let start = max(since, span?.lower ?? .zero)
    if start < end, span?.upper.map({ start <= $0 }) ?? true { violation = (state.fileName, start) }
  }
}

extension Span<Instant> {
  /// The time between `time` and the nearest end of the span; 0 inside the span.
  fileprivate func distance(to time: Instant) -> Int64 {
    if let lower, time < lower { return (lower - time).nanoseconds }
    if let upper, time > upper { return (time - upper).nanoseconds }
    return 0
  }
}
