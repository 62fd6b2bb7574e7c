import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// A journal stays short: runs that no rule looks back at move into an older file.
extension Journal {
  /// The trace from the first run that counts; nil if too few lines would go.
  func shortened(_ bytes: [UInt8], at now: Instant) throws -> [UInt8]? {
    let reach = file.policy.reach
    let count = bytes.count { $0 == UInt8(ascii: "\n") }
    // A look at the line in the middle answers most calls.
    guard count > 2 * leastCut, let middle = Journal.time(ofLine: count / 2, in: bytes),
      middle + reach < now
    else { return nil }
    // A torn last line does not count.
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    let trace = try Trace.decode(
      try SourceFile(name: path, bytes: Array(bytes[...end]), limit: .max))
    guard let first = Journal.firstLine(of: trace.lines, thatCounts: now, in: file.policy),
      first >= leastCut, first > trace.lines.count / 2
    else { return nil }
    return rerun(trace, from: first)
  }

  /// The time of a line, counted from 0, as it is written; nil if it has none.
  private static func time(ofLine number: Int, in bytes: [UInt8]) -> Instant? {
    let key = Array(#"{"t":"#.utf8)
    let line = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: number + 1).dropFirst(number)
      .first
    guard let line, line.starts(with: key) else { return nil }
    let digits = line.dropFirst(key.count).prefix {
      $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
    return Int64(String(decoding: digits, as: UTF8.self)).map { Instant(nanoseconds: $0) }
  }

  /// The index of the newest line `resumed` before which everything is over and forgotten.
  static func firstLine(of lines: [TraceLine], thatCounts now: Instant, in policy: Policy) -> Int? {
    for index in lines.indices.dropFirst().reversed() {
      guard case .resumed = lines[index].body else { continue }
      let end = lines[index - 1].time
      // Runs that follow each other closely count as one session, from its beginning.
      if end + policy.reach < now, end + policy.longestCoalescing < lines[index].time {
        return index
      }
    }
    return nil
  }

  /// Enters the runs from the line `first` on into a new engine.
  private func rerun(_ trace: Trace, from first: Int) -> [UInt8] {
    let sink = MemorySink()
    var header = TraceHeader(
      name: trace.header.name, under: file, device: DeviceFacts(), clock: trace.header.clock,
      seed: trace.header.seed, apps: [])
    header.continues = path.split(separator: "/").last.map { "\($0).1" }
    var run = LaterRuns(header, under: file.policy, to: sink)
    for name in trace.header.apps { run.add(name, trace.header.manifests[name]) }
    for (index, line) in trace.lines.enumerated() {
      if case .event(let deed) = line.body, deed.verb == .addApp, let name = line.app {
        run.add(name, deed.manifest)
      } else if index >= first {
        run.enter(line, before: trace.lines[(index + 1)...])
      }
    }
    run.finish()
    return sink.bytes
  }
}

/// The later runs of a journal in an engine that does not know the earlier ones.
///
/// Such an engine admits what was denied because of an earlier run, and does not end a run whose
/// budget an earlier run had used up. So requests that were denied are left out, because they use
/// nothing, and a run ends where it has ended.
private struct LaterRuns: ~Copyable {
  private var driver: Driver
  private var recorder: TraceRecorder
  private var apps: [String: AppID] = [:]
  /// The apps that hold a wake.
  private var holders: Set<AppID> = []

  init(_ header: TraceHeader, under policy: Policy, to sink: MemorySink) {
    driver = Driver(Engine(policy: policy, limitsCountFrom: .firstLine), pace: .late)
    recorder = TraceRecorder(policy: policy)
    recorder.begin(header, to: sink)
  }

  mutating func add(_ name: String, _ manifest: AppManifest?) {
    apps[name] = recorder.addApp(named: name, manifest ?? AppManifest(), to: &driver)
  }

  mutating func finish() { recorder.finishStep() }

  mutating func enter(_ line: TraceLine, before rest: ArraySlice<TraceLine>) {
    let app = line.app.flatMap { apps[$0] }
    switch line.body {
    case .advance:
      guard driver.isStepFinished, driver.step(until: max(driver.now, line.time)) else { return }
      if driver.hasAdvanced { recorder.recordAdvance(at: driver.now) }
      pull()
    case .resumed(let clocks, let cgroup):
      driver.moveIfFree(to: line.time)
      recorder.record(clocks, cgroup: cgroup, at: driver.now)
    case .event(let deed):
      if deed.verb != .deliver || !LaterRuns.isDenied(rest) { say(deed, app, at: line.time) }
    case .wake(_, _, _, .overrun, _), .wake(_, _, _, .overBudget, _), .wake(_, _, _, .unhandled, _):
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
    switch event {
    case .returned(let app), .began(let app): guard driver.owesReturn(app) else { return }
    case .crash(let app, _): guard driver.engine.state(of: app) != .notRunning else { return }
    case .completeWake(let app, _, _): guard holders.contains(app) else { return }
    default: break
    }
    driver.moveIfFree(to: time)
    recorder.say(event, to: &driver)
    pull()
  }

  /// Pulls the rest of the step. The returns of callbacks are lines of their own.
  private mutating func pull() {
    while let item = recorder.pull(from: &driver) {
      switch item {
      case .action(.wakeBegan(let app, _)): holders.insert(app)
      case .action(.wakeCompleted(let app, _)), .action(.wakeOverran(let app, _, _)),
        .action(.terminated(let app, _)):
        holders.remove(app)
      default: continue
      }
    }
  }
}

extension Driver {
  /// Moves to an instant, unless that would pass a deadline.
  fileprivate mutating func moveIfFree(to instant: Instant) {
    if instant > now, nextInstant ?? .distantFuture >= instant { move(to: instant) }
  }
}

extension Policy {
  /// The longest time after which a run that is over may still matter: to a budget, to an interval,
  /// or to a group of apps.
  var reach: Interval {
    let budgets = sessions.values.flatMap(\.budgets) + wakes.values.flatMap(\.budgets)
    let windows = budgets.map(\.window) + wakes.values.compactMap { $0.budget?.window }
    let intervals = wakes.values.map(\.schedule.minimumInterval)
    return (windows + intervals + groups.map(\.unusedFor)).max() ?? .zero
  }

  /// The longest pause between two runs that count as one session.
  var longestCoalescing: Interval {
    (wakes.values.map(\.coalescing) + sessions.values.map(\.coalescing)).max() ?? .zero
  }
}
