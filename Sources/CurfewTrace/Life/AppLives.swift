package import CurfewEngine

/// The lives of a device's apps, read from the actions of its engine or from the lines of
/// its trace.
///
/// Every count, table, lane and slice about an app is a query over these changes, so that a word
/// has the same meaning everywhere.
///
///     var lives = AppLives(apps: trace.header.apps, policy: policy)
///     for line in trace.lines {
///       lives.read(line)
///       for change in lives.changes { … }
///     }
package struct AppLives: Sendable {
  /// The changes of the last action or line, in order.
  package private(set) var changes: [LifeChange] = []
  /// The words for the numbers in spans.
  package private(set) var names: LifeNames
  private var apps: [AppLife]
  /// Whether a session or a wake continues after it runs out, by kind.
  private let goesOn: [Bool]

  /// Creates lives before the first action or line.
  ///
  /// - Parameters:
  ///   - apps: The apps' names, by `AppID`; a trace may name others.
  ///   - policy: The policy of the run. Without one, a session or a wake ends when it runs out.
  package init(apps: [String], policy: Policy?) {
    self.init(
      apps: apps, policy: policy,
      names: LifeNames(apps: apps, kinds: policy?.names.kinds ?? PolicyNames().kinds))
  }

  private init(apps: [String], policy: Policy?, names: LifeNames) {
    self.apps = apps.indices.map { AppLife($0) }
    self.names = names
    goesOn =
      policy.map { policy in
        policy.names.kinds.indices.map { number in
          let kind = AssertionKind(rawValue: UInt8(number))
          return (policy.wakes[kind]?.overrun ?? policy.sessions[kind]?.overrun) == .tell
        }
      } ?? []
  }

  /// Creates lives of apps without names, for actions only. Kinds have no names either.
  package init(appCount: Int, policy: Policy) {
    self.init(apps: [], policy: policy, names: LifeNames(apps: [], kinds: []))
    apps = (0..<appCount).map { AppLife($0) }
  }

  /// The current state of an app.
  package func state(of app: Int) -> LifeSpan { apps[app].state }

  /// Ends the run, and with it every span.
  package mutating func finish(at now: Instant) { gather(now) { $0.finish(at: now, &$1) } }

  /// Ends the run, and with it every span. `reader` receives the changes.
  package mutating func finish(at now: Instant, _ reader: inout some LifeReader) {
    for app in apps.indices { apps[app].finish(at: now, &reader) }
  }

  private mutating func gather(_ now: Instant, _ read: (inout AppLives, inout LifeChanges) -> Void)
  {
    var gathered = LifeChanges(all: [], time: now)
    swap(&gathered.all, &changes)
    gathered.all.removeAll(keepingCapacity: true)
    read(&self, &gathered)
    changes = gathered.all
  }

  // MARK: Actions

  /// Reads the next action.
  /// - Complexity: O(1) for most actions; O(open spans of the app) if a span ends.
  package mutating func read(_ action: Action, at now: Instant, _ reader: inout some LifeReader) {
    switch action {
    case .state(let app, let from, let to): move(app, from, to, at: now, &reader)
    case .callback(let app, let callback): call(app, callback, &reader)
    case .event(let app, _): apps[Int(app.rawValue)].deliver(.event, &reader)
    case .notification(let app, _, _): apps[Int(app.rawValue)].deliver(.notification, &reader)
    case .localNotification(let app, _, _):
      reader.happened(.localNotification, of: Int(app.rawValue))
    case .taskBegan(let app, let task): apps[Int(app.rawValue)].beginTask(task.id, at: now, &reader)
    case .taskEnded(let app, let task): apps[Int(app.rawValue)].endTask(task.id, at: now, &reader)
    case .expiration(let app, let task, _, _): apps[Int(app.rawValue)].expire(task.id, &reader)
    // The tasks in the following actions are all of the app's open tasks.
    case .stillOpen(let app, _): apps[Int(app.rawValue)].stillOpen(&reader)
    case .leakedTask: break
    case .session(let app, let kind, let change):
      note(change, KindNumber(kind), Int(app.rawValue), now, &reader)
    case .sessionWarned(let app, let kind, _):
      reader.happened(.handler(.session(kind: KindNumber(kind))), of: Int(app.rawValue))
    case .decision(let app, let kind, let wake, let denied, _):
      apps[Int(app.rawValue)].decide(
        KindNumber(kind), wake, isAllowed: denied.isEmpty, at: now, &reader)
    case .wakeBegan(let app, let wake):
      note(.begin, wake.id, KindNumber(wake.kind), Int(app.rawValue), now, &reader)
    case .wakeWarned(let app, let wake, _):
      note(.warning, wake.id, KindNumber(wake.kind), Int(app.rawValue), now, &reader)
    case .wakeCompleted(let app, let wake):
      note(.complete, wake.id, KindNumber(wake.kind), Int(app.rawValue), now, &reader)
    case .wakeOverran(let app, let wake, let limit):
      note(
        TraceLine.WakeChange(limit), wake.id, KindNumber(wake.kind), Int(app.rawValue), now,
        &reader)
    case .request(let app, let identifier, let kind, let change):
      apps[Int(app.rawValue)].note(change, identifier, KindNumber(kind), at: now, &reader)
    case .terminated(let app, let end):
      apps[Int(app.rawValue)].die(end.reason, isGrant: end.leaks > 0, at: now, &reader)
    case .notificationDropped(let app, _):
      reader.happened(.diagnostic(.notificationDropped), of: Int(app.rawValue))
    case .runsWithoutAssertion(let app, _):
      reader.happened(.diagnostic(.runsWithoutAssertion), of: Int(app.rawValue))
    case .alreadyCompleted(let app, _, _):
      reader.happened(.diagnostic(.alreadyCompleted), of: Int(app.rawValue))
    case .illegalEvent(let app, _):
      if let app { reader.happened(.diagnostic(.illegalEvent), of: Int(app.rawValue)) }
    case .diagnostic(let diagnostic, let app, _):
      if let app { reader.happened(.diagnostic(diagnostic), of: Int(app.rawValue)) }
    case .probe: break
    }
  }

  mutating func move(
    _ app: AppID, _ from: AppState, _ to: AppState, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    apps[Int(app.rawValue)].move(from, to, at: now, &reader)
  }

  @inline(__always)
  mutating func call(_ app: AppID, _ callback: Callback, _ reader: inout some LifeReader) {
    apps[Int(app.rawValue)].call(callback, &reader)
  }

  // MARK: Lines

  /// Reads the next line of a trace.
  /// - Complexity: The same as for an action.
  package mutating func read(_ line: TraceLine) {
    guard let name = line.app else { return changes.removeAll(keepingCapacity: true) }
    let (app, now) = (names.number(ofApp: name), line.time)
    while apps.count <= app { apps.append(AppLife(apps.count)) }
    gather(now) { $0.read(line, app, now, &$1) }
  }

  private mutating func read(
    _ line: TraceLine, _ app: Int, _ now: Instant, _ reader: inout some LifeReader
  ) {
    switch line.body {
    case .event, .advance, .resumed, .end, .gap, .probe: break
    case .state(let from, let to): apps[app].move(from, to, at: now, &reader)
    case .callback(.lifecycle(let callback)): apps[app].call(callback, &reader)
    case .callback(.event): apps[app].deliver(.event, &reader)
    case .notification: apps[app].deliver(.notification, &reader)
    case .localNotification: reader.happened(.localNotification, of: app)
    case .task(.begin, let id, _): apps[app].beginTask(id, at: now, &reader)
    case .task(.end, let id, _): apps[app].endTask(id, at: now, &reader)
    case .expiration(let id, _, _, _): apps[app].expire(id, &reader)
    case .session(let kind, let change, _):
      let kind = names.number(ofKind: kind)
      guard let change = SessionChange(change) else {
        return reader.happened(.handler(.session(kind: kind)), of: app)
      }
      note(change, kind, app, now, &reader)
    case .decision(let kind, let wake, let denied, _):
      apps[app].decide(
        names.number(ofKind: kind), wake, isAllowed: denied.isEmpty, at: now, &reader)
    case .wake(let kind, let id, _, let change, _):
      note(change, id, names.number(ofKind: kind), app, now, &reader)
    case .request(let identifier, let kind, let change):
      apps[app].note(
        change, names.number(ofText: identifier), names.number(ofKind: kind), at: now, &reader)
    case .terminated(let process):
      apps[app].die(process.reason, isGrant: process.tasks != nil, at: now, &reader)
    case .diagnostic(.stillOpenAfterExpiration, _): apps[app].stillOpen(&reader)
    case .diagnostic(let diagnostic, _): reader.happened(.diagnostic(diagnostic), of: app)
    }
  }

  // MARK: Changes that actions and lines share

  private mutating func note(
    _ change: SessionChange, _ kind: KindNumber, _ app: Int, _ now: Instant,
    _ reader: inout some LifeReader
  ) {
    apps[app].note(change, kind, goesOn: goesOn(kind), at: now, &reader)
  }

  private mutating func note(
    _ change: TraceLine.WakeChange, _ id: WakeID, _ kind: KindNumber, _ app: Int, _ now: Instant,
    _ reader: inout some LifeReader
  ) {
    apps[app].note(change, .wake(id, kind: kind), goesOn: goesOn(kind), at: now, &reader)
  }

  /// Whether a session or a wake of this kind continues after it runs out.
  private func goesOn(_ kind: KindNumber) -> Bool {
    Int(kind.rawValue) < goesOn.count && goesOn[Int(kind.rawValue)]
  }
}

extension SessionChange {
  /// Converts a line's change; returns nil for a warning, which is a separate action of the engine.
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
