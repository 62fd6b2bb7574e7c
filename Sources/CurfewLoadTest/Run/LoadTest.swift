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

  private let options: LoadTestOptions
  let plan: LoadPlan
  private let progress: @Sendable (Progress) -> Void
  private let isStopped: @Sendable () -> Bool

  /// Apps with a step that was made too late to be compared with the plan.
  private(set) var stalled: Set<AppID> = []

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
    guard let scale = TimeScale(options.scaleText) else { throw LoadPlanError.outOfRange("'\(options.scaleText)': \(TimeScale.rule)") }
    clock = try UVClock(scale: scale, leeway: .nanoseconds(options.leewayNanoseconds))
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
  }

  /// Runs it, with the floor and the alternative on the same deadlines after each segment.
  public func run() throws -> LoadTestReport {
    var report = LoadTestReport(
      run: LoadTestReport.Run(
        apps: options.apps, policy: options.policy.name, policyDigest: options.policy.digest, scale: options.scaleText,
        lengthNanoseconds: 0,
        seed: options.seed, cores: ProcessFacts.now().cores))
    if let notice = clock.notice { report.notes.append(notice) }
    var bases: [Int64] = []
    var lag = LatenessHistogram()
    for segment in plan.segments.indices {
      if isStopped() { break }
      bases.append(runSegment(segment, &report, &lag))
      if isStopped() { break }
      try runContestants(segment, &report)
    }
    report.run.isInterrupted = isStopped()
    collect(bases, &report)
    if let p99 = lag.p99 {
      report.notes.append("The plan's own steps were made up to \(WallText.text(p99)) late (p99); none waits for another.")
    }
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
    let base = clock.wallNow() + 20_000_000
    let end = base + options.segmentNanoseconds
    var reported: Int64 = 0
    for step in plan.segments[segment] {
      let now = clock.wallNow()
      if now - reported > 100_000_000 {
        reported = now
        tell("ours", segment, Double(now - base) / Double(options.segmentNanoseconds), part: 0)
        if isStopped() { break }
      }
      clock.sleep(untilWall: base + step.at)
      let late = clock.wallNow() - base - step.at
      lag.record(late)
      if late > OutcomeComparison.usualMargin { stalled.insert(step.app) }
      perform(step, base)
    }
    while clock.wallNow() < end, !isStopped() { clock.sleep(untilWall: min(end, clock.wallNow() + 50_000_000)) }
    let after = ProcessFacts.now()
    report.run.lengthNanoseconds += clock.wallNow() - base
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

  // MARK: The floor and the alternative

  /// On the deadlines that this segment's warnings had.
  private func runContestants(_ segment: Int, _ report: inout LoadTestReport) throws {
    var result = LoadTestReport.Segment()
    var (decided, delivered) = (LatenessHistogram(), LatenessHistogram())
    let dues = record(segment, &decided, &delivered)
    (result.decided, result.delivered) = (LoadTestReport.Spread(decided), LoadTestReport.Spread(delivered))
    #if os(Linux)
      if let first = dues.first {
        tell("floor", segment, 0, part: 1)
        let base = UVClock.Source.monotonic.read() + 20_000_000 - first
        let floor = try BareTimer(deadlines: dues.map { $0 + base }).run(until: isStopped)
        result.floor = spread(floor)
        tell("alternative", segment, 0, part: 2)
        if !isStopped() { result.alternative = spread(try runAlternative(dues, .up)) }
        // Once is enough to count by.
        if segment == 0, !isStopped() { result.alternativeEarly = try runAlternative(dues, .none).early }
      }
    #endif
    report.segments.append(result)
  }

  #if os(Linux)
    private func runAlternative(_ dues: [Int64], _ rounding: TimerPerTask.Rounding) throws -> Lateness {
      let tasks = options.policy.policy.tasks
      let length = clock.scale.wall(for: .zero + Interval(nanoseconds: tasks.grant.nanoseconds - tasks.warning.nanoseconds))
      let base = UVClock.Source.monotonic.read() + 20_000_000 + length - dues[0]
      let deadlines = dues.map { $0 + base }
      return try TimerPerTask(deadlines: deadlines, begins: deadlines.map { $0 - length }, rounding: rounding).run(until: isStopped)
    }

    private func spread(_ lateness: Lateness) -> LoadTestReport.Spread? {
      var histogram = LatenessHistogram()
      for nanoseconds in lateness.nanoseconds { histogram.record(nanoseconds) }
      return LoadTestReport.Spread(histogram)
    }
  #endif

  /// Records a segment's warnings.
  /// - Returns: When they were due, ascending.
  private func record(_ segment: Int, _ decided: inout LatenessHistogram, _ delivered: inout LatenessHistogram) -> [Int64] {
    var dues: [Int64] = []
    for visit in plan.visits where visit.segment == segment {
      simulated[Int(visit.app.rawValue)].withMeasurements {
        for task in visit.firstTask..<visit.firstTask + visit.taskCount where measurements[task].deliveries > 0 {
          let record = measurements[task]
          dues.append(record.due)
          decided.record(record.decided - record.due)
          delivered.record(record.delivered - record.due)
        }
      }
    }
    return dues.sorted()
  }

  private func tell(_ contestant: String, _ segment: Int, _ share: Double, part: Double) {
    let segments = plan.segments.count
    let done = (Double(segment) + (part + min(1, max(0, share))) / 3) / Double(segments)
    progress(
      Progress(contestant: contestant, segment: segment + 1, segments: segments, share: done, expirations: device.counts.expirations))
  }
}
