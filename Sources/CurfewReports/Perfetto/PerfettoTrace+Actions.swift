import CurfewEngine
import CurfewPolicy
import CurfewTrace

// What comes out of the engine about an app.

extension PerfettoTrace {
  /// A slice begins or ends, or something happens.
  mutating func happen(_ body: TraceLine.Body, _ told: Told, _ why: [Explanation], to app: String) {
    let annotations = told.annotations + policy.annotations(of: why)
    switch body {
    case .state(let from, let to): move(app, from, to, told)
    case .task(let change, let task, let name): note(change, task, name, told, of: app)
    case .expiration(let task, _, _, _): warn(.task(task), "expiration", told, annotations, of: app)
    case .session(let kind, let change, _): note(change, kind, told, of: app)
    case .wake(let kind, let wake, let identifier, let change, _): note(change, wake, kind, identifier, told, of: app)
    case .decision(let kind, let wake, let denied, _): decide(kind, wake, isAllowed: denied.isEmpty, told, annotations, of: app)
    case .request(let identifier, _, let change): note(change, identifier, told, annotations, of: app)
    case .terminated: terminate(told, annotations, app)
    case .diagnostic: with(app) { $0.lanes.instant(on: .decisions, told.words, "diagnostic", at: told.time, annotations, into: &$1) }
    case .notification, .localNotification, .probe:
      with(app) { $0.lanes.instant(on: .calls, told.words, told.line.typeName, at: told.time, annotations, into: &$1) }
    case .callback, .event, .advance, .end, .gap: break
    }
  }

  // MARK: Processes

  private mutating func move(_ app: String, _ from: AppState, _ to: AppState, _ told: Told) {
    let step = step
    with(app) { tracks, packets in
      tracks.lanes.end(.state, at: told.time, [NamedAnnotation("to", .text(to.fileName))], into: &packets)
      guard to == .notRunning else {
        let annotations = [NamedAnnotation("from", .text(from.fileName))]
        return tracks.lanes.begin(.state, .states, to.fileName, "state", at: told.time, annotations, into: &packets)
      }
      // A request is kept by the system, not by the process.
      let ended = tracks.lanes.endAll(of: [.tasks, .sessions, .wakes, .callbacks], at: told.time, because: "process", into: &packets)
      for slice in ended where slice.isWarned { tracks.note(ranOut: slice.flow, in: step) }
      tracks.calls = []
      tracks.admitted = [:]
    }
  }

  /// The line comes after that of the state, in the same step.
  private mutating func terminate(_ told: Told, _ annotations: [NamedAnnotation], _ app: String) {
    guard case .terminated(let process) = told.line.body else { return }
    let cause = takeCause(of: app)
    let step = step
    with(app) { tracks, packets in
      // What a user ends has not ended for being late.
      let causes = process.reason == .backgroundTaskAssertionTimeout ? tracks.causes(in: step) : []
      let flows = Flows(ending: causes.isEmpty ? [cause].compactMap(\.self) : causes)
      tracks.lanes.instant(on: .states, told.words, "termination", at: told.time, annotations, flows, into: &packets)
      tracks.ranOut = (0, [])
    }
  }

  // MARK: Tasks, sessions and wakes

  private mutating func note(_ change: TraceLine.TaskChange, _ task: TaskID, _ name: String, _ told: Told, of app: String) {
    let cause = change == .begin ? takeCause(of: app) : nil
    let rule = policy.annotations(ofRowOf: .finiteTask)
    with(app) { tracks, packets in
      switch change {
      case .begin where task == .invalid:
        tracks.lanes.instant(on: .decisions, told.words, "taskDenied", at: told.time, told.annotations, .through(cause), into: &packets)
      case .begin:
        let flow = packets.newFlow()
        tracks.lanes.begin(
          .task(task), .tasks, name, "task", at: told.time, told.annotations + rule, .through(cause, flow), leadingOn: flow, into: &packets)
      case .end: tracks.lanes.end(.task(task), at: told.time, [NamedAnnotation("ended", .text("app"))], into: &packets)
      }
    }
  }

  private mutating func note(_ change: TraceLine.SessionChange, _ kind: KindName, _ told: Told, of app: String) {
    let (key, deferral) = (AppSlice.session(kind), AppSlice.deferral(kind))
    let (time, step, rule, goesOn) = (told.time, step, policy.annotations(ofRowOf: kind), policy.goesOn(kind))
    if change == .warning { return warn(key, "warning", told, told.annotations, of: app) }
    if change == .overrun || change == .overBudget { return runOut(key, goesOn: goesOn, told, of: app) }
    let deferralRule = change == .defer ? policy.annotations(ofRule: "sessions.\(kind).deferral") : []
    with(app) { tracks, packets in
      switch change {
      case .begin, .renew:
        tracks.lanes.end(deferral, at: time, [NamedAnnotation("ended", .text("renew"))], into: &packets)
        let flow = packets.newFlow()
        let decision = tracks.allowed.flatMap { $0.kind == kind && $0.step == step ? $0.flow : nil }
        tracks.lanes.begin(
          key, .sessions, kind.rawValue, "session", at: time, told.annotations + rule,
          Flows(through: [flow], ending: [decision].compactMap(\.self)), leadingOn: flow, into: &packets)
      case .defer:
        tracks.lanes.end(key, at: time, [NamedAnnotation("ended", .text("defer"))], into: &packets)
        let annotations = told.annotations + deferralRule
        tracks.lanes.begin(deferral, .sessions, "\(kind) deferred", "deferral", at: time, annotations, into: &packets)
      case .end:
        for key in [key, deferral] { tracks.lanes.end(key, at: time, [NamedAnnotation("ended", .text("app"))], into: &packets) }
      case .denied: tracks.lanes.instant(on: .decisions, told.words, "sessionDenied", at: time, told.annotations, into: &packets)
      case .warning, .overrun, .overBudget: break
      }
    }
  }

  private mutating func note(
    _ change: TraceLine.WakeChange, _ wake: WakeID, _ kind: KindName, _ identifier: String?, _ told: Told, of app: String
  ) {
    let key = AppSlice.wake(wake)
    switch change {
    case .begin:
      let (name, rule) = (identifier.map { "\(kind) \($0)" } ?? kind.rawValue, policy.annotations(ofRowOf: kind))
      with(app) { tracks, packets in
        let flow = packets.newFlow()
        let decision = tracks.admitted.removeValue(forKey: wake)
        tracks.lanes.begin(
          key, .wakes, name, "wake", at: told.time, told.annotations + rule,
          Flows(through: [flow], ending: [decision].compactMap(\.self)), leadingOn: flow, into: &packets)
      }
    case .complete: with(app) { _ = $0.lanes.end(key, at: told.time, [NamedAnnotation("ended", .text("app"))], into: &$1) }
    case .warning: warn(key, "warning", told, told.annotations, of: app)
    case .overrun, .overBudget: runOut(key, goesOn: policy.goesOn(kind), told, of: app)
    }
  }

  /// An expiration handler is called.
  private mutating func warn(_ key: AppSlice, _ category: String, _ told: Told, _ annotations: [NamedAnnotation], of app: String) {
    with(app) { tracks, packets in
      let flow = Flows.through(tracks.lanes[key]?.flow)
      if !tracks.lanes.instant(within: key, told.words, category, at: told.time, annotations, flow, into: &packets) {
        tracks.lanes.instant(on: .decisions, told.words, category, at: told.time, annotations, into: &packets)
      }
      tracks.lanes.warn(key)
    }
  }

  /// A session or a wake has run for as long as it may.
  private mutating func runOut(_ key: AppSlice, goesOn: Bool, _ told: Told, of app: String) {
    let step = step
    warn(key, "overrun", told, told.annotations, of: app)
    guard !goesOn else { return }
    with(app) { tracks, packets in
      let slice = tracks.lanes.end(key, at: told.time, [NamedAnnotation("ended", .text("overrun"))], into: &packets)
      tracks.note(ranOut: slice?.flow, in: step)
    }
  }

  // MARK: Decisions and requests

  private mutating func decide(
    _ kind: KindName, _ wake: WakeID?, isAllowed: Bool, _ told: Told, _ annotations: [NamedAnnotation], of app: String
  ) {
    let cause = takeCause(of: app)
    let (step, annotations) = (step, annotations + (isAllowed ? policy.annotations(ofRowOf: kind) : []))
    with(app) { tracks, packets in
      var flows = Flows.none
      if isAllowed {
        let flow = cause ?? packets.newFlow()
        flows = .through(flow)
        if let wake { tracks.admitted[wake] = flow } else { tracks.allowed = (kind, step, flow) }
      } else {
        // One that had been admitted ends what its admission began.
        flows.ending = [cause, wake.flatMap { tracks.admitted.removeValue(forKey: $0) }].compactMap(\.self)
      }
      tracks.lanes.instant(on: .decisions, told.words, "decision", at: told.time, annotations, flows, into: &packets)
    }
  }

  private mutating func note(
    _ change: RequestChange, _ identifier: String, _ told: Told, _ annotations: [NamedAnnotation], of app: String
  ) {
    let key = AppSlice.request(identifier)
    let cause: UInt64? = if case .started = change { nil } else { takeCause(of: app) }
    let started: UInt64? = with(app) { tracks, packets in
      switch change {
      case .submitted, .replaced:
        tracks.lanes.end(key, at: told.time, [NamedAnnotation("ended", .text("replace"))], into: &packets)
        let flow = packets.newFlow()
        tracks.lanes.begin(
          key, .requests, identifier, "request", at: told.time, annotations, .through(cause, flow), leadingOn: flow, into: &packets)
      case .started:
        let flow = tracks.lanes.end(key, at: told.time, [NamedAnnotation("ended", .text("start"))], into: &packets)?.flow
        tracks.lanes.instant(on: .decisions, told.words, "requestStart", at: told.time, annotations, .through(flow), into: &packets)
        return flow
      case .cancelled: tracks.lanes.end(key, at: told.time, [NamedAnnotation("ended", .text("cancel"))], into: &packets)
      case .refused:
        let flows = Flows(ending: [cause].compactMap(\.self))
        tracks.lanes.instant(on: .decisions, told.words, "requestRefused", at: told.time, annotations, flows, into: &packets)
      }
      return nil
    }
    // Its decision comes next.
    if let started { self.cause = Cause(app: app, flow: started) }
  }
}
