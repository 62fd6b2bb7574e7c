package import CurfewEngine
package import CurfewUV

/// The measurements of a load test.
package struct LoadTestReport: Sendable {
  /// The options of the run, and the machine.
  package struct Run: Hashable, Sendable {
    /// The number of apps on the device.
    package var apps: Int
    /// The requested number of visits to the background per second.
    package var visitsPerSecond: Int
    /// The policy's name.
    package var policy: String
    /// The digest of the policy's values.
    package var policyDigest: String
    /// The policy's grant to an app that has left the foreground, in engine time.
    package var grant: Interval
    /// The ratio of wall time to engine time.
    package var scale: TimeScale
    /// The time by which the loop might wake up late, in wall nanoseconds.
    package var leewayNanoseconds: Int64
    /// The measured time, in wall nanoseconds: less than requested if the run was interrupted.
    package var lengthNanoseconds: Int64
    /// The number of segments that the run was divided into. Medians leave out unfinished ones.
    package var segments: Int
    /// The seed that gives the same plan again.
    package var seed: UInt64
    /// The machine's processor cores.
    package var cores: Int
    /// Whether the run was interrupted.
    package var isInterrupted = false
  }

  /// Counts of the calls of expiration handlers.
  ///
  /// `expected` is the sum of `delivered`, `endedFirst`, `missed` and `pending`: each expected call
  /// is exactly one of these.
  package struct Expirations: Hashable, Sendable {
    /// Calls that follow from the plan in virtual time; after an interruption, only calls due
    /// by then.
    package var expected = 0
    /// Expected calls whose handler's first line was reached by the planned end of the grant,
    /// according to the apps' records.
    package var delivered = 0
    /// Expected calls whose task the app had ended before, according to the apps' records.
    package var endedFirst = 0
    /// Expected calls whose handler's first line was not reached by the planned end of the grant.
    package var missed = 0
    /// Expected calls that had not come when the run was interrupted, and whose grant had
    /// not ended.
    package var pending = 0
    /// Missed calls that were decided in time but never came, although nothing else had ended
    /// their process, the load test did not stand still and, while it caught up after a standstill,
    /// called handlers that were decided later.
    package var lost = 0
    /// Calls that do not follow from the plan: the planned end of the task was just before
    /// the call, or something was late.
    package var unexpected = 0
    /// Calls of a handler that had been called before.
    package var twice = 0
    /// Calls that the engine decided, as counted by the device.
    package var decided = 0
    /// Calls that were decided and then left out because the task or the process had ended before,
    /// as counted by the device.
    package var leftOut = 0

    /// Creates counts of zero.
    package init() {}
  }

  /// Counts of the grants that ran out with a task open.
  package struct GrantEnds: Hashable, Sendable {
    /// Ends that follow from the plan in virtual time; after an interruption, only ends that came.
    package var expected = 0
    /// Ends that came. Their lateness is known only if nothing stopped the grant's clock:
    /// see `grantEndsDecided`.
    package var ended = 0

    /// Creates counts of zero.
    package init() {}
  }

  /// The work of the run, and its cost.
  package struct Work: Hashable, Sendable {
    /// The number of events that entered the engine.
    package var events = 0
    /// The number of wake-ups of the loop's thread.
    package var wakeUps = 0
    /// The number of times that the loop's timer was armed.
    package var armings = 0
    /// User processor time of the process.
    package var userNanoseconds: Int64 = 0
    /// System processor time of the process.
    package var systemNanoseconds: Int64 = 0
    /// The peak memory of the process, in bytes.
    package var peakMemory: Int64 = 0
    /// The processor time of the floor for `floorDeadlines`.
    package var floorNanoseconds: Int64 = 0
    /// The number of deadlines that the floor has waited for.
    package var floorDeadlines = 0

    /// Creates counts of zero.
    package init() {}
  }

  /// The options of the run, and the machine.
  package var run: Run
  /// Counts of expirations.
  package var expirations = Expirations()
  /// Counts of the ends of grants.
  package var grantEnds = GrantEnds()
  /// The time from a warning's due instant to the engine's decision, for each handler to be called.
  /// For an expected warning without a decision, its least lateness.
  package var warningsDecided = LatenessPercentiles()
  /// The same, but only for warnings that the loop's own tick found due, rather than another call
  /// into the device.
  package var warningsDecidedByLoop = LatenessPercentiles()
  /// The time from a warning's due instant to the first line of the app's handler. For a missed
  /// warning, the time from its planned instant, or its least lateness if the handler was
  /// never called.
  package var warningsDelivered = LatenessPercentiles()
  /// The time from a step's planned instant to its start.
  package var steps = LatenessPercentiles()
  /// The time from the end of a grant to the engine's decision.
  package var grantEndsDecided = LatenessPercentiles()
  /// The durations of calls that begin a task.
  package var beginLatency = LatenessPercentiles()
  /// The durations of calls that end a task.
  package var endLatency = LatenessPercentiles()
  /// The time from the call that sends an app away, by home or by another app's launch, to
  /// the first line of its didEnterBackground.
  package var callbackDelivered = LatenessPercentiles()
  /// The time from the delivery of a wake to the first line of the app's callback.
  package var wakeDelivered = LatenessPercentiles()
  /// The time from a launch to the first line of the app's didBecomeActive.
  package var launchToActive = LatenessPercentiles()
  /// The floor of these three: the time that one thread takes to hand an instant to another.
  package var handOff = LatenessPercentiles()
  /// The work of the run.
  package var work = Work()
  /// The segments, in order.
  package var segments: [Segment] = []
  /// The comparison of the visits with the plan; nil if they were not compared.
  package var comparison: OutcomeComparison?
  /// The contradictions between the apps' counts, the device's and the trace, each a sentence
  /// without a full stop.
  package var contradictions: [String] = []
  /// Notes for readers, each a sentence.
  package var notes: [String] = []

  /// Creates a report without measurements.
  package init(run: Run) { self.run = run }

  /// The number of early warnings, ends and callbacks.
  package var early: Int { punctual.reduce(0) { $0 + $1.early } }
  /// The distributions of things that must not come early.
  var punctual: [LatenessPercentiles] {
    [
      warningsDecided, warningsDelivered, grantEndsDecided, callbackDelivered, wakeDelivered,
      launchToActive,
    ]
  }
  /// The share of the warnings that the loop's own tick decided, 0 to 1; nil without warnings.
  ///
  /// Every call into the device also decides whatever is due. If the loop's share is small,
  /// the figures say little about its wake-ups.
  package var loopShare: Double? {
    let decided = warningsDecided.count - warningsDecided.unbounded
    return decided > 0 ? Double(warningsDecidedByLoop.count) / Double(decided) : nil
  }
  /// Events per second of wall time.
  package var eventsPerSecond: Double { perSecond(work.events) }
  /// Expiration handlers called in time, per second of wall time.
  package var expirationsPerSecond: Double { perSecond(expirations.delivered) }
  /// The processor time of the whole run, divided by the number of handlers called in time,
  /// in nanoseconds; nil without any.
  package var processorPerExpiration: Double? {
    expirations.delivered > 0
      ? Double(work.userNanoseconds + work.systemNanoseconds) / Double(expirations.delivered) : nil
  }
  /// The processor time of the floor per deadline, in nanoseconds; nil if it was not measured.
  var floorProcessorPerDeadline: Double? {
    work.floorDeadlines > 0 ? Double(work.floorNanoseconds) / Double(work.floorDeadlines) : nil
  }

  private func perSecond(_ count: Int) -> Double {
    run.lengthNanoseconds > 0 ? Double(count) * 1e9 / Double(run.lengthNanoseconds) : 0
  }

  /// The thresholds that were crossed, in order.
  package func crossings(of thresholds: [Threshold]) -> [Threshold.Crossing] {
    thresholds.compactMap { $0.crossing(in: self) }
  }
}
