package import CurfewEngine
package import CurfewPolicy
import CurfewSimulation
import CurfewText
package import CurfewTrace

/// The record of a run for its page, read from a trace line by line: states of apps, tasks,
/// sessions, wakes, decisions, and ends of processes with their causes.
///
/// It keeps everything that is drawn, so its memory grows with the trace.
package struct RunRecord: Sendable {
  /// The trace's first line.
  package let header: TraceHeader
  /// The policy, whose values explain decisions and ends, if it is available.
  package let policy: PolicyFile?
  /// The apps, in the order of the header, then of their first lines.
  package private(set) var apps: [ReportedApp] = []
  /// The tasks, sessions and wakes, in the order in which they began.
  package private(set) var runs: [Run] = []
  /// The processes that ended, in order.
  package internal(set) var ends: [EndRecord] = []
  /// The decisions, by kind and reason.
  package internal(set) var decisions: [DecisionKey: DecisionCount] = [:]
  /// The number of decisions, and the number of denials among them.
  package internal(set) var decided = (all: 0, denied: 0)
  /// The figures of all apps together.
  private(set) var figures = AppFigures()
  /// The numbers of the kinds whose sessions began or were denied.
  private(set) var sessionKinds: Set<Int> = []
  /// The number of lines, without the header.
  package private(set) var lines = 0
  /// The time of the last line.
  package private(set) var end = Instant.zero
  /// Whether the trace has no end: the run or the trace was cut.
  package var isCut: Bool { !wholeness.isWhole }
  private var wholeness = TraceWholeness()

  private(set) var lives: AppLives
  var explanations: TraceExplanations?
  /// The app that the last event crashed, and the instant. The crash causes an end at that instant.
  var crash: (app: Int, time: Instant)?

  /// The record of the trace with this header, before its first line.
  /// - Parameter policy: The policy under which the trace was recorded. Without it, the record has
  ///   no explanations.
  package init(_ header: TraceHeader, policy: PolicyFile?) {
    (self.header, self.policy) = (header, policy)
    explanations = policy.map { TraceExplanations(policy: $0, header: header) }
    lives = AppLives(apps: header.apps, policy: policy?.policy)
    addApps()
  }

  /// Adds the next line.
  package mutating func add(_ line: TraceLine) {
    lines += 1
    end = line.time
    let line = detailed(line)
    let why = explanations?.explanations(of: line) ?? []
    wholeness.note(line)
    lives.read(line)
    addApps()
    for change in lives.changes { take(change, line) }
    if let app = line.app.flatMap({ lives.names.place(ofApp: $0) }) { take(line, of: app, why) }
  }

  /// Ends all open spans: the trace has no more lines.
  package mutating func finish() {
    lives.finish(at: end)
    for change in lives.changes { take(change, nil) }
  }

  private mutating func addApps() {
    while apps.count < lives.names.apps.count {
      apps.append(ReportedApp(lives.names.apps[apps.count]))
    }
  }

  private mutating func take(_ change: LifeChange, _ line: TraceLine?) {
    figures.note(change.body)
    switch change.body {
    case .began(let span):
      guard let words = words(of: span.subject, line) else { return }
      apps[change.app].open[span.subject] = runs.count
      let name = if case .task(_, _, let name) = line?.body { name } else { "" }
      runs.append(Run(app: change.app, name: name, words: words, span: span))
    case .ended(let span):
      if case .state = span.subject { apps[change.app].states.append(span) }
      if case .process = span.subject { apps[change.app].last = ReportedApp.Last() }
      if let place = apps[change.app].open.removeValue(forKey: span.subject) {
        runs[place].span = span
      }
    case .moment(let moment): take(moment, of: change.app, line)
    }
  }

  private mutating func take(_ moment: LifeMoment, of app: Int, _ line: TraceLine?) {
    switch moment {
    case .handler(let subject):
      if let place = apps[app].open[subject] { runs[place].handlerCalled = line?.time }
      guard let line, let words = words(of: subject, line) else { return }
      if case .expiration(_, _, let reason, _) = line.body {
        apps[app].last.expiration = reason
        apps[app].mark(
          .expiration, at: line.time, "expiration handler of \(words): \(reason.fileName)")
      } else {
        apps[app].mark(.expiration, at: line.time, "expiration handler of \(words)")
      }
    case .callback(let callback): apps[app].last.callback = callback
    case .overran(let subject, let limit):
      apps[app].last.overrun = subject.kind.map { (lives.names[$0], limit) }
    case .sessionDenied(let kind): sessionKinds.insert(Int(kind.rawValue))
    default: break
    }
  }

  /// The words for a task, a session or a wake, which its line names; nil for all other spans.
  private mutating func words(of subject: LifeSpan.Subject, _ line: TraceLine?) -> String? {
    switch (subject, line?.body) {
    case (.task(let id), .task(_, _, let name)), (.task(let id), .expiration(_, let name, _, _)):
      return "task \(id.rawValue) '\(name)'"
    case (.session(let kind), _):
      sessionKinds.insert(Int(kind.rawValue))
      return "session \(lives.names[kind])"
    case (.wake(let id, let kind), .wake(_, _, let identifier, .begin, _)):
      return "wake \(id.rawValue), \(lives.names[kind])"
        + (identifier.map { " of request '\($0)'" } ?? "")
    case (.wake(let id, let kind), _): return "wake \(id.rawValue), \(lives.names[kind])"
    default: return nil
    }
  }

  /// An instant as the page writes it; in real time, to the millisecond.
  func words(_ time: Instant) -> String { words(ofNanoseconds: time.nanoseconds) }

  /// A length as the page writes it; in real time, to the millisecond.
  func words(ofNanoseconds length: Int64) -> String {
    HumanTime.text(
      ofNanoseconds: header.clock == nil ? length : (length + 500_000) / 1_000_000 * 1_000_000)
  }

  /// Changes the record of an app.
  mutating func with(_ app: Int, _ change: (inout ReportedApp) -> Void) { change(&apps[app]) }
}

/// A task, a session or a wake.
package struct Run: Sendable {
  let app: Int
  /// The name of a task.
  let name: String
  let words: String
  var span: LifeSpan
  /// The instant at which its expiration handler was called.
  var handlerCalled: Instant?

  /// The tracks of the page.
  enum Track: Int, Sendable { case tasks, sessions, wakes }

  var track: Track {
    switch span.subject {
    case .task: .tasks
    case .session: .sessions
    default: .wakes
    }
  }
}

/// The end of a process.
package struct EndRecord: Sendable {
  let app: Int
  let time: Instant
  let process: RecordedProcessEnd
  /// The cause, a clause about the app.
  let cause: String
  /// The rule that ended it.
  let rule: String
  /// The value of the policy that caused it and its place, if the policy is available.
  let because: String?
}

/// The kind that was requested, and the reason of its denial; nil if it was allowed.
package struct DecisionKey: Hashable, Sendable {
  let kind: KindName
  let reason: String?
}

/// The number of decisions, and the explanation of the last one.
package struct DecisionCount: Sendable {
  var count = 0
  var because: String?
}
