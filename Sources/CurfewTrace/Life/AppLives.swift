package import CurfewEngine

/// The lives of a device's apps, read from the actions of its engine or from the lines of its trace.
///
/// Every count, table, lane and slice about an app is a query over these changes, so that one word
/// means one thing everywhere.
///
///     var lives = AppLives(apps: trace.header.apps, policy: policy)
///     for line in trace.lines {
///       lives.read(line)
///       for change in lives.changes { … }
///     }
package struct AppLives: Sendable {
  /// The changes that the last action or line made, in order.
  @inlinable package var changes: ArraySlice<LifeChange> { steps.places[..<steps.count] }
  /// The words for the numbers in spans.
  package private(set) var names: LifeNames
  private var apps: [AppLife]
  /// For each kind whether a session or a wake that runs out goes on.
  private let goesOn: [Bool]
  @usableFromInline var steps = LifeSteps()

  /// Before the first action or line.
  ///
  /// - Parameters:
  ///   - apps: The apps' names, by `AppID`; a trace may name others.
  ///   - policy: The policy of the run. Without one, a session or a wake ends when it runs out.
  package init(apps: [String], policy: Policy?) {
    self.apps = apps.map { _ in AppLife() }
    names = LifeNames(apps: apps, kinds: policy?.names.kinds ?? PolicyNames().kinds)
    goesOn =
      policy.map { policy in
        policy.names.kinds.indices.map { number in
          let kind = AssertionKind(rawValue: UInt8(number))
          return (policy.wakes[kind]?.overrun ?? policy.sessions[kind]?.overrun) == .tell
        }
      } ?? []
  }

  /// The same for apps without names, which only actions tell of, to count figures: begins of states, callbacks, deliveries and remarks are
  /// not told. A fleet has millions of them.
  package init(counting appCount: Int, policy: Policy) {
    self.init(apps: [], policy: policy)
    apps = Array(repeating: AppLife(), count: appCount)
    steps.isTerse = true
  }

  /// The spans of an app that go on, states, visits and processes left out, in the order in which they began.
  package func openSpans(of app: Int) -> [LifeSpan] { apps[app].open }

  /// The run is over: every span ends.
  package mutating func finish(at now: Instant) {
    steps.removeAll()
    for app in apps.indices { change(app, now) { $0.finish(at: now, &$1) } }
  }

  // MARK: Actions

  /// Reads the next action.
  /// - Complexity: O(1) for most; O(open spans of the app) where one ends.
  package mutating func read(_ action: Action, at now: Instant) {
    steps.removeAll()
    switch action {
    case .state(let app, let from, let to): change(app, now) { $0.move(from, to, at: now, &$1) }
    case .callback(let app, let callback): change(app, now) { $0.call(callback, &$1) }
    case .event(let app, _): deliver(.event, to: Int(app.rawValue), now)
    case .notification(let app, _, _): deliver(.notification, to: Int(app.rawValue), now)
    case .localNotification(let app, _, _): tell(.localNotification, of: app, now)
    case .taskBegan(let app, let task): begin(task.id, Int(app.rawValue), now)
    case .taskEnded(let app, let task): change(app, now) { $0.endTask(task.id, at: now, &$1) }
    case .expiration(let app, let task, _, _): expire(task.id, Int(app.rawValue), now)
    // The tasks that follow are all that are open.
    case .stillOpen(let app, _): stillOpen(Int(app.rawValue), now)
    case .leakedTask: break
    case .session(let app, let kind, let change): read(change, Int(kind.rawValue), Int(app.rawValue), now)
    case .sessionWarned(let app, let kind, _): tell(.handler(.session(kind: Int(kind.rawValue))), of: app, now)
    case .decision(let app, let kind, let wake, let denied, _):
      decide(Int(kind.rawValue), wake, isAllowed: denied.isEmpty, Int(app.rawValue), now)
    case .wakeBegan(let app, let wake): read(.begin, wake.id, Int(wake.kind.rawValue), Int(app.rawValue), now)
    case .wakeWarned(let app, let wake, _): read(.warning, wake.id, Int(wake.kind.rawValue), Int(app.rawValue), now)
    case .wakeCompleted(let app, let wake): read(.complete, wake.id, Int(wake.kind.rawValue), Int(app.rawValue), now)
    case .wakeOverran(let app, let wake, let limit):
      read(limit == .budget ? .overBudget : .overrun, wake.id, Int(wake.kind.rawValue), Int(app.rawValue), now)
    case .request(let app, let identifier, let kind, let change): read(change, identifier, Int(kind.rawValue), Int(app.rawValue), now)
    case .terminated(let app, let end): change(app, now) { $0.die(end.reason, isGrant: end.leaks > 0, at: now, &$1) }
    case .notificationDropped(let app, _): tell(.diagnostic(.notificationDropped), of: app, now)
    case .illegalEvent(let app, _): if let app { tell(.diagnostic(.illegalEvent), of: app, now) }
    case .diagnostic(let diagnostic, let app, _): if let app { tell(.diagnostic(diagnostic), of: app, now) }
    case .probe: break
    }
  }

  // MARK: Lines

  /// Reads the next line of a trace.
  /// - Complexity: As that of an action.
  package mutating func read(_ line: TraceLine) {
    steps.removeAll()
    guard let name = line.app else { return }
    let (app, now) = (names.number(ofApp: name), line.time)
    while apps.count <= app { apps.append(AppLife()) }
    switch line.body {
    case .event, .advance, .end, .gap, .probe: break
    case .state(let from, let to): change(app, now) { $0.move(from, to, at: now, &$1) }
    case .callback(.lifecycle(let callback)): change(app, now) { $0.call(callback, &$1) }
    case .callback(.event): deliver(.event, to: app, now)
    case .notification: deliver(.notification, to: app, now)
    case .localNotification: tell(.localNotification, of: app, now)
    case .task(.begin, let id, _): begin(id, app, now)
    case .task(.end, let id, _): change(app, now) { $0.endTask(id, at: now, &$1) }
    case .expiration(let id, _, _, _): expire(id, app, now)
    case .session(let kind, let change, _):
      let kind = names.number(ofKind: kind)
      guard let change = SessionChange(change) else { return tell(.handler(.session(kind: kind)), of: app, now) }
      read(change, kind, app, now)
    case .decision(let kind, let wake, let denied, _): decide(names.number(ofKind: kind), wake, isAllowed: denied.isEmpty, app, now)
    case .wake(let kind, let id, _, let change, _): read(change, id, names.number(ofKind: kind), app, now)
    case .request(let identifier, let kind, let change):
      read(change, names.number(ofText: identifier), names.number(ofKind: kind), app, now)
    case .terminated(let process): change(app, now) { $0.die(process.reason, isGrant: process.tasks != nil, at: now, &$1) }
    case .diagnostic(.stillOpenAfterExpiration, _): stillOpen(app, now)
    case .diagnostic(let diagnostic, _): tell(.diagnostic(diagnostic), of: app, now)
    }
  }

  // MARK: Changes that actions and lines share

  private mutating func change(_ app: AppID, _ now: Instant, _ body: (inout AppLife, inout LifeSteps) -> Void) {
    change(Int(app.rawValue), now, body)
  }

  private mutating func change(_ app: Int, _ now: Instant, _ body: (inout AppLife, inout LifeSteps) -> Void) {
    steps.begin(of: app, at: now)
    body(&apps[app], &steps)
  }

  private mutating func tell(_ moment: LifeMoment, of app: AppID, _ now: Instant) { tell(moment, of: Int(app.rawValue), now) }

  private mutating func tell(_ moment: LifeMoment, of app: Int, _ now: Instant) {
    steps.begin(of: app, at: now)
    steps.append(.moment(moment))
  }

  /// The app's code runs: if it came out of suspension, it is not on its way to the front.
  private mutating func deliver(_ moment: LifeMoment, to app: Int, _ now: Instant) {
    change(app, now) {
      $0.settle(&$1)
      $1.appendDetail(.moment(moment))
    }
  }

  private mutating func begin(_ task: TaskID, _ app: Int, _ now: Instant) {
    guard task != .invalid else { return tell(.taskDenied, of: app, now) }
    change(app, now) { $0.beginTask(task, at: now, &$1) }
  }

  private mutating func expire(_ task: TaskID, _ app: Int, _ now: Instant) {
    change(app, now) { $0.expire(task, &$1) }
    tell(.handler(.task(task)), of: app, now)
  }

  private mutating func stillOpen(_ app: Int, _ now: Instant) {
    change(app, now) { $0.expireAll(&$1) }
    tell(.diagnostic(.stillOpenAfterExpiration), of: app, now)
  }

  private mutating func decide(_ kind: Int, _ wake: WakeID?, isAllowed: Bool, _ app: Int, _ now: Instant) {
    if !isAllowed, let wake { change(app, now) { $0.end(.wake(wake, kind: kind), at: now, .denied, &$1) } }
    tell(isAllowed ? .allowed(kind: kind, wake: wake) : .denied(kind: kind, wake: wake), of: app, now)
  }

  private func goesOn(_ kind: Int) -> Bool { kind < goesOn.count && goesOn[kind] }

  private mutating func read(_ change: SessionChange, _ kind: Int, _ app: Int, _ now: Instant) {
    switch change {
    case .began: self.change(app, now) { $0.begin(.session(kind: kind), at: now, &$1) }
    case .denied: tell(.sessionDenied(kind: kind), of: app, now)
    case .overran, .overBudget: overrun(.session(kind: kind), kind, change == .overran ? .length : .budget, app, now)
    case .deferred:
      self.change(app, now) {
        $0.end(.session(kind: kind), at: now, .deferred, &$1)
        $0.begin(.deferral(kind: kind), at: now, &$1)
      }
    case .renewed:
      self.change(app, now) {
        $0.end(.deferral(kind: kind), at: now, .renewed, &$1)
        $0.begin(.session(kind: kind), at: now, &$1)
      }
    case .ended:
      self.change(app, now) {
        $0.end(.session(kind: kind), at: now, .app, &$1)
        $0.end(.deferral(kind: kind), at: now, .app, &$1)
      }
    }
  }

  private mutating func read(_ change: TraceLine.WakeChange, _ id: WakeID, _ kind: Int, _ app: Int, _ now: Instant) {
    let subject = LifeSpan.Subject.wake(id, kind: kind)
    switch change {
    case .begin:
      self.change(app, now) {
        $0.settle(&$1)
        $0.begin(subject, at: now, &$1)
      }
    case .warning: tell(.handler(subject), of: app, now)
    case .complete: self.change(app, now) { $0.end(subject, at: now, .app, &$1) }
    case .overrun, .overBudget: overrun(subject, kind, change == .overrun ? .length : .budget, app, now)
    }
  }

  private mutating func overrun(_ subject: LifeSpan.Subject, _ kind: Int, _ limit: RunLimit, _ app: Int, _ now: Instant) {
    tell(.overran(subject, limit), of: app, now)
    if !goesOn(kind) { change(app, now) { $0.end(subject, at: now, .overrun(limit), &$1) } }
  }

  private mutating func read(_ change: RequestChange, _ identifier: UInt32, _ kind: Int, _ app: Int, _ now: Instant) {
    switch change {
    case .submitted, .replaced:
      self.change(app, now) {
        $0.endRequest(identifier, at: now, .replaced, &$1)
        $0.begin(.request(identifier: identifier, kind: kind), at: now, &$1)
      }
    case .started: self.change(app, now) { $0.endRequest(identifier, at: now, .started, &$1) }
    case .cancelled: self.change(app, now) { $0.endRequest(identifier, at: now, .app, &$1) }
    case .refused(let error): tell(.refused(kind: kind, error), of: app, now)
    }
  }
}

extension SessionChange {
  /// The change that a line names; nil for a warning, which the engine tells by an action of its own.
  init?(_ change: TraceLine.SessionChange) {
    switch change {
    case .begin: self = .began
    case .end: self = .ended
    case .denied: self = .denied
    case .overrun: self = .overran
    case .overBudget: self = .overBudget
    case .defer: self = .deferred
    case .renew: self = .renewed
    case .warning: return nil
    }
  }
}
