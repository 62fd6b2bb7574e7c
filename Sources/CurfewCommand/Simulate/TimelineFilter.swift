import CurfewEngine
import CurfewTrace

/// What of a run a person wants to be told.
struct TimelineFilter {
  /// The apps that it is about; nil for all.
  var apps: Set<String>?
  var from = Instant.zero
  var until = Instant.distantFuture
  /// What it is about; nil for everything.
  var topics: Set<TimelineTopic>?

  /// Whether a line is wanted. What concerns the whole device may be, together with what it does
  /// to an app.
  func wants(_ line: TraceLine) -> Bool {
    guard line.time >= from, line.time <= until else { return false }
    if let apps, let app = line.app, !apps.contains(app) { return false }
    return topics?.contains { $0.covers(line.body) } ?? true
  }

  /// Whether a line would be wanted without anything else at its instant.
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
