package import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// What a trace tells of a run, line by line, as far as a page shows it: the apps' states and what they ran for, what became of their
/// background tasks, what was decided, who ended and why.
///
/// It holds what is to be drawn, so its memory grows with the trace.
package struct RunRecord: Sendable {
  /// The trace's first line.
  package let header: TraceHeader
  /// The policy whose values say why, if it is at hand.
  package let policy: PolicyFile?
  /// The apps, in the order of the header, then of their first lines.
  package private(set) var apps: [AppRecord] = []
  /// The background tasks, in the order in which they were begun.
  package internal(set) var tasks: [TaskRecord] = []
  /// The processes that ended, in order.
  package internal(set) var ends: [EndRecord] = []
  /// What was decided, by kind and reason.
  package internal(set) var decisions: [DecisionKey: DecisionCount] = [:]
  /// How many decisions there were, and how many of them denied something.
  package internal(set) var decided = (all: 0, denied: 0)
  /// What became of wakes and sessions, by kind.
  package internal(set) var runs: [KindName: RunCount] = [:]
  /// How many lines were read, without the header.
  package private(set) var lines = 0
  /// When the last of them was.
  package private(set) var end = Instant.zero
  /// Whether the trace has no end: the run was cut, or the trace.
  package private(set) var isCut = true

  private var places: [String: Int] = [:]
  /// The open task of each number.
  var openTasks: [TaskKey: Int] = [:]
  var explanations: TraceExplanations?
  /// Whom the last line has crash, and when: an end that follows is its own doing.
  var crash: (app: Int, time: Instant)?

  /// Before the first line of the trace with this header.
  /// - Parameter policy: The policy that it was recorded under; without it nothing is told of the values that say why.
  package init(_ header: TraceHeader, policy: PolicyFile?) {
    (self.header, self.policy) = (header, policy)
    explanations = policy.map { TraceExplanations(policy: $0, header: header) }
    for app in header.apps { _ = place(of: app) }
  }

  /// Takes the next line.
  package mutating func add(_ line: TraceLine) {
    lines += 1
    end = line.time
    let app = line.app.map { place(of: $0) }
    let line = app.map { detailed(line, of: $0) } ?? line
    let why = explanations?.explanations(of: line) ?? []
    if line.body == .end { isCut = false }
    if let app { take(line, of: app, why) }
  }

  /// The trace has no more lines: what goes on ends here.
  package mutating func finish() {
    for app in apps.indices { apps[app].finish(at: end) }
    for task in tasks.indices where tasks[task].end == nil { tasks[task].end = end }
  }

  /// A time as the page tells it: of a run in real time to the millisecond.
  func words(_ time: Instant) -> String { words(ofNanoseconds: time.nanoseconds) }

  /// The same of a length.
  func words(ofNanoseconds length: Int64) -> String {
    HumanTime.text(ofNanoseconds: header.clock == nil ? length : (length + 500_000) / 1_000_000 * 1_000_000)
  }

  private mutating func place(of app: String) -> Int {
    if let place = places[app] { return place }
    places[app] = apps.count
    apps.append(AppRecord(app))
    return apps.count - 1
  }

  /// Changes what is known of an app.
  mutating func with(_ app: Int, _ change: (inout AppRecord) -> Void) { change(&apps[app]) }
}

/// A task as lines name it: numbers count from 1 in each process.
struct TaskKey: Hashable, Sendable {
  let app: Int
  let id: TaskID
}

/// A background task.
package struct TaskRecord: Sendable {
  let app: Int
  let name: String
  let begun: Instant
  /// When its expiration handler was called.
  var expired: Instant?
  var end: Instant?
  var fate = Fate.open

  /// What became of it.
  enum Fate: Sendable {
    /// It is open where the trace ends.
    case open
    /// Its app ended it.
    case ended
    /// Its grant ended with it open, and its process with that.
    case leftOpen
    /// Its process ended for something else.
    case lost(TerminationReason)
  }

  var isEnded: Bool { if case .ended = fate { true } else { false } }
}

/// The end of a process.
package struct EndRecord: Sendable {
  let app: Int
  let time: Instant
  let process: TerminatedProcess
  /// What was too much, a clause about the app.
  let cause: String
  /// The rule that ends it.
  let rule: String
  /// What says so, and where, if the policy is at hand.
  let because: String?
}

/// What was asked for, and the reason why not; nil where it was allowed.
package struct DecisionKey: Hashable, Sendable {
  let kind: KindName
  let reason: String?
}

/// How often, and why it was the last time.
package struct DecisionCount: Sendable {
  var count = 0
  var because: String?
}

/// How often a wake or a session of a kind began, and what became of it.
package struct RunCount: Sendable {
  var begun = 0
  var ended = 0
  var overran = 0
  var isSession = false
}
