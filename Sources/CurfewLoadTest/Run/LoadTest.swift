internal import Curfew
import CurfewEngine
import CurfewSystem
package import CurfewTrace
internal import CurfewUV

/// A load test: runs thousands of simulated apps through the embedding API on a real loop,
/// and measures how late each warning and each end is.
package final class LoadTest: @unchecked Sendable {
  /// The progress of a run.
  package struct Progress: Hashable, Sendable {
    /// The contestant that is measured: `ours`, `floor`.
    package var contestant: String
    /// The segment, from 1.
    package var segment: Int
    /// The number of segments.
    package var segments: Int
    /// The share of the work that is done, 0 to 1.
    package var share: Double
    /// The number of handlers called so far.
    package var expirations: Int
  }

  /// The longest time without a progress report, in nanoseconds.
  static let slice: Int64 = 100_000_000

  let options: LoadTestOptions
  let plan: LoadPlan
  /// The outcomes of the plan in virtual time.
  let rehearsed: PlannedOutcomes
  private let progress: @Sendable (Progress) -> Void
  private let warn: @Sendable (String) -> Void
  let problems = ThreadProblems()
  private let isStopped: @Sendable () -> Bool
  /// Whether `isStopped` has returned true; stays true.
  private(set) var hasStopped = false
  /// The instant of the interruption, on the device's clock.
  private(set) var interruption: Int64?
  /// The instant of the last progress report, on the device's clock.
  private var told = -LoadTest.slice

  /// The floors whose timers were not set to their deadlines, each a sentence.
  var floorContradictions: [String] = []
  /// The start of each segment that was run, on the device's clock.
  private(set) var bases: [Int64] = []
  /// Visits with a step that the host performed too late to be compared with the plan.
  var late: Set<Int> = []
  /// Visits with a late step that the host's own delays explain, by the second account.
  private(set) var explained: Set<Int> = []
  /// Visits with a step that was done more than the margin late, for any cause.
  private(set) var overdue: Set<Int> = []
  /// The account of the process's standstills during the run.
  private(set) var heartbeat = Heartbeat(standstills: [])
  /// The times in which the steps were behind the plan, on the device's clock.
  private var backlog = Backlog(margin: OutcomeComparison.usualMargin)
  /// The start of each visit, on the device's clock, by its index in the plan; `Int64.max` if it
  /// was not begun.
  private(set) var visitStarts: [Int64]
  var records: DeviceRecords
  /// The second account of the report's distributions, and those of the hand-offs and
  /// of the steps' lateness.
  var recount = Recount()
  var handOffRecount = ControlSum()
  private(set) var stepsRecount = ControlSum()
  /// The recorded trace, after the run.
  private(set) var recordedTrace: Trace?
  private let recordsTrace: Bool

  let clock: UVClock
  let device: Device
  let apps: [App]
  let simulated: [SimulatedApp]
  let measurements: Measurements

  /// Plans and prepares the run that `options` ask for.
  ///
  /// - Parameters:
  ///   - recordsTrace: Whether `trace()` will be called.
  /// - progress: Called with the progress, about ten times a second, on the thread that runs
  ///   the test.
  /// - isStopped: Called as often. If it returns true, the run ends, and reports what has
  ///   been measured.
  /// - warn: Called with each problem of the threads of the apps' handlers, a sentence without
  ///   a full stop, on the same thread.
  /// - Throws: `LoadPlanError`, or the reason why there is no loop.
  package init(
    _ options: LoadTestOptions, recordsTrace: Bool = false,
    progress: @escaping @Sendable (Progress) -> Void = { _ in },
    isStopped: @escaping @Sendable () -> Bool = { false },
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var options = options
    // Grants end as planned, even if a warning is late: the test measures the stalls of
    // the machine.
    try options.policy.set("tasks.whenLate", "kill")
    self.options = options
    (self.progress, self.warn, self.isStopped) = (progress, warn, isStopped)
    self.recordsTrace = recordsTrace
    plan = try LoadPlan(options)
    rehearsed = plan.expectedOutcomes()
    visitStarts = Array(repeating: .max, count: plan.visits.count)
    guard rehearsed.illegalSteps == 0 else {
      throw LoadPlanError.unsuitable(policy: options.policy.name, steps: rehearsed.illegalSteps)
    }
    clock = try UVClock(scale: options.scale, leeway: .nanoseconds(options.leewayNanoseconds))
    device = Device(
      policy: options.policy, clock: .realTime(clock), facts: plan.device,
      onThreadProblem: problems.add)
    if recordsTrace { device.startRecording() }
    measurements = Measurements(tasks: plan.tasks.count, visits: plan.visits.count)
    var (apps, simulated) = ([App](), [SimulatedApp]())
    for (number, app) in plan.apps.enumerated() {
      let delegate = SimulatedApp(plan, clock, measurements)
      simulated.append(delegate)
      apps.append(
        device.register(
          "app\(number)", manifest: AppManifest(backgroundModes: app.manifest.backgroundModes),
          delegate: delegate))
    }
    (self.apps, self.simulated) = (apps, simulated)
    records = DeviceRecords(apps: apps.count, keepsExpirations: recordsTrace)
  }

  /// Runs the test and closes the device. The floor runs on the same deadlines before and after
  /// each segment.
  package func run() -> LoadTestReport {
    let tasks = options.policy.policy.tasks
    var report = LoadTestReport(
      run: LoadTestReport.Run(
        apps: options.apps, visitsPerSecond: options.visitsPerSecond, policy: options.policy.name,
        policyDigest: options.policy.digest,
        grant: tasks.grant, scale: options.scale, leewayNanoseconds: options.leewayNanoseconds,
        lengthNanoseconds: 0,
        segments: options.segments, seed: options.seed, cores: ProcessFacts.now().cores))
    heartbeat = Heartbeat(margin: OutcomeComparison.usualMargin)
    defer { heartbeat.stop() }
    for segment in plan.segments.indices where !mustStop() {
      let deadlines = FloorDeadlines(plannedDues(segment))
      var result = LoadTestReport.Segment()
      let load = MachineLoad.now()
      let before = runFloor(deadlines.before, segment, part: .floorBefore, &report)
      let handOffBefore = runHandOff(&report)
      if mustStop() { break }
      runSegment(segment, &report)
      rest(patience: 1_000_000_000)
      if mustStop() { break }
      readRecords()
      let ours = tally(segment)
      (result.decided, result.delivered) = (
        LoadTestReport.Spread(ours.decided), LoadTestReport.Spread(ours.delivered)
      )
      result.noteCallbacks(callbacks(of: segment))
      result.noteFloor(handOffBefore, runHandOff(&report), .handOff)
      let after = runFloor(deadlines.after, segment, part: .floorAfter, &report)
      result.noteFloor(before, after)
      result.othersLoad = load.flatMap { $0.othersShare(until: MachineLoad.now()) }
      report.segments.append(result)
    }
    finish(&report)
    tellProblems()
    return report
  }

  /// Closes the device. Running handlers finish.
  package func close() { device.close() }

  /// The run as a trace that can be replayed.
  /// - Precondition: `recordsTrace` was true, and the test was run.
  package func trace() -> Trace {
    guard let recordedTrace else {
      preconditionFailure("No trace was asked for, or nothing has been run")
    }
    return recordedTrace
  }

  /// Waits for running handlers, closes the device and reads all results.
  private func finish(_ report: inout LoadTestReport) {
    report.run.isInterrupted = hasStopped
    rest(patience: hasStopped ? 2_000_000_000 : 5_000_000_000, evenIfStopped: true)
    // Read before the device is closed, because a closed device leaves out the handlers that are
    // still due.
    let leftOut = device.counts.skippedHandlers
    // From here on nothing is decided, and no handler is called except those on their way to their
    // first lines. The results read below are therefore consistent.
    device.close()
    let books = DeviceBooks(
      decided: device.counts.expirations, called: device.counts.handlersCalled, leftOut: leftOut)
    wait(patience: 1_000_000_000) { handlerCalls < books.called }
    readRecords()
    if recordsTrace { recordedTrace = device.recordedTrace(name: "loadtest", seed: options.seed) }
    collect(books, &report)
    report.notes += notes(on: report)
  }

  // MARK: Ours

  private func runSegment(_ segment: Int, _ report: inout LoadTestReport) {
    let displaced = plan.displaced(segment)
    let before = (
      facts: ProcessFacts.now(), counts: device.counts, wakeUps: clock.wakeUps,
      armings: clock.armings
    )
    var now = clock.wallNow()
    let base = now + 20_000_000
    bases.append(base)
    let end = base + options.segmentNanoseconds
    var isOver = false
    let margin = OutcomeComparison.usualMargin
    var (delay, delays) = (StepDelay(margin: margin), HostDelays())
    for step in plan.segments[segment] {
      let wanted = base + step.at
      guard wait(until: wanted, &now, segment, base) else {
        isOver = true
        break
      }
      let began = now
      let thread = ThreadFacts.now()
      report.steps.record(began - wanted)
      stepsRecount.add(due: wanted, happened: began)
      if step.verb == .launch {
        for visit in displaced[step.at] ?? [] { leave(visit) }
      }
      perform(step)
      now = clock.wallNow()
      let timed = timed(wanted: wanted, began: began, ended: now, thread)
      delays.note(timed)
      backlog.add(timed)
      if now - wanted > margin { overdue.insert(Int(step.visit)) }
      if delays.explain(timed, margin: margin) { explained.insert(Int(step.visit)) }
      if delay.isLate(timed) { late.insert(Int(step.visit)) }
    }
    if !isOver { _ = wait(until: end, &now, segment, base) }
    let after = ProcessFacts.now()
    // If the run was stopped before the first step, the segment's start may be in the future.
    report.run.lengthNanoseconds += max(0, clock.wallNow() - base)
    report.work.events += device.counts.events - before.counts.events
    report.work.wakeUps += clock.wakeUps - before.wakeUps
    report.work.armings += clock.armings - before.armings
    report.work.userNanoseconds += after.userNanoseconds - before.facts.userNanoseconds
    report.work.systemNanoseconds += after.systemNanoseconds - before.facts.systemNanoseconds
    report.work.peakMemory = after.peakMemory
  }

  /// A step with what held up its call.
  ///
  /// - Parameter thread: The thread's facts when the call began.
  private func timed(wanted: Int64, began: Int64, ended: Int64, _ thread: ThreadFacts)
    -> TimedStep
  {
    var step = TimedStep(wanted: wanted, began: began, ended: ended)
    // Most calls take a few microseconds, and nothing has held them up.
    guard ended - began > 100_000 else { return step }
    step.standstill = min(ended - began, standstill(from: began, to: ended))
    step.preempted = ThreadFacts.now().preempted(since: thread, length: ended - began)
    return step
  }

  /// The time for which the process stood still between two instants of the device's clock.
  func standstill(from start: Int64, to end: Int64) -> Int64 {
    heartbeat.standstill(from: clock.origin + start, to: clock.origin + end)
  }

  /// Whether the process was catching up after a standstill, or was behind the plan, at any time
  /// between two instants of the device's clock.
  func isCatchingUp(from start: Int64, to end: Int64) -> Bool {
    backlog.contains(anyOf: start, to: end)
      || heartbeat.isCatchingUp(from: clock.origin + start, to: clock.origin + end)
  }

  /// Notes that a visit's app is sent away now.
  private func leave(_ visit: Int) {
    simulated[Int(plan.visits[visit].app.rawValue)].leave(visit)
  }

  private func perform(_ step: LoadStep) {
    let index = Int(step.app.rawValue)
    let (app, simulated) = (apps[index], self.simulated[index])
    switch step.verb {
    case .launch:
      if records.isDue(index) { readRecords(of: index) }
      records.noteVisit(of: index)
      visitStarts[Int(step.visit)] = clock.wallNow()
      simulated.startVisit(Int(step.visit))
      app.launch()
    case .home:
      simulated.leave(Int(step.visit))
      app.home()
    case .endTask(let number): simulated.endTask(Int(number), of: Int(step.visit), app)
    case .startSession(let kind): app.startSession(options.policy.policy.names.name(of: kind))
    case .stopSession(let kind): app.stopSession(options.policy.policy.names.name(of: kind))
    case .deliver(let kind):
      simulated.noteDelivery(Int(step.visit))
      let decision = app.deliver(options.policy.policy.names.name(of: kind))
      if decision.map({ !$0.reasons.isEmpty }) ?? true { simulated.noteRefusal() }
    case .completeWake: simulated.completeWake(of: Int(step.visit))
    }
  }

  // MARK: Waiting

  /// Waits until `instant`, in slices: a plan may have nothing to do for a long time.
  ///
  /// - Parameter now: The time as last read.
  /// - Returns: Whether to continue.
  private func wait(until instant: Int64, _ now: inout Int64, _ segment: Int, _ base: Int64) -> Bool
  {
    while true {
      if now - told >= LoadTest.slice {
        tell(.ours, segment, Double(now - base) / Double(options.segmentNanoseconds), at: now)
        if mustStop() { return false }
      }
      guard now < instant else { return true }
      clock.sleep(untilWall: min(instant, told + LoadTest.slice))
      now = clock.wallNow()
    }
  }

  /// Waits until every decided handler has been called or left out, for at most `patience`.
  private func rest(patience: Int64, evenIfStopped: Bool = false) {
    wait(patience: patience) { handlersUnderWay > 0 && (evenIfStopped || !mustStop()) }
  }

  private func wait(patience: Int64, while condition: () -> Bool) {
    let end = clock.wallNow() + patience
    while condition(), clock.wallNow() < end { clock.sleep(untilWall: clock.wallNow() + 5_000_000) }
  }

  /// The number of handlers whose calls are decided but have not reached their apps yet.
  private var handlersUnderWay: Int {
    let counts = device.counts
    return counts.expirations - counts.skippedHandlers - handlerCalls
  }

  /// The number of handler calls, by the apps' count.
  var handlerCalls: Int { simulated.reduce(0) { $0 + $1.handlerCalls } }

  /// Whether the run must end.
  func mustStop() -> Bool {
    if !hasStopped, isStopped() {
      hasStopped = true
      interruption = clock.wallNow()
    }
    return hasStopped
  }

  /// A part of a segment, in order.
  enum Part: Int {
    case floorBefore, ours, floorAfter

    var contestant: String { self == .ours ? "ours" : "floor" }

    /// The approximate length of the part, in segments, and of the parts before it.
    var length: Double { self == .ours ? 1 : 0.5 }
    var start: Double { [0, 0.5, 1.5][rawValue] }
  }

  /// Passes the problems of the handlers' threads on.
  private func tellProblems() { for problem in problems.take() { warn("\(problem)") } }

  /// Reports the progress, and the problems of the handlers' threads.
  ///
  /// - Parameter share: The share of this part that is done, about 0 to 1.
  func tell(_ part: Part, _ segment: Int, _ share: Double, at now: Int64) {
    told = now
    tellProblems()
    let segments = plan.segments.count
    let done = 2 * Double(segment) + part.start + part.length * min(1, max(0, share))
    progress(
      Progress(
        contestant: part.contestant, segment: segment + 1, segments: segments,
        share: done / Double(2 * segments),
        expirations: device.counts.handlersCalled))
  }
}
