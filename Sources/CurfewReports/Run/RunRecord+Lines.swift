import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// Decisions with their reasons, ends with their causes, and the events that a lane unfolds into.
/// `AppLives` does not keep these details, so they are read from the lines.
extension RunRecord {
  mutating func take(_ line: TraceLine, of app: Int, _ why: [Explanation]) {
    switch line.body {
    case .event(let deed): crash = deed.verb == .crash ? (app, line.time) : nil
    case .state(_, let next): if next != .inactive, next != .notRunning { tell(line, app) }
    // A denied task gets the number 0; its decision has been recorded.
    case .task(_, let id, _): if id != .invalid { tell(line, app) }
    case .expiration, .session, .wake, .diagnostic: tell(line, app)
    case .decision(let kind, _, let denied, _):
      count(kind, denied, why)
      if !denied.isEmpty { mark(.denial, "\(kind) denied: \(denied)", line, app) }
    case .request(let identifier, let kind, .refused(let error)):
      mark(.denial, "request '\(identifier)' for \(kind) refused: \(error.fileName)", line, app)
    case .terminated(let process):
      let isOwnDoing = crash?.app == app && crash?.time == line.time
      let (cause, rule) = process.cause(
        policy?.policy.names ?? PolicyNames(), isOwnDoing: isOwnDoing)
      ends.append(
        EndRecord(
          app: app, time: line.time, process: process, cause: cause, rule: rule,
          because: why.first?.because))
      mark(.end, "terminated: \(process.reason.fileName)", line, app)
    case .advance, .callback, .notification, .localNotification, .request, .probe, .resumed, .end,
      .gap:
      break
    }
  }

  private mutating func tell(_ line: TraceLine, _ app: Int) { with(app) { $0.tell(line) } }

  private mutating func mark(
    _ sign: ReportedApp.Sign, _ words: String, _ line: TraceLine, _ app: Int
  ) {
    with(app) {
      $0.mark(sign, at: line.time, words)
      $0.tell(line, isGrave: sign == .end)
    }
  }

  private mutating func count(_ kind: KindName, _ denied: Denials, _ why: [Explanation]) {
    decided.all += 1
    guard !denied.isEmpty else {
      return decisions[DecisionKey(kind: kind, reason: nil), default: DecisionCount()].count += 1
    }
    decided.denied += 1
    for reason in denied.each {
      let key = DecisionKey(kind: kind, reason: reason.description)
      decisions[key, default: DecisionCount()].count += 1
      if let why = why.first(where: { $0.reason == .denial(reason) }) {
        decisions[key]?.because = why.because
      }
    }
  }

  /// Adds details from earlier lines to the end of a process: the callback that had not returned,
  /// or the limit that ran out.
  func detailed(_ line: TraceLine) -> TraceLine {
    guard case .terminated(var process) = line.body, process.details == nil,
      let app = line.app.flatMap({ lives.names.place(ofApp: $0) })
    else { return line }
    let last = apps[app].last
    var details = RecordedProcessEnd.Details(limit: .length, ages: [])
    switch process.reason {
    case .appWatchdog: details.callback = last.callback
    case .backgroundTaskAssertionTimeout where process.tasks != nil:
      (details.kind, details.expiration) = (.finiteTask, last.expiration)
    case .backgroundTaskAssertionTimeout:
      (details.kind, details.limit) = (last.overrun?.kind, last.overrun?.limit ?? .length)
    default: break
    }
    process.details = details
    return TraceLine(time: line.time, app: line.app, .terminated(process))
  }
}
