import CurfewEngine
import CurfewPolicy
import CurfewTrace

// Lines that the engine emits about an app.

extension PerfettoTrace {
  /// Adds a slice for each span of the app's life, and an instant for each moment.
  mutating func happen(_ told: Told, _ why: [Explanation], to app: String) {
    let annotations = told.annotations + policy.annotations(of: why)
    lives.read(told.line)
    for change in lives.changes {
      switch change.body {
      case .began(let span): begin(span, told, annotations, of: app)
      case .ended(let span): end(span, told, annotations, of: app)
      case .moment(let moment): happen(moment, told, annotations, to: app)
      }
    }
    if case .probe = told.line.body { mark(.calls, "probe", told, annotations, of: app) }
  }

  private mutating func mark(
    _ sort: LaneSort, _ category: String, _ told: Told, _ annotations: [NamedAnnotation],
    _ flows: Flows = .none, of app: String
  ) {
    with(app) {
      $0.lanes.instant(on: sort, told.words, category, at: told.time, annotations, flows, into: &$1)
    }
  }

  // MARK: Spans

  private mutating func begin(
    _ span: LifeSpan, _ told: Told, _ annotations: [NamedAnnotation], of app: String
  ) {
    let (step, rule) = (step, rule(of: span.subject))
    let isAsked =
      switch span.subject {
      case .task, .request: true
      default: false
      }
    let cause = isAsked ? takeCause(of: app) : nil
    let name = name(of: span.subject, told)
    with(app) { tracks, packets in
      func begin(
        _ sort: LaneSort, _ category: String, _ annotations: [NamedAnnotation], from flow: UInt64?,
        isEnding: Bool = false
      ) {
        let own = packets.newFlow()
        let flows =
          isEnding ? Flows(through: [own], ending: [flow].compactMap(\.self)) : .through(flow, own)
        tracks.lanes.begin(
          .span(span.subject), sort, name, category, at: span.begin, annotations, flows,
          leadingOn: own, into: &packets)
      }
      func begin(_ sort: LaneSort, _ category: String, _ annotations: [NamedAnnotation]) {
        tracks.lanes.begin(
          .span(span.subject), sort, name, category, at: span.begin, annotations, into: &packets)
      }
      switch span.subject {
      case .state(.notRunning), .visit, .process: break
      case .state:
        guard case .state(let from, _) = told.line.body else { break }
        begin(.states, "state", [NamedAnnotation("from", .text(from.fileName))])
      case .task: begin(.tasks, "task", told.annotations + rule, from: cause)
      case .session(let kind):
        let decision = tracks.allowed.flatMap { $0.kind == kind && $0.step == step ? $0.flow : nil }
        begin(.sessions, "session", told.annotations + rule, from: decision, isEnding: true)
      case .deferral: begin(.sessions, "deferral", told.annotations + rule)
      case .wake(let id, _):
        begin(
          .wakes, "wake", told.annotations + rule, from: tracks.admitted.removeValue(forKey: id),
          isEnding: true)
      case .request: begin(.requests, "request", annotations, from: cause)
      }
    }
  }

  private func name(of subject: LifeSpan.Subject, _ told: Told) -> String {
    switch (subject, told.line.body) {
    case (.state(let state), _): state.fileName
    case (.task, .task(_, _, let name)): name
    case (.session(let kind), _): lives.names[kind].rawValue
    case (.deferral(let kind), _): "\(lives.names[kind]) deferred"
    case (.wake(_, let kind), .wake(_, _, let identifier, _, _)):
      identifier.map { "\(lives.names[kind]) \($0)" } ?? lives.names[kind].rawValue
    case (.request(let identifier, _), _): lives.names.texts[Int(identifier)]
    default: ""
    }
  }

  private func rule(of subject: LifeSpan.Subject) -> [NamedAnnotation] {
    switch subject {
    case .task: policy.annotations(ofRowOf: .finiteTask)
    case .session(let kind), .wake(_, let kind): policy.annotations(ofRowOf: lives.names[kind])
    case .deferral(let kind): policy.annotations(ofRule: "sessions.\(lives.names[kind]).deferral")
    case .state, .visit, .process, .request: []
    }
  }

  private mutating func end(
    _ span: LifeSpan, _ told: Told, _ annotations: [NamedAnnotation], of app: String
  ) {
    guard let ending = span.ending else { return }
    if case .process = span.subject { return endProcess(told, annotations, app) }
    let step = step
    let slice = with(app) { tracks, packets in
      let slice = tracks.lanes.end(
        .span(span.subject), at: told.time, [ending.annotation(of: span.subject)], into: &packets)
      switch ending {
      case .process where slice?.isWarned ?? false: tracks.note(ranOut: slice?.flow, in: step)
      case .overrun: tracks.note(ranOut: slice?.flow, in: step)
      default: break
      }
      return slice
    }
    if ending == .started {
      mark(.decisions, "requestStart", told, annotations, .through(slice?.flow), of: app)
      // Its decision is the next line.
      if let flow = slice?.flow { cause = Cause(app: app, flow: flow) }
    }
  }

  private mutating func endProcess(_ told: Told, _ annotations: [NamedAnnotation], _ app: String) {
    guard case .terminated(let process) = told.line.body else { return }
    let (cause, step) = (takeCause(of: app), step)
    with(app) { tracks, packets in
      tracks.lanes.endAll(of: [.callbacks], at: told.time, because: "process", into: &packets)
      // The flows are a cause only if the reason is the timeout: a force quit may end a late
      // process first.
      let causes = process.reason == .backgroundTaskAssertionTimeout ? tracks.causes(in: step) : []
      let flows = Flows(ending: causes.isEmpty ? [cause].compactMap(\.self) : causes)
      tracks.lanes.instant(
        on: .states, told.words, "termination", at: told.time, annotations, flows, into: &packets)
      (tracks.calls, tracks.admitted, tracks.ranOut) = ([], [:], (0, []))
    }
  }

  // MARK: Moments

  private mutating func happen(
    _ moment: LifeMoment, _ told: Told, _ annotations: [NamedAnnotation], to app: String
  ) {
    switch moment {
    case .taskDenied:
      mark(.decisions, "taskDenied", told, told.annotations, .through(takeCause(of: app)), of: app)
    case .handler(.task(let id)): warn(.task(id), "expiration", told, annotations, of: app)
    case .handler(let subject): warn(subject, "warning", told, told.annotations, of: app)
    case .overran(let subject, _): warn(subject, "overrun", told, told.annotations, of: app)
    case .allowed(let kind, let wake): allow(kind, wake, told, annotations, of: app)
    case .denied(_, let wake):
      let cause = takeCause(of: app)
      // If the wake had been admitted, the flow of its admission ends here.
      let admission = wake.flatMap { wake in
        with(app) { tracks, _ in tracks.admitted.removeValue(forKey: wake) }
      }
      mark(
        .decisions, "decision", told, annotations,
        Flows(ending: [cause, admission].compactMap(\.self)), of: app)
    case .sessionDenied: mark(.decisions, "sessionDenied", told, told.annotations, of: app)
    case .refused:
      mark(
        .decisions, "requestRefused", told, annotations,
        Flows(ending: [takeCause(of: app)].compactMap(\.self)), of: app)
    case .diagnostic: mark(.decisions, "diagnostic", told, annotations, of: app)
    case .notification, .localNotification:
      mark(.calls, told.line.typeName, told, annotations, of: app)
    case .opened, .granted, .expired, .callback, .event: break
    }
  }

  /// Adds an instant for the announced end of a slice.
  private mutating func warn(
    _ subject: LifeSpan.Subject, _ category: String, _ told: Told, _ annotations: [NamedAnnotation],
    of app: String
  ) {
    let key = AppSlice.span(subject)
    with(app) { tracks, packets in
      let flow = Flows.through(tracks.lanes[key]?.flow)
      if !tracks.lanes.instant(
        within: key, told.words, category, at: told.time, annotations, flow, into: &packets)
      {
        tracks.lanes.instant(
          on: .decisions, told.words, category, at: told.time, annotations, into: &packets)
      }
      tracks.lanes.warn(key)
    }
  }

  private mutating func allow(
    _ kind: KindNumber, _ wake: WakeID?, _ told: Told, _ annotations: [NamedAnnotation],
    of app: String
  ) {
    let cause = takeCause(of: app)
    let (step, annotations) = (step, annotations + policy.annotations(ofRowOf: lives.names[kind]))
    with(app) { tracks, packets in
      let flow = cause ?? packets.newFlow()
      if let wake { tracks.admitted[wake] = flow } else { tracks.allowed = (kind, step, flow) }
      tracks.lanes.instant(
        on: .decisions, told.words, "decision", at: told.time, annotations, .through(flow),
        into: &packets)
    }
  }
}

extension LifeSpan.Ending {
  /// The last annotation of a slice: the next state, or the cause of its end.
  fileprivate func annotation(of subject: LifeSpan.Subject) -> NamedAnnotation {
    if case .next(let state) = self { return NamedAnnotation("to", .text(state.fileName)) }
    let word =
      switch self {
      case .next: ""
      case .app: if case .request = subject { "cancel" } else { "app" }
      case .overrun: "overrun"
      case .denied: "denied"
      case .renewed: "renew"
      case .replaced: "replace"
      case .started: "start"
      case .process: "process"
      case .run: "run"
      }
    return NamedAnnotation("ended", .text(word))
  }
}
