package import CurfewEngine
package import CurfewPolicy

/// A replay that takes the lines of a trace one by one. A trace determines every step, so one pass
/// without guessing or backtracking is enough.
package struct ReplayRun: ~Copyable {
  private let header: TraceHeader
  package private(set) var driver: Driver
  package private(set) var coder: TraceCoder
  private var apps: [String: AppID] = [:]
  /// The engine's lines for the last event or advance.
  private var produced: [TraceLine] = []
  /// The number of produced lines that the trace has confirmed so far.
  private var matched = 0
  /// Whether `undone` will be asked for.
  private let keepsActions: Bool
  /// The engine's actions for the last event or advance, and for each produced line the index of
  /// its first action. Empty unless `keepsActions`.
  private var actions: [Action] = []
  private var firstActions: [Int] = []
  private var nextFirst = 0
  /// The number of lines that were taken.
  private var position = 0
  private var hasEnded = false
  /// The last line `resumed`.
  private var start: (time: Instant, clocks: HostClocks, cgroup: String?)?
  private var lastTime = Instant.zero
  /// The instant at which time would have stood still if the trace had not continued.
  private var standstill: Driver.Standstill?

  /// Creates a replay before the first line of the trace with this header.
  package init(_ header: TraceHeader, _ policy: Policy, keepsActions: Bool = false) {
    (self.header, self.keepsActions) = (header, keepsActions)
    var device = header.device.applied(to: DeviceFacts())
    device.declared = header.facts.numbered(policy.names)
    // A host in real time runs real handlers, and reports their first lines (rule A10).
    let engine = Engine(
      policy: policy, device: device, minimumCapacity: header.apps.count,
      limitsCountFrom: header.clock == nil ? .delivery : .firstLine)
    driver = Driver(engine, pace: header.clock == nil ? .punctual : .late)
    coder = TraceCoder(apps: [], device: device, policy: policy)
    for app in header.apps { add(app, header.manifests[app]) }
  }

  /// The number of the last line that was taken, counted from 1 with the header.
  package var line: Int { position + 1 }

  /// Takes the trace's next line; returns the difference, if there is one.
  /// - Complexity: That of the line's effects.
  package mutating func take(_ line: TraceLine) -> Replay.Divergence? {
    position += 1
    lastTime = line.time
    if matched < produced.count {
      let found = produced[matched]
      guard found.isWritten(like: line) else { return divergence(line, found) }
      matched += 1
      return nil
    }
    produced.removeAll(keepingCapacity: true)
    matched = 0
    if keepsActions {
      actions.removeAll(keepingCapacity: true)
      firstActions.removeAll(keepingCapacity: true)
      nextFirst = 0
    }
    guard line.time >= driver.now, !hasEnded, !isOverdue(at: line), enter(line) else {
      return divergence(line, due)
    }
    return nil
  }

  /// Whether the engine would have taken a step before this line. In virtual time no step is left
  /// out; a step that is due at the line's instant may come later.
  private func isOverdue(at line: TraceLine) -> Bool {
    header.clock == nil && driver.nextInstant.map { $0 < line.time } ?? false
  }

  /// The step that the engine would take next.
  private var due: TraceLine? { driver.nextInstant.map { TraceLine(time: $0, app: nil, .advance) } }

  /// Moves the time to an instant that is no later than the trace's next line.
  ///
  /// - Returns: Whether the engine has nothing left to do before `instant`. Otherwise the time does
  ///   not change, and the engine differs from the trace. In real time the result is always true,
  ///   because a host may be late, so a due step is not a difference.
  package mutating func move(to instant: Instant) -> Bool {
    let isFree =
      matched == produced.count && driver.isStepFinished
      && driver.nextInstant ?? .distantFuture >= instant
    if isFree, instant > driver.now { driver.move(to: instant) }
    return isFree || header.clock != nil
  }

  /// Returns a copy of the engine for questions about `kind` and an app; nil if no line has named
  /// the app.
  package func asked(_ kind: KindName, for app: String, under policy: PolicyFile) -> AskedEngine? {
    apps[app].map { AskedEngine(kind, for: $0, in: driver, under: policy) }
  }

  /// Ends the replay after the trace's last line.
  package func finish() -> Replay.Ending {
    if hasEnded || isBetweenRuns { return .same }
    return foundStandstill.map { .standstill($0, line: line) } ?? .cut(line: line)
  }

  /// Whether a host that goes on with its trace has ended a run, and no app runs.
  private var isBetweenRuns: Bool {
    start != nil && !produced.isEmpty && matched == produced.count
      && apps.values.allSatisfy { driver.engine.state(of: $0) == .notRunning }
  }

  /// The standstill at the last line; nil if time goes on.
  /// - Complexity: O(apps + assertions + deadlines).
  package var foundStandstill: Standstill? {
    let passed = standstill.flatMap { $0.instant == driver.now ? $0 : nil }
    return (passed ?? standstillOfNextStep).map { coder.named($0) }
  }

  /// The standstill that keeps the engine from taking the step that is due now.
  private var standstillOfNextStep: Driver.Standstill? {
    guard driver.isStepFinished, driver.nextInstant == driver.now else { return nil }
    var next = driver.copy()
    return next.step(until: next.now) ? nil : next.standstill
  }

  /// Passes a standstill. If the trace continues, its run did not stand still: events from outside
  /// arrived. The lines of a trace do not distinguish these events from others.
  /// - Returns: Whether time stood still.
  private mutating func passStandstill() -> Bool {
    guard let found = driver.standstill else { return false }
    standstill = found
    driver.resume()
    return true
  }

  /// Enters a line into the engine. Returns false if the engine cannot accept the line.
  private mutating func enter(_ line: TraceLine) -> Bool {
    switch line.body {
    case .event(let deed) where deed.verb == .addApp:
      guard let name = line.app else { return false }
      add(name, deed.manifest)
    case .event(let deed):
      // If the header names no apps, they are numbered in the order of their first lines.
      if let name = line.app, apps[name] == nil, header.apps.isEmpty {
        add(name, header.manifests[name])
      }
      let app = line.app.flatMap { apps[$0] }
      guard (app == nil) == (line.app == nil), let event = coder.event(for: deed, app: app),
        owes(event, deed)
      else { return false }
      _ = coder.line(for: deed, app: app, at: line.time)
      driver.sayOverdue(event, at: line.time)
    case .advance:
      guard header.clock != nil || driver.nextInstant == line.time else { return false }
      let isTaken =
        driver.step(until: line.time) || passStandstill() && driver.step(until: line.time)
      guard isTaken, driver.now == line.time else { return false }
    case .resumed(let clocks, let cgroup):
      start = (line.time, clocks, cgroup)
      return true
    case .end:
      hasEnded = true
      guard let next = driver.nextInstant, next <= line.time else { return true }
      // In real time a run may end while a step is due. In virtual time the only steps left at
      // the last instant of a run are those that do not keep a run going.
      return next == line.time && (header.clock != nil || driver.hasOnlyOpportunities)
    default: return false
    }
    repeat {
      while let item = driver.pull() { if case .action(let action) = item { produce(action) } }
    } while passStandstill()
    return true
  }

  /// Whether a first line or a return belongs to the last delivery; true for any other event.
  private func owes(_ event: Event, _ deed: EngineInput) -> Bool {
    switch event {
    case .began(let app):
      driver.engine.owesBegin(app) && coder.lastDelivery(to: app) == deed.callback
    case .returned(let app):
      driver.engine.owesReturn(app) && coder.lastDelivery(to: app) == deed.callback
    default: true
    }
  }

  private mutating func produce(_ action: Action) {
    coder.note(action)
    if keepsActions { actions.append(action) }
    guard let line = coder.line(for: action, at: driver.now) else { return }
    produced.append(line)
    guard keepsActions else { return }
    firstActions.append(nextFirst)
    nextFirst = actions.count
  }

  /// The run after the last line that was taken.
  /// - Precondition: The replay keeps actions.
  consuming func resumed(length: Int) -> Replay.Resumed {
    let isWhole = matched == produced.count
    let undone = isWhole ? [] : Array(actions[firstActions[matched]...])
    let last = start.map {
      Replay.LastStart(time: $0.time, clocks: $0.clocks, cgroup: $0.cgroup, last: lastTime)
    }
    let named = apps.filter { !driver.engine.isRemoved($0.value) }
    return Replay.Resumed(
      header: header, driver: driver,
      recorder: TraceRecorder(coder, unwritten: Array(produced[matched...])),
      apps: named, length: length, undone: undone, lastStart: last)
  }

  /// An app that was removed may be added again under its name, with a new number.
  private mutating func add(_ app: String, _ manifest: AppManifest?) {
    _ = coder.addApp(named: app)
    apps[app] = driver.addApp(
      (manifest ?? AppManifest()).numbered(coder.names) { coder.number(of: $0) })
  }

  private func divergence(_ line: TraceLine, _ found: TraceLine?) -> Replay.Divergence {
    Replay.Divergence(line: self.line, expected: line.json(), found: found?.json())
  }
}
