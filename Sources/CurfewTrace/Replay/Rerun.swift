package import CurfewEngine
import CurfewPolicy

/// Runs the events of a trace through an engine under another policy. There is no recorded result
/// to compare with.
///
/// Events of the user, the device and the world enter again at the same instants. The deeds of an
/// app inside a callback, and its return, enter again inside that callback, at the same time after
/// its delivery. The first `didEnterBackground` of the run repeats the first one of the trace,
/// and so on; if the run has more callbacks of a sort than the trace, they repeat the trace's
/// last one. A callback of a sort that the trace does not have returns at once, and a wake of such
/// a sort is then complete. Deeds outside of callbacks enter at the same instants. Illegal events
/// change nothing, as in any run.
///
/// If the trace ends because nothing more could happen, the run continues until nothing more
/// can happen under the new policy. If the trace was cut off at an instant, the run ends at that
/// instant. Time is virtual, even for a trace of real time: no host is late.
package struct Rerun: ~Copyable {
  private var driver: Driver
  private var coder: TraceCoder
  private let apps: [String: AppID]
  private var scripts: CallScripts
  private let sink: (TraceLine) -> Void
  /// The callback that each app is in.
  private var calls: [AppID: (script: CallScripts.Script, delivered: Instant, next: Int)] = [:]

  /// Runs `trace` under `policy`; `sink` gets every line of the run.
  ///
  /// - Returns: The end: `complete` if the run reached the trace's last line before the
  ///   caller interrupted.
  /// - Complexity: O(lines).
  @discardableResult
  package static func run(
    _ trace: Trace, policy: Policy, isInterrupted: () -> Bool = { false },
    _ sink: @escaping (TraceLine) -> Void
  ) -> Ending {
    var run = Rerun(trace, policy, sink)
    for line in run.scripts.outside {
      if isInterrupted() { return .interrupted }
      run.take(line)
      if let standstill = run.standstill { return .standstill(standstill) }
    }
    let isWhole = run.finish(trace, isInterrupted)
    return run.standstill.map(Ending.standstill) ?? (isWhole ? .complete : .interrupted)
  }

  /// The end of a run.
  package enum Ending: Hashable, Sendable {
    case complete, interrupted
    /// Time stands still under this policy.
    case standstill(Standstill)
  }

  private var standstill: Standstill? { driver.standstill.map { coder.named($0) } }

  private init(_ trace: Trace, _ policy: Policy, _ sink: @escaping (TraceLine) -> Void) {
    var device = trace.header.device.applied(to: DeviceFacts())
    device.declared = trace.header.facts.numbered(policy.names)
    scripts = CallScripts(trace)
    driver = Driver(Engine(policy: policy, device: device, minimumCapacity: scripts.apps.count))
    var coder = TraceCoder(apps: scripts.apps.map(\.name), device: device, policy: policy)
    var apps: [String: AppID] = [:]
    for app in scripts.apps {
      apps[app.name] = driver.addApp(app.manifest.numbered(coder.names) { coder.number(of: $0) })
    }
    (self.coder, self.apps) = (coder, apps)
    self.sink = sink
  }

  /// Continues as long as the trace does: to the instant at which the trace was cut off,
  /// or otherwise until only opportunities are left, as in any run.
  private mutating func finish(_ trace: Trace, _ isInterrupted: () -> Bool) -> Bool {
    let times = trace.lines.suffix(2).map(\.time)
    if let last = times.last { pass(to: last) }
    while times.first == times.last, isGoing, !isInterrupted() {
      pass(to: driver.nextInstant ?? driver.now)
    }
    return !isInterrupted()
  }

  private var isGoing: Bool {
    driver.standstill == nil && driver.nextInstant != nil && !driver.hasOnlyOpportunities
  }

  private mutating func take(_ line: TraceLine) {
    guard case .event(let deed) = line.body else { return }
    pass(to: line.time)
    if driver.standstill != nil { return }
    say(deed, line.app.flatMap { apps[$0] }, isOfDevice: line.app == nil)
    pull()
  }

  /// Sends a deed to the engine. Returns false if it cannot enter the engine; then nothing changes.
  @discardableResult
  private mutating func say(_ deed: EngineInput, _ app: AppID?, isOfDevice: Bool = false) -> Bool {
    guard isOfDevice || app != nil, let event = coder.event(for: deed, app: app) else {
      return false
    }
    sink(coder.line(for: deed, app: app, at: driver.now))
    driver.say(event)
    return true
  }

  /// Handles everything that is due up to `instant`.
  private mutating func pass(to instant: Instant) {
    while let item = driver.next(until: instant) { take(item) }
  }

  private mutating func pull() {
    while let item = driver.pull() { take(item) }
  }

  private mutating func take(_ item: Driver.Item) {
    switch item {
    case .action(let action):
      coder.note(action)
      if let line = coder.line(for: action, at: driver.now) { sink(line) }
      if let app = action.called, let moment = coder.moment(of: action) {
        var script = scripts.next(of: app, moment)
        // A wake that the trace does not have must not look like a wake that the app forgot
        // to complete.
        if case .wakeBegan = action, script == nil {
          script = CallScripts.Script(deeds: [(.zero, EngineInput(.completeWake))], length: .zero)
        }
        calls[app] = (script ?? CallScripts.Script(length: .zero), driver.now, 0)
      }
    case .turn(let app): takeTurn(app)
    case .due: break
    }
  }

  /// Performs the app's next deed in its current callback, or waits until the deed is due.
  private mutating func takeTurn(_ app: AppID) {
    guard var call = calls[app] else { return driver.say(.returned(app)) }
    let elapsed = driver.now - call.delivered
    while call.next < call.script.deeds.count {
      let (after, deed) = call.script.deeds[call.next]
      if elapsed < after { return driver.rest(app, for: after - elapsed) }
      call.next += 1
      calls[app] = call
      if say(deed, app) { return }
    }
    // Without a length the callback does not return, and the app stays busy.
    guard let length = call.script.length else { return }
    if elapsed < length { return driver.rest(app, for: length - elapsed) }
    calls[app] = nil
    driver.say(.returned(app))
  }
}

extension Interval {
  fileprivate static func - (a: Interval, b: Interval) -> Interval {
    Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
}
