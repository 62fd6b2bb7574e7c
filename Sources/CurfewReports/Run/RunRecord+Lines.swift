import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// What each line says of an app.
extension RunRecord {
  mutating func take(_ line: TraceLine, of app: Int, _ why: [Explanation]) {
    let time = line.time
    switch line.body {
    case .event(let deed): crash = deed.verb == .crash ? (app, time) : nil
    case .state(_, let next):
      with(app) {
        $0.enter(next, at: time)
        if next != .inactive, next != .notRunning { $0.tell(line) }
      }
    case .callback(.lifecycle(let callback)): with(app) { $0.lastCallback = callback }
    case .task(let change, let id, let name): take(change, id, name, line, app)
    case .expiration(let id, let name, let reason, _):
      if let task = openTasks[TaskKey(app: app, id: id)] { tasks[task].expired = time }
      with(app) { $0.lastExpiration = reason }
      sign(.expiration, "expiration handler of task \(id.rawValue) '\(name)': \(reason.fileName)", line, app)
    case .session(let kind, let change, _): take(kind, change, line, app)
    case .wake(let kind, let id, let identifier, let change, _): take(kind, id, identifier, change, line, app)
    case .decision(let kind, let wake, let denied, _):
      count(kind, denied, why)
      guard !denied.isEmpty else { return }
      if let wake { with(app) { $0.end(.wake(wake), at: time) } }
      sign(.denial, "\(kind) denied: \(denied)", line, app)
    case .request(let identifier, let kind, .refused(let error)):
      sign(.denial, "request '\(identifier)' for \(kind) refused: \(error.fileName)", line, app)
    case .terminated(let process): end(process, line, app, why)
    case .diagnostic: with(app) { $0.tell(line) }
    case .advance, .callback, .notification, .localNotification, .request, .probe, .end, .gap: break
    }
  }

  private mutating func sign(_ sign: AppRecord.Sign, _ words: String, _ line: TraceLine, _ app: Int) {
    with(app) {
      $0.mark(sign, at: line.time, words)
      $0.tell(line, isGrave: sign == .end)
    }
  }

  private mutating func take(_ change: TraceLine.TaskChange, _ id: TaskID, _ name: String, _ line: TraceLine, _ app: Int) {
    // Number 0 is what a denied one is answered; its decision has told so.
    guard id != .invalid else { return }
    switch change {
    case .begin:
      openTasks[TaskKey(app: app, id: id)] = tasks.count
      tasks.append(TaskRecord(app: app, name: name, begun: line.time))
      with(app) { $0.begin(.task(id), .task, at: line.time, "task \(id.rawValue) '\(name)'") }
    case .end:
      if let task = openTasks.removeValue(forKey: TaskKey(app: app, id: id)) {
        (tasks[task].end, tasks[task].fate) = (line.time, .ended)
      }
      with(app) { $0.end(.task(id), at: line.time) }
    }
    with(app) { $0.tell(line) }
  }

  private mutating func take(_ kind: KindName, _ change: TraceLine.SessionChange, _ line: TraceLine, _ app: Int) {
    runs[kind, default: RunCount()].isSession = true
    switch change {
    case .begin, .renew:
      if change == .begin { runs[kind]?.begun += 1 }
      with(app) { $0.begin(.session(kind), .session, at: line.time, "session \(kind)") }
    case .end, .defer:
      if change == .end { runs[kind]?.ended += 1 }
      with(app) { $0.end(.session(kind), at: line.time) }
    case .overrun, .overBudget:
      runs[kind]?.overran += 1
      with(app) { $0.lastOverrun = (kind, change == .overrun ? .length : .budget) }
    case .warning: return sign(.expiration, "expiration handler of session \(kind)", line, app)
    case .denied: break
    }
    with(app) { $0.tell(line) }
  }

  private mutating func take(
    _ kind: KindName, _ id: WakeID, _ identifier: String?, _ change: TraceLine.WakeChange, _ line: TraceLine, _ app: Int
  ) {
    switch change {
    case .begin:
      runs[kind, default: RunCount()].begun += 1
      let request = identifier.map { " of request '\($0)'" } ?? ""
      with(app) { $0.begin(.wake(id), .wake, at: line.time, "wake \(id.rawValue), \(kind)\(request)") }
    case .complete:
      runs[kind, default: RunCount()].ended += 1
      with(app) { $0.end(.wake(id), at: line.time) }
    case .overrun, .overBudget:
      runs[kind, default: RunCount()].overran += 1
      with(app) {
        $0.lastOverrun = (kind, change == .overrun ? .length : .budget)
        $0.end(.wake(id), at: line.time)
      }
    case .warning: return sign(.expiration, "expiration handler of wake \(id.rawValue), \(kind)", line, app)
    }
    with(app) { $0.tell(line) }
  }

  private mutating func count(_ kind: KindName, _ denied: Denials, _ why: [Explanation]) {
    decided.all += 1
    guard !denied.isEmpty else { return decisions[DecisionKey(kind: kind, reason: nil), default: DecisionCount()].count += 1 }
    decided.denied += 1
    for reason in denied.each {
      let key = DecisionKey(kind: kind, reason: reason.description)
      decisions[key, default: DecisionCount()].count += 1
      if let why = why.first(where: { $0.reason == .denial(reason) }) { decisions[key]?.because = why.because }
    }
  }

  private mutating func end(_ process: TerminatedProcess, _ line: TraceLine, _ app: Int, _ why: [Explanation]) {
    let isOwnDoing = crash?.app == app && crash?.time == line.time
    let (cause, rule) = process.cause(policy?.policy.names ?? PolicyNames(), isOwnDoing: isOwnDoing)
    ends.append(EndRecord(app: app, time: line.time, process: process, cause: cause, rule: rule, because: why.first?.because))
    let isGrant = process.reason == .backgroundTaskAssertionTimeout && process.tasks != nil
    for id in apps[app].openTasks {
      guard let task = openTasks.removeValue(forKey: TaskKey(app: app, id: id)) else { continue }
      (tasks[task].end, tasks[task].fate) = (line.time, isGrant ? .leftOpen : .lost(process.reason))
    }
    sign(.end, "terminated: \(process.reason.fileName)", line, app)
    with(app) { $0.endProcess(at: line.time) }
  }

  /// The end of a process with what the lines before tell of it: which callback had not returned, what had run out.
  func detailed(_ line: TraceLine, of app: Int) -> TraceLine {
    guard case .terminated(var process) = line.body, process.details == nil else { return line }
    let record = apps[app]
    var details = TerminatedProcess.Details(limit: .length, ages: [])
    switch process.reason {
    case .appWatchdog: details.callback = record.lastCallback
    case .backgroundTaskAssertionTimeout where process.tasks != nil:
      details.kind = .finiteTask
      details.expiration = record.lastExpiration
    case .backgroundTaskAssertionTimeout: (details.kind, details.limit) = (record.lastOverrun?.kind, record.lastOverrun?.limit ?? .length)
    default: break
    }
    process.details = details
    return TraceLine(time: line.time, app: line.app, .terminated(process))
  }
}
