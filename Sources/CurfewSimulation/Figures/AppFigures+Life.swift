import CurfewEngine
package import CurfewTrace

extension AppFigures {
  /// Counts a change of an app's life, whether it was read from actions or from lines.
  package mutating func note(_ change: LifeChange.Body) {
    switch change {
    case .began(let span): noteBegin(of: span)
    case .ended(let span): noteEnd(of: span)
    case .moment(let moment): note(moment)
    }
  }

  private mutating func noteBegin(of span: LifeSpan) {
    switch span.subject {
    case .process(let isInBackground): if isInBackground { self[.backgroundLaunches] += 1 }
    case .visit: self[.visits] += 1
    case .task: self[.tasksBegun] += 1
    case .session(let kind), .wake(_, let kind): note(kind) { $0[.begun] += 1 }
    case .request(_, let kind): note(kind) { $0[.requested] += 1 }
    case .state, .deferral: break
    }
  }

  private mutating func noteEnd(of span: LifeSpan) {
    guard let length = span.length?.nanoseconds else { return }
    if case .state(let state) = span.subject {
      self[state] += length
      if span.ending == .next(.suspended) { self[.suspensions] += 1 }
      return
    }
    // The length of what goes on at the end of the run is not known.
    guard span.ending != .run else { return }
    switch span.subject {
    case .process: if case .process(let reason, _) = span.ending { self[reason] += 1 }
    case .task:
      if span.ending == .app, !span.isExpired { self[.tasksEnded] += 1 }
      self[.taskLength].record(length)
    case .session(let kind), .wake(_, let kind):
      note(kind) {
        if span.ending == .app { $0[.completed] += 1 }
        $0.length.record(length)
      }
    case .state, .visit, .deferral, .request: break
    }
  }

  private mutating func note(_ moment: LifeMoment) {
    switch moment {
    case .opened(.cold): self[.coldLaunches] += 1
    case .opened(.warm): self[.warmLaunches] += 1
    case .opened(.live): self[.liveLaunches] += 1
    case .expired: self[.tasksExpired] += 1
    case .handler(.session(let kind)), .handler(.wake(_, let kind)): note(kind) { $0[.warned] += 1 }
    case .overran(.session(let kind), _), .overran(.wake(_, let kind), _): note(kind) { $0[.overran] += 1 }
    case .allowed(let kind, _): note(kind) { $0[.allowed] += 1 }
    case .denied(let kind, _): if kind == Int(AssertionKind.finiteTask.rawValue) { self[.tasksDenied] += 1 }
    case .granted, .taskDenied, .handler, .overran, .sessionDenied, .refused, .callback, .event, .notification, .localNotification,
      .diagnostic:
      break
    }
  }
}
