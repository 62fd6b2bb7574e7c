package import CurfewEngine
package import CurfewUV

/// What a load test has measured.
package struct LoadTestReport: Sendable {
  /// What was run, and on what.
  package struct Run: Hashable, Sendable {
    /// How many apps the device had.
    package var apps: Int
    /// How many visits to the background a second were asked for.
    package var visitsPerSecond: Int
    /// The policy's name.
    package var policy: String
    /// What stands for its values.
    package var policyDigest: String
    /// What the policy grants an app that has left the foreground, in engine time.
    package var grant: Interval
    /// Wall time is engine time times this.
    package var scale: TimeScale
    /// How much later than due the loop might wake up, in wall nanoseconds.
    package var leewayNanoseconds: Int64
    /// How long was measured, in wall nanoseconds: less than was asked for where the run
    /// was interrupted.
    package var lengthNanoseconds: Int64
    /// Into how many segments the run was divided. Those that were not run to their end are
    /// in no median.
    package var segments: Int
    /// The seed that gives the same plan again.
    package var seed: UInt64
    /// The machine's processor cores.
    package var cores: Int
    /// Whether somebody ended it early.
    package var isInterrupted = false
  }

  /// Every call of an expiration handler, counted.
  ///
  /// `expected` is the sum of `delivered`, `endedFirst`, `missed` and `pending`: each expected call
  /// is one of these.
  package struct Expirations: Hashable, Sendable {
    /// Those that the plan leads to in virtual time; of an interrupted run, those of them that were
    /// due by then.
    package var expected = 0
    /// Those of them whose handler's first line was reached by the planned end of the grant, as
    /// the apps have it.
    package var delivered = 0
    /// Those whose task was ended before by its app, as the apps have it.
    package var endedFirst = 0
    /// Those whose handler's first line was not reached by the planned end of the grant.
    package var missed = 0
    /// Those that were not called when the run was interrupted, and whose grant went on.
    package var pending = 0
    /// Those of `missed` that were decided in time and never called, though nothing else had ended
    /// their process.
    package var lost = 0
    /// Calls that the plan does not lead to: the task was to be ended just before, or something
    /// came late.
    package var unexpected = 0
    /// Calls of a handler that had been called before.
    package var twice = 0
    /// Those that the engine decided, as the device counts them.
    package var decided = 0
    /// Those that were decided and then not called, as the device counts them, because the task
    /// or the process had ended before it was their turn.
    package var leftOut = 0

    /// None yet.
    package init() {}
  }

  /// Every grant that ran out with a task open, counted.
  package struct GrantEnds: Hashable, Sendable {
    /// Those that the plan leads to in virtual time; of an interrupted run, those that came.
    package var expected = 0
    /// Those that came. How late is known only where nothing has stopped the grant's
    /// clock: `grantEndsDecided`.
    package var ended = 0

    /// None yet.
    package init() {}
  }

  /// How many of the alternative's timers come early where nothing is rounded up, in the one
  /// segment in which that is tried.
  package struct EarlyTimers: Hashable, Sendable {
    /// Those that were early.
    package var early: Int
    /// All of them.
    package var timers: Int
  }

  /// What the run did, and what it cost.
  package struct Work: Hashable, Sendable {
    /// Events that entered the engine.
    package var events = 0
    /// How often the loop's thread woke up.
    package var wakeUps = 0
    /// How often its timer was armed.
    package var armings = 0
    /// Processor time in the process.
    package var userNanoseconds: Int64 = 0
    /// Processor time in the kernel for it.
    package var systemNanoseconds: Int64 = 0
    /// The most memory that the process has held, in bytes.
    package var peakMemory: Int64 = 0
    /// Processor time that the floor has spent, on so many deadlines.
    package var floorNanoseconds: Int64 = 0
    /// How many deadlines the floor has waited for.
    package var floorDeadlines = 0

    /// None yet.
    package init() {}
  }

  /// What was run.
  package var run: Run
  /// Expirations, counted.
  package var expirations = Expirations()
  /// Ends of grants, counted.
  package var grantEnds = GrantEnds()
  /// From when a warning was due to the engine's decision, for each handler that was to be called;
  /// and for each expected one that never was, how late it was at least.
  package var warningsDecided = LatenessHistogram()
  /// The same for the warnings alone that the loop's own tick found due, and not somebody's call
  /// just then.
  package var warningsDecidedByLoop = LatenessHistogram()
  /// From when a warning was due to the first line of the app's handler; of those that were missed
  /// from when it was planned to be due, and how late they were at least where the handler was
  /// never called.
  package var warningsDelivered = LatenessHistogram()
  /// From when a step of the plan was to be made to when it was.
  package var steps = LatenessHistogram()
  /// From when a grant ended to the engine's decision.
  package var grantEndsDecided = LatenessHistogram()
  /// How long calls that begin a task take.
  package var beginLatency = LatenessHistogram()
  /// How long calls that end one take.
  package var endLatency = LatenessHistogram()
  /// What the run did.
  package var work = Work()
  /// The segments, in order.
  package var segments: [Segment] = []
  /// The alternative without rounding; nil where that was not tried to the end.
  package var alternativeEarly: EarlyTimers?
  /// How the visits fared beside the plan; nil where that was not looked at.
  package var comparison: OutcomeComparison?
  /// Where what was measured contradicts itself, a sentence each without a full stop: the apps'
  /// books, the device's and the trace.
  package var contradictions: [String] = []
  /// What else a reader should know, a sentence each.
  package var notes: [String] = []

  /// A report in which nothing has been measured yet.
  package init(run: Run) { self.run = run }

  /// Everything that came before its time.
  package var early: Int {
    warningsDecided.early + warningsDelivered.early + grantEndsDecided.early
  }
  /// The part of the warnings that the loop's own tick decided, 0 to 1; nil where there were none.
  ///
  /// Whoever calls the device decides what is due as well. The less of it is the loop's, the less
  /// the figures say of its wake-ups.
  package var loopShare: Double? {
    let decided = warningsDecided.count - warningsDecided.unbounded
    return decided > 0 ? Double(warningsDecidedByLoop.count) / Double(decided) : nil
  }
  /// Events a second of wall time.
  package var eventsPerSecond: Double { perSecond(work.events) }
  /// Expiration handlers called in time a second of wall time.
  package var expirationsPerSecond: Double { perSecond(expirations.delivered) }
  /// Processor time for each handler called in time, everything else that the run did included,
  /// in nanoseconds; nil where there were none.
  package var processorPerExpiration: Double? {
    expirations.delivered > 0
      ? Double(work.userNanoseconds + work.systemNanoseconds) / Double(expirations.delivered) : nil
  }
  /// Processor time of the floor for each of its deadlines, in nanoseconds; nil where it was
  /// not measured.
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
