internal import Curfew
internal import CurfewEngine
public import CurfewFiles
internal import CurfewUV
internal import Foundation

/// A load test: thousands of simulated apps through the embedding API on a real loop, and the truth about how late each warning and each end was.
public final class LoadTest: @unchecked Sendable {
  /// How far a run has come.
  public struct Progress: Hashable, Sendable {
    /// What is being measured: `ours`, `floor`, `alternative`.
    public var contestant: String
    /// The segment, from 1.
    public var segment: Int
    /// How many segments there are.
    public var segments: Int
    /// Of all that is to be done, 0 to 1.
    public var share: Double
    /// Handlers called so far.
    public var expirations: Int
  }

  /// How long at most it waits without a word, in nanoseconds.
  static let slice: Int64 = 100_000_000

  let options: LoadTestOptions
  let plan: LoadPlan
  /// What the plan leads to in virtual time.
  let rehearsed: PlannedOutcomes
  private let progress: @Sendable (Progress) -> Void
  private let isStopped: @Sendable () -> Bool
  /// Somebody has said so, and it stays.
  private(set) var hasStopped = false
  /// When `progress` was last told, on the device's clock.
  private var told = -LoadTest.slice

  /// Apps with a step that was made too late to be compared with the plan.
  private(set) var late: Set<AppID> = []
  /// How processes ended, by app and in order. A device forgets all but the last thousand or two of an app, so they are read after each segment.
  private(set) var ends: [[ProcessEnd]]

  let clock: UVClock
  let device: Device
  let apps: [App]
  let simulated: [SimulatedApp]
  let measurements: Measurements

  /// The run that `options` ask for, planned and ready.
  ///
  /// - Parameters:
  ///   - recordsTrace: Whether `trace()` will be asked for.
  ///   - progress: Told how far the run is, about ten times a second, on the thread that runs it.
  ///   - isStopped: Asked as often; true ends the run with what has been measured.
  /// - Throws: `LoadPlanError`, or why there is no loop.
  public init(
    _ options: LoadTestOptions, recordsTrace: Bool = false, progress: @escaping @Sendable (Progress) -> Void = { _ in },
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws {
    self.options = options
    (self.progress, self.isStopped) = (progress, isStopped)
    plan = try LoadPlan(options)
    rehearsed = plan.expectedOutcomes()
    guard rehearsed.illegalSteps == 0 else { throw LoadPlanError.unsuitable(policy: options.policy.name, steps: rehearsed.illegalSteps) }
    clock = try UVClock(scale: options.scale, leeway: .nanoseconds(options.leewayNanoseconds))
    device = Device(policy: options.policy, clock: .realTime(clock), facts: plan.device)
    if recordsTrace { device.startRecording() }
    measurements = Measurements(tasks: plan.tasks.count)
    var (apps, simulated) = ([App](), [SimulatedApp]())
    for (number, app) in plan.apps.enumerated() {
      let delegate = SimulatedApp(plan, clock, measurements)
      simulated.append(delegate)
      apps.append(device.register("app\(number)", manifest: AppManifest(backgroundModes: app.manifest.backgroundModes), delegate: delegate))
    }
    (self.apps, self.simulated) = (apps, simulated)
    ends = Array(repeating: [], count: apps.count)
  }

  /// Runs it, with the floor and the alternative on the same deadlines after each segment. A run that is stopped closes the device.
  public func run() throws -> LoadTestReport {
    let tasks = options.policy.policy.tasks
    var report = LoadTestReport(
      run: LoadTestReport.Run(
        apps: options.apps, visitsPerSecond: options.visitsPerSecond, policy: options.policy.name, policyDigest: options.policy.digest,
        grant: tasks.grant, scale: options.scale, leewayNanoseconds: options.leewayNanoseconds, lengthNanoseconds: 0,
        segments: options.segments, seed: options.seed, cores: ProcessFacts.now().cores))
    var bases: [Int64] = []
    var lag = LatenessHistogram()
    for segment in plan.segments.indices {
      if mustStop() { break }
      bases.append(runSegment(segment, &report, &lag))
      rest(patience: 1_000_000_000)
      readEnds()
      if mustStop() { break }
      try runContestants(segment, &report)
    }
    report.run.isInterrupted = hasStopped
    rest(patience: hasStopped ? 2_000_000_000 : 5_000_000_000)
    // Before it is closed: after that it leaves out what it would have called.
    let counts = device.counts
    (report.expirations.decided, report.expirations.leftOut) = (counts.expirations, counts.handlersLeftOut)
    if hasStopped { device.close() }
    readEnds()
    collect(bases, &report)
    report.notes += notes(on: report, lag)
    return report
  }

  /// Ends it. Handlers that are running come to their end.
  public func close() { device.close() }

  /// What happened, as a trace that replays.
  /// - Precondition: It was asked for.
  public func trace() -> Trace { device.recordedTrace(name: "loadtest", seed: options.seed) }

  // MARK: Ours

  /// - Returns: When the segment began, on the device's clock.
  private func runSegment(_ segment: Int, _ report: inout LoadTestReport, _ lag: inout LatenessHistogram) -> Int64 {
    let before = (facts: ProcessFacts.now(), counts: device.counts, wakeUps: clock.wakeUps, armings: clock.armings)
    var now = clock.wallNow()
    let base = now + 20_000_000
    let end = base + options.segmentNanoseconds
    var isOver = false
    for step in plan.segments[segment] {
      guard wait(until: base + step.at, &now, segment, base) else {
        isOver = true
        break
      }
      lag.record(now - base - step.at)
      perform(step, base)
      now = clock.wallNow()
      // Made, not begun: it may have waited for the device.
      if now - base - step.at > OutcomeComparison.usualMargin { late.insert(step.app) }
    }
    if !isOver { _ = wait(until: end, &now, segment, base) }
    let after = ProcessFacts.now()
    // Stopped before the first step, it is not there yet.
    report.run.lengthNanoseconds += max(0, clock.wallNow() - base)
    report.work.events += device.counts.events - before.counts.events
    report.work.wakeUps += clock.wakeUps - before.wakeUps
    report.work.armings += clock.armings - before.armings
    report.work.userNanoseconds += after.userNanoseconds - before.facts.userNanoseconds
    report.work.systemNanoseconds += after.systemNanoseconds - before.facts.systemNanoseconds
    report.work.peakMemory = after.peakMemory
    return base
  }

  private func perform(_ step: LoadStep, _ base: Int64) {
    let index = Int(step.app.rawValue)
    let (app, simulated) = (apps[index], self.simulated[index])
    switch step.verb {
    case .launch:
      simulated.startVisit(Int(step.visit), base: base)
      app.launch()
    case .home: app.home()
    case .endTask(let number): simulated.endTask(Int(number), of: Int(step.visit), app)
    case .startSession(let kind): app.startSession(kind)
    case .stopSession(let kind): app.stopSession(kind)
    case .deliver(let kind): app.deliver(kind)
    case .completeWake: simulated.completeWake(of: Int(step.visit))
    }
  }

  // MARK: Waiting

  /// Waits until `instant`, in slices: a plan may have nothing to do for a long time.
  ///
  /// - Parameter now: The time, as it was last read.
  /// - Returns: Whether to go on.
  private func wait(until instant: Int64, _ now: inout Int64, _ segment: Int, _ base: Int64) -> Bool {
    while true {
      if now - told >= LoadTest.slice {
        tell("ours", segment, Double(now - base) / Double(options.segmentNanoseconds), part: 0, at: now)
        if mustStop() { return false }
      }
      guard now < instant else { return true }
      clock.sleep(untilWall: min(instant, told + LoadTest.slice))
      now = clock.wallNow()
    }
  }

  /// Waits until every handler that has been decided has been called, or will not be, if that is soon.
  private func rest(patience: Int64) {
    let end = clock.wallNow() + patience
    while handlersUnderWay > 0, clock.wallNow() < end { clock.sleep(untilWall: clock.wallNow() + 5_000_000) }
  }

  /// Handlers that have been decided and of which their apps know nothing yet.
  private var handlersUnderWay: Int {
    let counts = device.counts
    return counts.expirations - counts.handlersLeftOut - simulated.reduce(0) { $0 + $1.handlerCalls }
  }

  private func readEnds() {
    guard device.counts.processEnds > ends.reduce(0, { $0 + $1.count }) else { return }
    for app in apps.indices {
      let last = ends[app].last?.instant
      ends[app] += apps[app].processEnds.filter { end in last.map { end.instant > $0 } ?? true }
    }
  }

  /// Whether somebody wants it to end.
  func mustStop() -> Bool {
    hasStopped = hasStopped || isStopped()
    return hasStopped
  }

  /// Tells how far it is.
  ///
  /// - Parameters:
  ///   - share: How far this part is, about 0 to 1.
  ///   - part: 0 for ours, 1 for the floor, 2 for the alternative, 3 for it without rounding, which comes in the first segment only.
  func tell(_ contestant: String, _ segment: Int, _ share: Double, part: Int, at now: Int64) {
    told = now
    let segments = plan.segments.count
    let parts = 3 * segment + part + (segment > 0 ? 1 : 0)
    let done = (Double(parts) + min(1, max(0, share))) / Double(3 * segments + 1)
    progress(
      Progress(contestant: contestant, segment: segment + 1, segments: segments, share: done, expirations: device.counts.handlersCalled))
  }
}
