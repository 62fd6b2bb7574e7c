import CurfewEngine

extension AppFigures {
  /// Counts a change in an app's life that was read from actions or from lines.
  package mutating func note(_ change: LifeChange.Body) {
    switch change {
    case .began(let span): noteBegin(of: span)
    case .ended(let span): noteEnd(of: span)
    case .moment(let moment): note(moment)
    }
  }

  @inline(__always) mutating func noteBegin(of span: LifeSpan) {
    switch span.subject {
    case .process(let isInBackground): if isInBackground { self[.backgroundLaunches] += 1 }
    case .visit: self[.visits] += 1
    case .task: self[.tasksBegun] += 1
    case .session(let kind), .wake(_, let kind): note(kind) { $0[.begun] += 1 }
    case .request(_, let kind): note(kind) { $0[.requested] += 1 }
    case .state, .deferral: break
    }
  }

  @inline(__always) mutating func noteEnd(of span: LifeSpan) {
    guard let end = span.end, let ending = span.ending else { return }
    let length = (end - span.begin).nanoseconds
    switch span.subject {
    case .state(let state):
      self[state] += length
      if case .next(.suspended) = ending { self[.suspensions] += 1 }
    case .visit, .deferral, .request: break
    case .process: if case .process(let reason, _) = ending { self[reason] += 1 }
    // The length of a task, a session or a wake that is open at the end of the run is not known.
    case .task:
      if case .run = ending { break }
      if case .app = ending, !span.isExpired { self[.tasksEnded] += 1 }
      self[.taskLength].record(length)
    case .session(let kind), .wake(_, let kind):
      if case .run = ending { break }
      note(kind) {
        if case .app = ending { $0[.completed] += 1 }
        $0.length.record(length)
      }
    }
  }

  @inline(__always) mutating func note(_ moment: LifeMoment) {
    switch moment {
    case .opened(.cold): self[.coldLaunches] += 1
    case .opened(.warm): self[.warmLaunches] += 1
    case .opened(.live): self[.liveLaunches] += 1
    case .expired: self[.tasksExpired] += 1
    case .handler(.session(let kind)), .handler(.wake(_, let kind)): note(kind) { $0[.warned] += 1 }
    case .overran(.session(let kind), _), .overran(.wake(_, let kind), _):
      note(kind) { $0[.overran] += 1 }
    case .allowed(let kind, _): note(kind) { $0[.allowed] += 1 }
    case .denied(let kind, _): if kind == KindNumber(.finiteTask) { self[.tasksDenied] += 1 }
    case .granted, .taskDenied, .handler, .overran, .sessionDenied, .refused, .callback, .event,
      .notification, .localNotification,
      .diagnostic:
      break
    }
  }
}
