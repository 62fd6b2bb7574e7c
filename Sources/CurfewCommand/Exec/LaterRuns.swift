import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The later runs of a journal in an engine that does not know the earlier ones.
///
/// Such an engine admits what was denied because of an earlier run, and does not end a run whose
/// budget an earlier run had used up. So requests that were denied are left out, because they use
/// nothing, and a run ends where it has ended.
struct LaterRuns: ~Copyable {
  private var driver: Driver
  private var recorder: TraceRecorder
  private var apps: [String: AppID] = [:]
  private var ledger: RunLedger
  private let policy: Policy

  /// Creates an engine with the apps of a header, and writes the header.
  init(_ header: TraceHeader, under policy: Policy, to sink: MemorySink) {
    driver = Driver(Engine(policy: policy, limitsCountFrom: .firstLine), pace: .late)
    recorder = TraceRecorder(policy: policy)
    (self.policy, ledger) = (policy, RunLedger(policy))
    for name in header.apps { add(name, header.manifests[name]) }
    recorder.begin(header, to: sink)
    recorder.closeHeader()
  }

  private mutating func add(_ name: String, _ manifest: AppManifest?) {
    apps[name] = recorder.addApp(named: name, manifest ?? AppManifest(), to: &driver)
  }

  /// Writes the last step.
  /// - Returns: The admissions and runs of this engine.
  mutating func finish() -> [RunLedger.Use] {
    recorder.finishStep()
    return ledger.uses
  }

  /// Enters a line.
  /// - Parameter rest: The lines after it.
  mutating func enter(_ line: TraceLine, before rest: ArraySlice<TraceLine>) {
    let app = line.app.flatMap { apps[$0] }
    switch line.body {
    case .advance:
      // The host may have been late.
      if driver.nextInstant ?? .distantFuture <= line.time { step(until: line.time) }
    case .resumed(let clocks, let cgroup):
      pass(to: line.time)
      recorder.record(clocks, cgroup: cgroup, at: driver.now)
    case .event(let deed) where deed.verb == .addApp:
      pass(to: line.time)
      if let name = line.app { add(name, deed.manifest) }
    case .event(let deed):
      if deed.verb != .deliver || !LaterRuns.isDenied(rest) { say(deed, app, at: line.time) }
    case .wake(let kind, _, _, let change, _)
    where change != .complete && policy.ends(kind, at: change):
      // An earlier run may have been the cause.
      if let app { say(.completeWake(app, WakeChoice(), nil), at: line.time) }
    case .terminated:
      // The command was killed when its grant ended.
      if let app { say(.crash(app, .signal(9)), at: line.time) }
    default: return
    }
  }

  /// Whether the lines after a request deny it.
  private static func isDenied(_ rest: ArraySlice<TraceLine>) -> Bool {
    for line in rest {
      switch line.body {
      case .decision(_, _, let denied, _): return !denied.isEmpty
      case .event, .advance, .resumed: return false
      default: continue
      }
    }
    return false
  }

  private mutating func say(_ deed: EngineInput, _ app: AppID?, at time: Instant) {
    var deed = deed
    // A wake has another number here.
    if deed.verb == .completeWake { deed.wake = nil }
    if let event = recorder.event(for: deed, app: app) { say(event, at: time) }
  }

  /// Says an event, unless it is about something that does not exist here.
  private mutating func say(_ event: Event, at time: Instant) {
    pass(to: time)
    switch event {
    case .returned(let app), .began(let app): guard driver.owesReturn(app) else { return }
    case .crash(let app, _): guard driver.engine.state(of: app) != .notRunning else { return }
    case .completeWake(let app, _, _):
      guard ledger.isRunning(recorder.name(of: Int(app.rawValue))) else { return }
    default: break
    }
    recorder.say(event, to: &driver)
    pull()
  }

  /// Takes the steps that are due before an instant, and moves there.
  private mutating func pass(to instant: Instant) {
    while let due = driver.nextInstant, due < instant { if !step(until: due) { break } }
    if instant > driver.now, driver.nextInstant ?? .distantFuture >= instant {
      driver.move(to: instant)
    }
  }

  @discardableResult private mutating func step(until instant: Instant) -> Bool {
    guard driver.step(until: max(driver.now, instant)) else { return false }
    if driver.hasAdvanced { recorder.recordAdvance(at: driver.now) }
    pull()
    return true
  }

  /// Pulls the rest of the step. The returns of callbacks are lines of their own.
  private mutating func pull() {
    while let item = driver.pull() {
      guard case .action(let action) = item else { continue }
      if let line = recorder.line(for: action, at: driver.now) { ledger.note(line) }
    }
    recorder.finishStep()
  }
}

/// The admissions and runs that the lines of a journal tell, to compare two journals.
struct RunLedger {
  /// An admission, or a run from its beginning to its end.
  enum Use: Equatable {
    case admission(app: String, KindName, Instant)
    case run(app: String, KindName, Instant, end: Instant?)
  }

  /// The uses in their order. Wakes have other numbers in another journal.
  private(set) var uses: [Use] = []
  /// The places of the runs that have not ended, by app and wake.
  private var open: [String: [WakeID: Int]] = [:]
  private let policy: Policy

  init(_ policy: Policy) { self.policy = policy }

  /// Whether a run of the app has not ended.
  func isRunning(_ app: String) -> Bool { open[app]?.isEmpty == false }

  /// Takes note of a line.
  mutating func note(_ line: TraceLine) {
    guard let app = line.app else { return }
    switch line.body {
    case .decision(let kind, _, let denied, _) where denied.isEmpty:
      uses.append(.admission(app: app, kind, line.time))
    case .wake(let kind, let wake, _, .begin, _):
      open[app, default: [:]][wake] = uses.count
      uses.append(.run(app: app, kind, line.time, end: nil))
    case .wake(let kind, let wake, _, let change, _) where policy.ends(kind, at: change):
      end(open[app]?.removeValue(forKey: wake), at: line.time)
    case .terminated:
      for place in (open.removeValue(forKey: app) ?? [:]).values { end(place, at: line.time) }
    default: return
    }
  }

  private mutating func end(_ place: Int?, at instant: Instant) {
    guard let place, case .run(let app, let kind, let start, _) = uses[place] else { return }
    uses[place] = .run(app: app, kind, start, end: instant)
  }
}

extension Policy {
  /// Whether a wake is over after a change.
  func ends(_ kind: KindName, at change: TraceLine.WakeChange) -> Bool {
    switch change {
    case .begin, .warning: false
    case .complete, .unhandled: true
    case .overrun, .overBudget: names.kind(kind).flatMap { wakes[$0]?.overrun } != .tell
    }
  }
}
