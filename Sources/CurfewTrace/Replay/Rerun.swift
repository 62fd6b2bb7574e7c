package import CurfewEngine
import CurfewPolicy

/// Runs what entered a trace's engine through an engine under another policy, where no trace can
/// tell what comes out.
///
/// What the user, the device and the world did comes at its instant again. What an app did inside
/// a callback it does inside that callback again, as long after its delivery, and returns as long
/// after it: its first `didEnterBackground` does as the first of the trace did, one that the trace
/// has not does as the last. Of a sort that the trace has not at all it returns at once, and a wake
/// is complete then. What an app did outside of callbacks comes at its instant. What makes no sense
/// any more changes nothing, as in any run.
///
/// A trace that ends when nothing more could happen goes on until that is so again; one that
/// was cut off at an instant ends there. Time is virtual, also for a trace of real time: no host
/// is late.
package struct Rerun: ~Copyable {
  private var driver: Driver
  private var coder: TraceCoder
  private let apps: [String: AppID]
  private var scripts: CallScripts
  private let sink: (TraceLine) -> Void
  /// What each app is in the middle of.
  private var calls: [AppID: (script: CallScripts.Script, delivered: Instant, next: Int)] = [:]

  /// Runs `trace` under `policy`; `sink` gets every line of it.
  ///
  /// - Returns: How it ended: `complete` if it came to the trace's last line before the caller
  ///   wanted no more.
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

  /// How a run ends.
  package enum Ending: Hashable, Sendable {
    case complete, interrupted
    /// Under this policy time stands still.
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

  /// Goes on as long as the trace does: to the instant at which it was cut off, or else until
  /// nothing is to come but opportunities, as in any run.
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

  /// Answers false for what cannot enter an engine, and has not.
  @discardableResult
  private mutating func say(_ deed: Deed, _ app: AppID?, isOfDevice: Bool = false) -> Bool {
    guard isOfDevice || app != nil, let event = coder.event(for: deed, app: app) else {
      return false
    }
    sink(coder.line(for: deed, app: app, at: driver.now))
    driver.say(event)
    return true
  }

  /// Lets pass what comes of itself up to `instant`.
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
        // A wake that the trace does not have must not look like one that the app forgets.
        if case .wakeBegan = action, script == nil {
          script = CallScripts.Script(deeds: [(.zero, Deed(.completeWake))], length: .zero)
        }
        calls[app] = (script ?? CallScripts.Script(length: .zero), driver.now, 0)
      }
    case .turn(let app): takeTurn(app)
    case .due: break
    }
  }

  /// The app does what is next in the callback that it is in, or waits for it.
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
    // Without one it stays busy.
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
