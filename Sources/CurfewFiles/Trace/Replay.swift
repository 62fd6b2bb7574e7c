public import CurfewEngine

/// Runs a trace's events through an engine again, in virtual time, and compares every action.
public struct Replay: ~Copyable {
  /// Where an engine did something else than the trace says.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The trace's line, counted from 1 with the header.
    public var line: Int
    /// What the trace has there; nil at its end.
    public var expected: String?
    /// What the engine did; nil if nothing.
    public var found: String?

    /// `line 12: the trace has …, the engine did …`.
    public var description: String {
      "line \(line): the trace has \(expected ?? "no more lines"), the engine did \(found ?? "nothing")"
    }
  }

  private let trace: Trace
  private let returns: TraceReturns
  private var engine: Engine
  private var recorder: TraceRecorder
  private var buffer = ActionBuffer()
  private var indices: [String: AppID] = [:]
  private var tasks = TaskTable()
  private var device: DeviceFacts

  /// Which line is next.
  private var position = 0
  private var produced: [(line: TraceLine, delivers: AppID?)] = []
  private var matched = 0
  /// The app that the step being taken has delivered something to, and that may be doing something inside it.
  private var delivered: AppID?
  /// Apps with a callback of which only its limit tells whether it has returned.
  private var limited: [AppID] = []

  /// Runs `trace` under the policy that it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none.
  /// - Throws: If the policy's digest is not the trace's: under other rules a difference says nothing.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, under file: PolicyFile) throws(FileErrors) -> Divergence? {
    guard trace.header.policyDigest == file.digest else {
      let message =
        "the trace was recorded under '\(trace.header.policy)' of digest \(trace.header.policyDigest), this policy has \(file.digest)"
      throw FileErrors([FileDiagnostic(file: file.file, message)])
    }
    return run(trace, policy: file.policy)
  }

  /// Runs `trace` under `policy`, whatever it was recorded under.
  ///
  /// - Returns: The first difference; nil if there is none.
  /// - Complexity: O(lines).
  public static func run(_ trace: Trace, policy: Policy) -> Divergence? {
    var replay = Replay(trace, policy)
    return replay.run()
  }

  private init(_ trace: Trace, _ policy: Policy) {
    self.trace = trace
    returns = TraceReturns(trace, limits: policy.limits)
    var apps = trace.header.apps
    var known = Set(apps)
    for case let app? in trace.lines.lazy.map(\.app) where known.insert(app).inserted { apps.append(app) }
    device = trace.header.device.applied(to: DeviceFacts())
    engine = Engine(policy: policy, device: device, minimumCapacity: apps.count)
    recorder = TraceRecorder(apps: apps)
    for app in apps {
      let manifest = trace.header.manifests[app] ?? TraceManifest()
      indices[app] = engine.addApp(manifest.manifest { recorder.number(of: $0) })
    }
  }

  private mutating func run() -> Divergence? {
    while true {
      if matched < produced.count {
        guard position < trace.lines.count, trace.lines[position].json() == produced[matched].line.json() else {
          return divergence(found: produced[matched].line)
        }
        if let app = produced[matched].delivers {
          delivered = app
          if returns.untilLimit.contains(position) { limited.append(app) }
        }
        position += 1
        matched += 1
        if let app = produced[matched - 1].delivers, returns.atOnce[position - 1] {
          step { $0.handle(.returned(app), at: $0.now, into: &$1) }
        }
        continue
      }
      guard position < trace.lines.count else { return nil }
      let line = trace.lines[position]
      if isInsideDelivery(line) {
        guard case .event(let event) = line.body, feed(event, line) else { return divergence(found: nil) }
        position += 1
      } else if let deadline = engine.nextDeadline, deadline <= line.time, !isBeforeLook(line) {
        delivered = nil
        let instant = max(deadline, engine.now)
        if let app = wronglyKilled(at: instant) {
          step { $0.handle(.returned(app), at: $0.now, into: &$1) }
        } else {
          step { _ = $0.advance(to: instant, into: &$1) }
        }
      } else if case .event(let event) = line.body, line.time >= engine.now, feed(event, line) {
        delivered = nil
        position += 1
      } else {
        return divergence(found: nil)
      }
    }
  }

  /// The app that the next step would kill for a callback that did return, as nobody could tell until now.
  private func wronglyKilled(at instant: Instant) -> AppID? {
    guard limited.contains(where: { engine.owesReturn($0) }) else { return nil }
    var ahead = engine.copy()
    var actions = ActionBuffer()
    _ = ahead.advance(to: instant, into: &actions)
    for case .terminated(let app, let end) in actions.actions where end.reason == .appWatchdog && limited.contains(app) { return app }
    return nil
  }

  /// Whether a line is what an app did inside the callback that this very step has delivered: that comes before the rest of the step.
  private func isInsideDelivery(_ line: TraceLine) -> Bool {
    guard case .event(let event) = line.body, let delivered, line.time == engine.now, line.app.flatMap({ indices[$0] }) == delivered,
      engine.owesReturn(delivered)
    else { return false }
    if case .returned = event { return true }
    return event.isOwnCall
  }

  /// Whether a line is something that an app does of itself while only a look at memory is due, which comes after that (rule M1): a return, or an
  /// end after `for:`. An end may also be the timeline's, and so come after a look; then that look wrote nothing, because whoever it reached was
  /// busy, and an end before it comes to the same.
  private func isBeforeLook(_ line: TraceLine) -> Bool {
    guard case .event(let event) = line.body, engine.isOnlyMemoryDue, line.time == engine.now else { return false }
    switch event {
    case .returned, .endTask: return true
    default: return false
    }
  }

  private func divergence(found: TraceLine?) -> Divergence {
    let expected = position < trace.lines.count ? trace.lines[position].json() : nil
    return Divergence(line: position + 2, expected: expected, found: found?.json())
  }

  private mutating func step(_ body: (inout Engine, inout ActionBuffer) -> Void) {
    body(&engine, &buffer)
    if matched == produced.count {
      produced.removeAll(keepingCapacity: true)
      matched = 0
    }
    for action in buffer.actions {
      tasks.note(action)
      if case .terminated(let app, _) = action { limited.removeAll { $0 == app } }
      if let line = recorder.line(for: action, at: engine.now) {
        let delivers = recorder.moment(of: action) != nil ? line.app.flatMap { indices[$0] } : nil
        produced.append((line, delivers))
      }
    }
    buffer.removeAll()
  }

  /// Answers false for an event that cannot enter the engine as it stands.
  private mutating func feed(_ event: TraceEvent, _ line: TraceLine) -> Bool {
    let app = line.app.flatMap { indices[$0] }
    guard let entering = engineEvent(event, app) else { return false }
    if case .returned(let app) = entering, !engine.owesReturn(app) { return false }
    _ = recorder.line(for: event, app: app, at: line.time)
    step { $0.handle(entering, at: line.time, into: &$1) }
    return true
  }

  private mutating func engineEvent(_ event: TraceEvent, _ app: AppID?) -> Event? {
    switch (event, app) {
    case (.home, _): return .home(app)
    case (.lock, nil): return .lock
    case (.unlock, nil): return .unlock
    case (.reboot, nil): return .reboot
    case (.interrupt, _): return .interrupt(app)
    case (.acceptInterruption, _): return .acceptInterruption(app)
    case (.ignoreInterruption, _): return .ignoreInterruption(app)
    case (.expireTasks(let reason), _): return .expireTasks(app, reason ?? .policyRevoked)
    case (.launch, let app?): return .launch(app)
    case (.forceQuit, let app?): return .forceQuit(app)
    case (.deliver(let kind), let app?): return .deliver(app, kind)
    case (.returned, let app?): return .returned(app)
    case (.setRefresh(let status), _):
      if app == nil { device.backgroundRefresh = status }
      return .setRefresh(app, status)
    case (.setDevice(let change), nil):
      device = change.applied(to: device)
      return .setDevice(device)
    case (.post(let name, let value), _):
      let (name, value, manner) = (recorder.number(of: name), value.map { recorder.number(of: $0) }, Post.Manner(ofPostNamed: name))
      return .post(app, Post(name: name, value: value, manner: manner))
    case (_, let app?): return ownCall(event, app)
    case (_, nil): return nil
    }
  }

  private mutating func ownCall(_ event: TraceEvent, _ app: AppID) -> Event? {
    switch event {
    case .beginTask(let label, let handler): .beginTask(app, label: recorder.number(of: label), handler: handler)
    case .endTask(.label(let label)): .endTask(app, tasks.task(labelled: recorder.number(of: label), of: app))
    case .endTask(.id(let id)): .endTask(app, tasks.task(id, of: app))
    case .startSession(let kind): .startSession(app, kind)
    case .stopSession(let kind): .stopSession(app, kind)
    case .completeWake(let kind, let result): .completeWake(app, kind, result)
    case .setFootprint(let bytes): .setFootprint(app, bytes)
    case .lockFile: .lockFile(app)
    case .unlockFile: .unlockFile(app)
    case .useCPU(let share, let length): .useCPU(app, share: share, for: length)
    case .setMinimumFetchInterval(let interval): .setMinimumFetchInterval(app, interval)
    case .setKeepAlive(let interval): .setKeepAlive(app, interval)
    case .submitTask(let request): .submitTask(app, request.entering(as: recorder.number(of: request.identifier)))
    case .cancelTask(let identifier): .cancelTask(app, identifier: recorder.number(of: identifier))
    case .scheduleNotification(let id, let wait): .scheduleNotification(app, id: recorder.number(of: id), after: wait)
    case .cancelNotification(let id): .cancelNotification(app, id: recorder.number(of: id))
    case .crash(let reason): .crash(app, reason ?? .abnormalExit)
    case .probe: .probe(app)
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .expireTasks,
      .deliver, .setRefresh, .setDevice, .post, .returned:
      nil
    }
  }
}

extension TraceEvent.Request {
  fileprivate func entering(as number: UInt32) -> TaskRequest {
    TaskRequest(
      identifier: number, kind: kind, earliest: earliest, requiresNetwork: requiresNetwork, requiresPower: requiresPower)
  }
}

/// The tasks of a trace's apps, by the numbers of their labels and by their own.
private struct TaskTable {
  private struct Held {
    var byLabel: [UInt32: BackgroundTask] = [:]
    var byID: [TaskID: BackgroundTask] = [:]
  }

  private var held: [AppID: Held] = [:]

  mutating func note(_ action: Action) {
    switch action {
    case .taskBegan(let app, let task):
      held[app, default: Held()].byLabel[task.label] = task
      held[app, default: Held()].byID[task.id] = task
    case .terminated(let app, _): held[app] = nil
    default: break
    }
  }

  func task(labelled label: UInt32, of app: AppID) -> BackgroundTask { held[app]?.byLabel[label] ?? .invalid(label: 0) }

  func task(_ id: TaskID, of app: AppID) -> BackgroundTask { held[app]?.byID[id] ?? .invalid(label: 0) }
}
