package import CurfewEngine
import CurfewPolicy

/// Converts between the texts of files and the numbers of an engine: deeds become events
/// (`event(for:app:)`), and events and actions become a trace's lines. Simulation, replay and
/// devices share it.
package struct TraceCoder: Sendable {
  /// The names of the apps, in file order.
  package private(set) var apps: [String]
  /// The texts that the engine knows by number: labels of tasks, identifiers of requests, ids
  /// of notifications, names and values of posts.
  package private(set) var labels: [String]

  private let policy: Policy
  /// The policy's names of kinds and facts.
  package var names: PolicyNames { policy.names }

  private var numbers: [String: UInt32]
  /// The last delivery to each app.
  private var deliveries: [AppCall?]
  /// The verb that entered last: the subject of an `illegalEvent`.
  private var lastVerb = InputVerb.probe
  /// The tasks of apps, by label and by number, as far as `note` has recorded them.
  package private(set) var tasks = TaskTable()
  /// The device's facts after all changes so far.
  package var device: DeviceFacts
  /// A line that waits for the tasks in the following actions, and the number of these tasks.
  private var incomplete: (line: TraceLine, tasks: UInt32)?

  /// Creates a coder for these apps and labels.
  ///
  /// - Parameters:
  ///   - device: The device at the start.
  ///   - policy: The engine's policy, which has the names of kinds, facts and budgets.
  package init(
    apps: [String], labels: [String] = [], device: DeviceFacts = DeviceFacts(), policy: Policy
  ) {
    self.apps = apps
    self.policy = policy
    self.labels = labels
    self.device = device
    numbers = Dictionary(
      labels.enumerated().map { ($1, UInt32($0)) }, uniquingKeysWith: { first, _ in first })
    deliveries = Array(repeating: nil, count: apps.count)
  }

  /// Adds an app that has just been added to the engine.
  package mutating func addApp(named name: String) -> AppID {
    apps.append(name)
    deliveries.append(nil)
    return AppID(rawValue: UInt32(apps.count - 1))
  }

  /// The number of `text`, which is the same for the same text.
  package mutating func number(of text: String) -> UInt32 {
    if let number = numbers[text] { return number }
    let number = UInt32(labels.count)
    labels.append(text)
    numbers[text] = number
    return number
  }

  /// The event for a deed. Returns nil if the deed cannot enter the engine: it has an app but its
  /// verb takes none, or it has no app but its verb needs one.
  package mutating func event(for deed: EngineInput, app: AppID?) -> Event? {
    if case .none = deed.verb.row.subject, app != nil { return nil }
    return deed.verb.row.event(deed, app, &self)
  }

  /// The task that a deed names.
  func task(of deed: EngineInput, _ app: AppID) -> BackgroundTask {
    if let id = deed.task { return tasks.task(id, of: app) }
    return deed.name.flatMap { numbers[$0] }.map { tasks.task(labelled: $0, of: app) }
      ?? .invalid(label: 0)
  }

  /// Records a change to a task or a process, so that deeds can name tasks.
  package mutating func note(_ action: Action) { tasks.note(action) }

  /// A driver's standstill with the names of the apps.
  package func named(_ found: Driver.Standstill) -> Standstill {
    Standstill(found) { apps[Int($0.rawValue)] }
  }

  /// The line for a deed that enters the engine.
  package mutating func line(for deed: EngineInput, app: AppID?, at time: Instant) -> TraceLine {
    lastVerb = deed.verb
    return TraceLine(time: time, app: app.map(name), .event(deed))
  }

  /// The line for an event that enters the engine.
  package mutating func line(entering event: Event, at time: Instant) -> TraceLine {
    let (app, deed) = deed(event)
    return line(for: deed, app: app, at: time)
  }

  /// Notes the verb of an event whose line is made elsewhere.
  mutating func enter(_ verb: InputVerb) { lastVerb = verb }

  /// The line for an action, or nil while it is incomplete: a killed process's line waits for
  /// the names of its leaked tasks.
  package mutating func line(for action: Action, at time: Instant) -> TraceLine? {
    let (app, body) = body(of: action, at: time)
    guard let body else { return completed(by: action) }
    let line = TraceLine(time: time, app: app.map(name), body)
    if let tasks = action.tasksToCome {
      incomplete = (line, tasks)
      return nil
    }
    if let app, let moment = moment(of: action) { deliveries[Int(app.rawValue)] = moment }
    return line
  }

  /// The last delivery to `app`; nil before the first delivery.
  package func lastDelivery(to app: AppID) -> AppCall? { deliveries[Int(app.rawValue)] }

  /// The kind that a deed names; nil if it names none, or a kind that the policy does not know.
  func kind(of deed: EngineInput) -> AssertionKind? { deed.kind.flatMap(names.kind) }

  private func name(_ app: AppID) -> String { apps[Int(app.rawValue)] }

  /// The text with this number.
  func text(_ number: UInt32) -> String { labels[Int(number)] }

  private func name(_ task: BackgroundTask) -> String { text(task.label) }

  private func body(_ wake: AdmittedWake, _ change: TraceLine.WakeChange, due: Instant? = nil)
    -> TraceLine.Body
  {
    .wake(
      names.name(of: wake.kind), wake.id, identifier: wake.identifier.map(text), change, due: due)
  }

  private mutating func completed(by action: Action) -> TraceLine? {
    guard case .leakedTask(_, let task, let age) = action, var (line, tasks) = incomplete else {
      return nil
    }
    // The line is moved out while it is changed, so that lists of thousands of names are not copied
    // for each name.
    incomplete = nil
    line.body.add(name(task), age: age)
    tasks -= 1
    guard tasks > 0 else { return line }
    incomplete = (line, tasks)
    return nil
  }

  private func body(of action: Action, at time: Instant) -> (AppID?, TraceLine.Body?) {
    switch action {
    case .state(let app, let from, let to): (app, .state(from: from, to: to))
    case .callback(let app, let callback): (app, .callback(.lifecycle(callback)))
    case .event(let app, let kind): (app, .callback(.event(names.name(of: kind))))
    case .expiration(let app, let task, let reason, let due):
      (app, .expiration(task.id, name: name(task), reason, due: due < time ? due : nil))
    case .wakeBegan(let app, let wake): (app, body(wake, .begin))
    case .wakeWarned(let app, let wake, let due):
      (app, body(wake, .warning, due: due < time ? due : nil))
    case .wakeCompleted(let app, let wake): (app, body(wake, .complete))
    case .wakeOverran(let app, let wake, let limit):
      (app, body(wake, TraceLine.WakeChange(limit)))
    case .taskBegan(let app, let task): (app, .task(.begin, task.id, name: name(task)))
    case .taskEnded(let app, let task): (app, .task(.end, task.id, name: name(task)))
    case .decision(let app, let kind, let wake, let denied, let next):
      (
        app,
        .decision(
          names.name(of: kind), wake: wake, denied: policy.denials(denied, of: kind), next: next)
      )
    case .session(let app, let kind, let change):
      (app, .session(names.name(of: kind), .init(change)))
    case .sessionWarned(let app, let kind, let due):
      (app, .session(names.name(of: kind), .warning, due: due < time ? due : nil))
    case .notification(let app, let name, let value):
      (app, .notification(name: text(name), value: value.map(text)))
    case .localNotification(let app, let id, let fate):
      (app, .localNotification(id: text(id), fate))
    case .request(let app, let identifier, let kind, let change):
      (app, .request(identifier: text(identifier), names.name(of: kind), change))
    case .probe(let app, let state, let remaining): (app, .probe(state, remaining: remaining))
    case .terminated(let app, let termination):
      (
        app,
        .terminated(
          RecordedProcessEnd(
            reason: termination.reason, code: termination.code,
            tasks: termination.leaks > 0 ? [] : nil, late: termination.late,
            exit: termination.exit,
            details: .init(
              callback: termination.callback, kind: termination.kind.map(names.name(of:)),
              expiration: termination.expiration,
              limit: termination.limit, ownLength: termination.ownLength, ages: [])))
      )
    case .leakedTask(let app, _, _): (app, nil)
    case .stillOpen(let app, _): (app, .diagnostic(.stillOpenAfterExpiration, .tasks([], ages: [])))
    case .notificationDropped(let app, let name):
      (app, .diagnostic(.notificationDropped, .notification(text(name))))
    case .alreadyCompleted(let app, let wake, let instant):
      (
        app,
        .diagnostic(
          .alreadyCompleted,
          .wake(
            names.name(of: wake.kind), wake.id, identifier: wake.identifier.map(text),
            completed: instant))
      )
    case .runsWithoutAssertion(let app, let call):
      (app, .diagnostic(.runsWithoutAssertion, .call(call.named(in: names))))
    case .illegalEvent(let app, let objection):
      (app, .diagnostic(.illegalEvent, .step(lastVerb.name, objection)))
    case .diagnostic(let diagnostic, let app, let task):
      (app, .diagnostic(diagnostic, task.id == .invalid ? .none : .task(task.id)))
    }
  }
}

extension Action {
  /// The number of following actions whose tasks belong to this action's line; nil if there
  /// are none.
  fileprivate var tasksToCome: UInt32? {
    switch self {
    case .terminated(_, let end) where end.leaks > 0: end.leaks
    case .stillOpen(_, let tasks): tasks
    default: nil
    }
  }
}

extension TraceLine.Body {
  /// Adds another task that was left open.
  fileprivate mutating func add(_ task: String, age: Interval) {
    switch self {
    case .terminated(var process):
      self = .advance
      process.tasks?.append(task)
      process.details?.ages.append(age)
      self = .terminated(process)
    case .diagnostic(let name, .tasks(var tasks, var ages)):
      self = .advance
      tasks.append(task)
      ages.append(age)
      self = .diagnostic(name, .tasks(tasks, ages: ages))
    default: break
    }
  }
}

extension TraceCoder {
  /// The delivery in an action, from which the app must return; nil if the action delivers nothing.
  package func moment(of action: Action) -> AppCall? { action.moment(in: names) }
}
