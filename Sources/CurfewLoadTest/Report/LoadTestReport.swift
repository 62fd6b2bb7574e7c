/// What a load test has measured.
public struct LoadTestReport: Sendable {
  /// What was run, and on what.
  public struct Run: Hashable, Sendable {
    /// How many apps the device had.
    public var apps: Int
    /// The policy's name.
    public var policy: String
    /// What stands for its values.
    public var policyDigest: String
    /// The time scale as a person writes it.
    public var scale: String
    /// How long was measured, in wall nanoseconds: less than was asked for where the run was interrupted.
    public var lengthNanoseconds: Int64
    /// The seed that gives the same plan again.
    public var seed: UInt64
    /// The machine's processor cores.
    public var cores: Int
    /// Whether somebody ended it early.
    public var isInterrupted = false
  }

  /// Every warning and every end of a grant, counted.
  public struct Expirations: Hashable, Sendable {
    /// Those that the engine decided.
    public var expected = 0
    /// Those that their apps were told of.
    public var delivered = 0
    /// Those that were decided and never delivered.
    public var lost = 0
    /// Those that were delivered again.
    public var twice = 0

    /// None yet.
    public init() {}
  }

  /// What the run did, and what it cost.
  public struct Work: Hashable, Sendable {
    /// Events that entered the engine.
    public var events = 0
    /// How often the loop's thread woke up.
    public var wakeUps = 0
    /// How often its timer was armed.
    public var armings = 0
    /// Processor time in the process.
    public var userNanoseconds: Int64 = 0
    /// Processor time in the kernel for it.
    public var systemNanoseconds: Int64 = 0
    /// The most memory that the process has held, in bytes.
    public var peakMemory: Int64 = 0

    /// None yet.
    public init() {}
  }

  /// What was run.
  public var run: Run
  /// Expirations, counted.
  public var expirations = Expirations()
  /// From when a warning was due to the loop's decision.
  public var warningsDecided = LatenessHistogram()
  /// From when a warning was due to the first line of the app's handler.
  public var warningsDelivered = LatenessHistogram()
  /// From when a grant ended to the loop's decision.
  public var grantEndsDecided = LatenessHistogram()
  /// How long calls that begin a task take.
  public var beginLatency = LatenessHistogram()
  /// How long calls that end one take.
  public var endLatency = LatenessHistogram()
  /// What the run did.
  public var work = Work()
  /// The segments, in order.
  public var segments: [Segment] = []
  /// How the apps fared beside the plan; nil where that was not looked at.
  public var comparison: OutcomeComparison?
  /// What else a reader should know, a sentence each.
  public var notes: [String] = []

  /// A report in which nothing has been measured yet.
  public init(run: Run) { self.run = run }

  /// Everything that came before its time.
  public var early: Int { warningsDecided.early + warningsDelivered.early + grantEndsDecided.early }
  /// Events a second of wall time.
  public var eventsPerSecond: Double { perSecond(work.events) }
  /// Expirations a second of wall time.
  public var expirationsPerSecond: Double { perSecond(expirations.delivered) }

  private func perSecond(_ count: Int) -> Double {
    run.lengthNanoseconds > 0 ? Double(count) * 1e9 / Double(run.lengthNanoseconds) : 0
  }

  /// The thresholds that were crossed, in order.
  public func crossings(of thresholds: [Threshold]) -> [Threshold.Crossing] { thresholds.compactMap { $0.crossing(in: self) } }
}
