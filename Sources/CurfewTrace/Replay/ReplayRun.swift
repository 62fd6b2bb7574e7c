package import CurfewEngine
package import CurfewPolicy

/// A replay in the middle of a trace: lines go in one by one. A trace leaves nothing open, so there
/// is one pass, no guess and no way back.
package struct ReplayRun: ~Copyable {
  private let header: TraceHeader
  package private(set) var driver: Driver
  package private(set) var coder: TraceCoder
  private var apps: [String: AppID] = [:]
  /// What the engine has done about the last event or advance.
  private var produced: [TraceLine] = []
  /// How much of that the trace has told so far.
  private var matched = 0
  /// How many lines have gone in.
  private var position = 0
  private var hasEnded = false
  /// Where time would have stood still, had the trace not gone on.
  private var standstill: Driver.Standstill?

  /// Before the first line of the trace with this header.
  package init(_ header: TraceHeader, _ policy: Policy) {
    self.header = header
    var device = header.device.applied(to: DeviceFacts())
    device.declared = header.facts.numbered(policy.names)
    // Who runs in real time runs real handlers, and tells their first lines (rule A10).
    let engine = Engine(
      policy: policy, device: device, minimumCapacity: header.apps.count,
      limitsCountFrom: header.clock == nil ? .delivery : .firstLine)
    driver = Driver(engine, pace: header.clock == nil ? .punctual : .late)
    coder = TraceCoder(apps: [], device: device, policy: policy)
    for app in header.apps { add(app, header.manifests[app]) }
  }

  /// The number of the last line that went in, counted from 1 with the header.
  package var line: Int { position + 1 }

  /// Takes the trace's next line; answers the difference, if there is one.
  /// - Complexity: that of what the line brings about.
  package mutating func take(_ line: TraceLine) -> Replay.Divergence? {
    position += 1
    if matched < produced.count {
      let found = produced[matched]
      guard found.isWritten(like: line) else { return divergence(line, found) }
      matched += 1
      return nil
    }
    produced.removeAll(keepingCapacity: true)
    matched = 0
    guard line.time >= driver.now, !hasEnded, !isOverdue(at: line), enter(line) else {
      return divergence(line, due)
    }
    return nil
  }

  /// Whether the engine would have taken a step before this line: in virtual time none is left out.
  /// What is due at its very instant may come later.
  private func isOverdue(at line: TraceLine) -> Bool {
    header.clock == nil && driver.nextInstant.map { $0 < line.time } ?? false
  }

  /// The step that the engine would take next.
  private var due: TraceLine? { driver.nextInstant.map { TraceLine(time: $0, app: nil, .advance) } }

  /// Lets time pass up to an instant, which the trace's next line does not come before.
  ///
  /// - Returns: Whether this engine has nothing to do until then; else it stays where it is,
  ///   and does something else than the trace. In real time, where a host may be late, what is due
  ///   is no difference.
  package mutating func move(to instant: Instant) -> Bool {
    let isFree =
      matched == produced.count && driver.isStepFinished
      && driver.nextInstant ?? .distantFuture >= instant
    if isFree, instant > driver.now { driver.move(to: instant) }
    return isFree || header.clock != nil
  }

  /// The engine as it stands, to be asked about `kind` for an app; nil where no line has named it.
  package func asked(_ kind: KindName, for app: String, under policy: PolicyFile) -> AskedEngine? {
    apps[app].map { AskedEngine(kind, for: $0, in: driver, under: policy) }
  }

  /// The trace has no more lines.
  package func finish() -> Replay.Ending {
    if hasEnded { return .same }
    return foundStandstill.map { .standstill($0, line: line) } ?? .cut(line: line)
  }

  /// Why time stands still at the last line; nil if it does not.
  /// - Complexity: O(apps + assertions + deadlines).
  package var foundStandstill: Standstill? {
    let passed = standstill.flatMap { $0.instant == driver.now ? $0 : nil }
    return (passed ?? standstillOfNextStep).map { coder.named($0) }
  }

  /// Why the step that is due now would not be taken.
  private var standstillOfNextStep: Driver.Standstill? {
    guard driver.isStepFinished, driver.nextInstant == driver.now else { return nil }
    var next = driver.copy()
    return next.step(until: next.now) ? nil : next.standstill
  }

  /// A trace that goes on shows that time did: then its run was told something from outside that
  /// the lines do not tell apart.
  /// - Returns: Whether time stood still.
  private mutating func passStandstill() -> Bool {
    guard let found = driver.standstill else { return false }
    standstill = found
    driver.resume()
    return true
  }

  /// Answers false for a line that is nothing that enters the engine as it stands.
  private mutating func enter(_ line: TraceLine) -> Bool {
    switch line.body {
    case .event(let deed) where deed.verb == .addApp:
      guard let name = line.app else { return false }
      add(name, deed.manifest)
    case .event(let deed):
      // Where the header names none they count as named in the order in which they come.
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
    case .end:
      hasEnded = true
      guard let next = driver.nextInstant, next <= line.time else { return true }
      // A host in real time may be asked while something waits to be done; in virtual time nothing
      // is left of a run's last instant but what keeps no run going.
      return next == line.time && (header.clock != nil || driver.hasOnlyOpportunities)
    default: return false
    }
    repeat {
      while let item = driver.pull() { if case .action(let action) = item { produce(action) } }
    } while passStandstill()
    return true
  }

  /// Whether a first line or a return is one of what was delivered last; true for any other event.
  private func owes(_ event: Event, _ deed: Deed) -> Bool {
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
    if let line = coder.line(for: action, at: driver.now) { produced.append(line) }
  }

  /// One that was removed may come again under its name, with a number of its own.
  private mutating func add(_ app: String, _ manifest: AppManifest?) {
    _ = coder.addApp(named: app)
    apps[app] = driver.addApp(
      (manifest ?? AppManifest()).numbered(coder.names) { coder.number(of: $0) })
  }

  private func divergence(_ line: TraceLine, _ found: TraceLine?) -> Replay.Divergence {
    Replay.Divergence(line: self.line, expected: line.json(), found: found?.json())
  }
}
