import CurfewEngine
import CurfewTrace

/// The lines of a run that a timeline prints.
struct TimelineFilter {
  /// The apps whose lines are printed; nil for all.
  var apps: Set<String>?
  var from = Instant.zero
  var until = Instant.distantFuture
  /// The topics that are printed; nil for all.
  var topics: Set<TimelineTopic>?

  /// Whether a line is wanted. A line about the whole device may be wanted together with its effect
  /// on an app.
  func wants(_ line: TraceLine) -> Bool {
    guard line.time >= from, line.time <= until else { return false }
    if let apps, let app = line.app, !apps.contains(app) { return false }
    return topics?.contains { $0.covers(line.body) } ?? true
  }

  /// Whether a line is wanted even if no other line at its instant is.
  func isAbout(_ line: TraceLine) -> Bool { apps == nil || line.app != nil }
}

/// A sort of line in a timeline.
enum TimelineTopic: String, CaseIterable {
  case steps, states, callbacks, tasks, expirations, sessions, decisions, denials, requests, wakes,
    notifications, ends, remarks, probes

  func covers(_ body: TraceLine.Body) -> Bool {
    switch (self, body) {
    case (.steps, .event), (.states, .state), (.callbacks, .callback), (.tasks, .task),
      (.expirations, .expiration), (.sessions, .session),
      (.decisions, .decision), (.requests, .request), (.wakes, .wake),
      (.notifications, .notification),
      (.notifications, .localNotification),
      (.ends, .terminated), (.remarks, .diagnostic), (.probes, .probe):
      true
    case (.denials, .decision(_, _, let denied, _)): !denied.isEmpty
    case (.denials, .task(.begin, let task, _)): task == .invalid
    case (.denials, .session(_, let change, _)): change == .denied
    case (.denials, .request(_, _, .refused)): true
    default: false
    }
  }
}
