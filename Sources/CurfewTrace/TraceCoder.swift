package import CurfewEngine
import CurfewPolicy

/// Between the texts of files and the numbers of an engine, both ways: what is written becomes what
/// goes in (`event(for:app:)`), what went in and came out becomes a trace's lines. Simulation,
/// replay and devices share it.
package struct TraceCoder: Sendable {
  /// The apps' names, by file order.
  package private(set) var apps: [String]
  /// The texts that the engine knows by a number: labels of tasks, identifiers of requests, ids
  /// of notifications, names and values of posts.
  package private(set) var labels: [String]

  private let policy: Policy
  /// What the policy calls its kinds and facts.
  package var names: PolicyNames { policy.names }

  private var numbers: [String: UInt32]
  /// For each app what was delivered to it last.
  private var deliveries: [Moment?]
  /// What entered last: what an `illegalEvent` is about.
  private var lastVerb = Verb.probe
  /// What apps have begun, by label and by number; kept where `note` tells of it.
  package private(set) var tasks = TaskTable()
  /// The device as what was said so far has left it.
  package var device: DeviceFacts
  /// A line that waits for the tasks that its actions name after it, and how many those are.
  private var incomplete: (line: TraceLine, tasks: UInt32)?

  /// A coder for these apps and labels.
  ///
  /// - Parameters:
  ///   - device: The device at the start.
  ///   - policy: What the engine decides by: it has the names of kinds, facts and budgets.
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

  /// Makes known another app, which the engine has just been given too.
  package mutating func addApp(named name: String) -> AppID {
    apps.append(name)
    deliveries.append(nil)
    return AppID(rawValue: UInt32(apps.count - 1))
  }

  /// The number by which to call `text`: the same for the same text.
  package mutating func number(of text: String) -> UInt32 {
    if let number = numbers[text] { return number }
    let number = UInt32(labels.count)
    labels.append(text)
    numbers[text] = number
    return number
  }

  /// What enters an engine for a deed; nil for one that cannot as it stands: it names an app where
  /// there is none to name, or none where one is needed.
  package mutating func event(for deed: Deed, app: AppID?) -> Event? {
    if case .none = deed.verb.row.subject, app != nil { return nil }
    return deed.verb.row.event(deed, app, &self)
  }

  /// The task that a deed means.
  func task(of deed: Deed, _ app: AppID) -> BackgroundTask {
    if let id = deed.task { return tasks.task(id, of: app) }
    return deed.name.flatMap { numbers[$0] }.map { tasks.task(labelled: $0, of: app) }
      ?? .invalid(label: 0)
  }

  /// Takes in what became of a task or a process, so that deeds can name tasks.
  package mutating func note(_ action: Action) { tasks.note(action) }

  /// A driver's standstill in the names of the apps.
  package func named(_ found: Driver.Standstill) -> Standstill {
    Standstill(found) { apps[Int($0.rawValue)] }
  }

  /// The line for something that enters the engine.
  package mutating func line(for deed: Deed, app: AppID?, at time: Instant) -> TraceLine {
    lastVerb = deed.verb
    return TraceLine(time: time, app: app.map(name), .event(deed))
  }

  /// The same for an engine's event.
  package mutating func line(entering event: Event, at time: Instant) -> TraceLine {
    let (app, deed) = deed(event)
    return line(for: deed, app: app, at: time)
  }

  /// The line for an action, or nil while it is not complete: a killed process's line waits for
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

  /// What was delivered to `app` last; nil before the first delivery.
  package func lastDelivery(to app: AppID) -> Moment? { deliveries[Int(app.rawValue)] }

  /// The kind that a deed names; nil where it names none, or one that the policy does not know.
  func kind(of deed: Deed) -> AssertionKind? { deed.kind.flatMap(names.kind) }

  private func name(_ app: AppID) -> String { apps[Int(app.rawValue)] }

  /// The text that is called by this number.
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
    // Taken out meanwhile, so that lists of thousands are not copied for each of their names.
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
      (app, body(wake, limit == .budget ? .overBudget : .overrun))
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
          TerminatedProcess(
            reason: termination.reason, code: termination.code,
            tasks: termination.leaks > 0 ? [] : nil, late: termination.late,
            details: .init(
              callback: termination.callback, kind: termination.kind.map(names.name(of:)),
              expiration: termination.expiration,
              limit: termination.limit, ages: [])))
      )
    case .leakedTask(let app, _, _): (app, nil)
    case .stillOpen(let app, _): (app, .diagnostic(.stillOpenAfterExpiration, .tasks([], ages: [])))
    case .notificationDropped(let app, let name):
      (app, .diagnostic(.notificationDropped, .notification(text(name))))
    case .illegalEvent(let app, let objection):
      (app, .diagnostic(.illegalEvent, .step(lastVerb.name, objection)))
    case .diagnostic(let diagnostic, let app, let task):
      (app, .diagnostic(diagnostic, task.id == .invalid ? .none : .task(task.id)))
    }
  }
}

extension Action {
  /// How many tasks follow that belong to its line; nil for none.
  fileprivate var tasksToCome: UInt32? {
    switch self {
    case .terminated(_, let end) where end.leaks > 0: end.leaks
    case .stillOpen(_, let tasks): tasks
    default: nil
    }
  }
}

extension TraceLine.Body {
  /// Names another task that was left open.
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
  /// What an action delivers, if it is a delivery: the app owes a return.
  package func moment(of action: Action) -> Moment? { action.moment(in: names) }
}
