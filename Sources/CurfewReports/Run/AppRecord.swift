import CurfewEngine
import CurfewTrace

/// What happened to one app.
package struct AppRecord: Sendable {
  let name: String
  /// The states that it was in, each until the next.
  private(set) var states: [(state: AppState, start: Instant, end: Instant)] = []
  /// What it ran for.
  private(set) var runs: [Run] = []
  private(set) var signs: [(sign: Sign, time: Instant, words: String)] = []
  private(set) var events: [(time: Instant, words: String, isGrave: Bool)] = []
  private(set) var eventsLeftOut = 0

  var lastCallback: Callback?
  var lastOverrun: (kind: KindName, limit: RunLimit)?
  var lastExpiration: ExpirationReason?
  private var open: [Thing: Int] = [:]
  private var state: (state: AppState, since: Instant) = (.notRunning, .zero)

  /// Something that it runs for.
  struct Run: Sendable {
    let track: Track
    let start: Instant
    var end: Instant?
    let words: String
  }

  /// What it may run for; the tracks of the page.
  enum Track: Int, CaseIterable, Sendable { case task, session, wake }

  /// What is marked.
  enum Sign: Int, CaseIterable, Sendable { case end, expiration, denial }

  /// What is open by which name.
  enum Thing: Hashable, Sendable {
    case task(TaskID)
    case session(KindName)
    case wake(WakeID)
  }

  /// No more are kept of one app.
  private static let mostEvents = 100

  init(_ name: String) { self.name = name }

  /// How much there is to see: ends before expirations before denials.
  var interest: (Int, Int, Int) {
    signs.reduce(into: (0, 0, 0)) { count, sign in
      switch sign.sign {
      case .end: count.0 += 1
      case .expiration: count.1 += 1
      case .denial: count.2 += 1
      }
    }
  }

  /// The numbers of the tasks that it has open, in no order.
  var openTasks: [TaskID] { open.keys.compactMap { if case .task(let id) = $0 { id } else { nil } } }

  mutating func enter(_ next: AppState, at time: Instant) {
    states.append((state.state, state.since, time))
    state = (next, time)
  }

  mutating func begin(_ thing: Thing, _ track: Track, at time: Instant, _ words: String) {
    end(thing, at: time)
    open[thing] = runs.count
    runs.append(Run(track: track, start: time, words: words))
  }

  mutating func end(_ thing: Thing, at time: Instant) {
    guard let place = open.removeValue(forKey: thing) else { return }
    runs[place].end = time
  }

  mutating func mark(_ sign: Sign, at time: Instant, _ words: String) { signs.append((sign, time, words)) }

  mutating func tell(_ line: TraceLine, isGrave: Bool = false) {
    guard events.count < AppRecord.mostEvents else { return eventsLeftOut += 1 }
    let words = line.words(.uikit)
    events.append((line.time, words.text + words.rest, isGrave))
  }

  /// Nothing goes on any more: its process has ended, or the trace.
  mutating func finish(at time: Instant) {
    for place in open.values { runs[place].end = time }
    open = [:]
    enter(state.state, at: time)
  }

  /// Its process has ended; its state has told so already.
  mutating func endProcess(at time: Instant) {
    for place in open.values { runs[place].end = time }
    (open, lastCallback, lastOverrun, lastExpiration) = ([:], nil, nil, nil)
  }
}
