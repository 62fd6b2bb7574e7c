import CurfewEngine
import CurfewPolicy
import CurfewText
package import CurfewUV

/// The reasons why there is no plan.
package enum LoadPlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The policy lets nothing run in the background.
  case noMultitasking(policy: String)
  /// A visit with its grant does not fit into a segment. It would fit in a run of `length` (nil if
  /// that is more than a day), or at `scale` (nil if no scale is small enough).
  case segmentTooShort(
    segment: Int64, needed: Int64, grant: Int64, length: Int64?, scale: TimeScale?)
  /// The policy forbids actions of the plan, at this number of its steps.
  case unsuitable(policy: String, steps: Int)
  /// An option is out of range.
  case outOfRange(String)

  /// One sentence, without a full stop.
  package var description: String {
    switch self {
    case .noMultitasking(let policy):
      return "the policy '\(policy)' has no multitasking, so nothing expires under it"
    case .segmentTooShort(let segment, let needed, let grant, let length, let scale):
      let longer =
        length.map {
          "for \(DurationText.text(ofNanoseconds: $0)) or longer, in fewer segments, or "
        } ?? ""
      let smaller = "at a smaller time scale" + (scale.map { " such as \($0)" } ?? "")
      return
        "a segment of \(HumanTime.rounded(segment)) has no room for a visit of \(HumanTime.rounded(needed)) with its grant of "
        + "\(HumanTime.rounded(grant)); run \(longer)\(smaller)"
    case .unsuitable(let policy, let steps):
      return
        "the policy '\(policy)' forbids the plan's actions: \(HumanCount.text(steps, "step")) would have no effect"
    case .outOfRange(let message): return message
    }
  }
}

extension LoadPlan {
  /// The maximum number of visits in a plan. A visit takes about half a kilobyte, planned
  /// and measured; its trace takes some kilobytes more.
  static let greatestNumberOfVisits = 2_000_000
  private static let longestRun: Int64 = 86_400_000_000_000
  /// The least wall time from a warning to the end of its grant. Reading a clock takes tens
  /// of nanoseconds; below this limit even the plan makes no sense.
  private static let shortestLead: Int64 = 1_000

  /// Refuses options that cannot be planned, before anything is drawn.
  static func check(_ options: LoadTestOptions) throws(LoadPlanError) {
    let policy = options.policy.policy
    guard policy.multitasking else { throw .noMultitasking(policy: options.policy.name) }
    guard 1...1_000_000 ~= options.apps else {
      throw .outOfRange("\(HumanCount.text(options.apps, "app")); 1 to 1,000,000 are possible")
    }
    guard 1...10_000 ~= options.segments else {
      throw .outOfRange("\(HumanCount.text(options.segments, "segment")); 1 to 10,000 are possible")
    }
    guard 1...10_000_000 ~= options.visitsPerSecond else {
      throw .outOfRange(
        "\(HumanCount.text(options.visitsPerSecond, "visit")) a second; 1 to 10,000,000 are possible"
      )
    }
    guard 1...longestRun ~= options.lengthNanoseconds else {
      throw .outOfRange(
        "a run of \(DurationText.text(ofNanoseconds: options.lengthNanoseconds)); up to a day is possible"
      )
    }
    try checkLeeway(options)
    // Rejects lengths that come near the limit of 64 bits, at any scale.
    guard options.scale.engine(atWall: options.lengthNanoseconds) < .distantFuture else {
      throw .outOfRange(
        "a run of \(DurationText.text(ofNanoseconds: options.lengthNanoseconds)) at \(options.scale) of real time exceeds the range of the engine's clock"
      )
    }
    let lead = options.scale.length(policy.tasks.warning)
    guard lead >= shortestLead else {
      throw .outOfRange(
        "at \(options.scale) of real time a warning comes \(HumanTime.rounded(lead)) before the end of its grant, and \(HumanTime.rounded(shortestLead)) "
          + "is the shortest distinguishable time; use a larger time scale")
    }
    try checkVisits(options)
  }

  /// Refuses leeways for which `Device.init` would trap: warnings could come after the end
  /// of the grant.
  private static func checkLeeway(_ options: LoadTestOptions) throws(LoadPlanError) {
    guard options.leewayNanoseconds >= 0 else {
      throw .outOfRange("a leeway of \(options.leewayNanoseconds) ns; 0 or more is possible")
    }
    let warning = options.policy.policy.tasks.warning
    let leeway = options.scale.engineLength(ofWall: options.leewayNanoseconds)
    guard leeway > .zero, leeway >= warning else { return }
    let (scale, policy) = (options.scale, options.policy.name)
    throw .outOfRange(
      "a leeway of \(DurationText.text(ofNanoseconds: options.leewayNanoseconds)) is too long: '\(policy)' warns "
        + "\(DurationText.text(ofNanoseconds: scale.wall(for: .zero + warning))) before the end of a grant at \(scale) of real time, so every app would "
        + "be killed without a call of its handler; use a shorter leeway")
  }

  /// Limits the number of visits, so that planning finishes and fits into memory.
  private static func checkVisits(_ options: LoadTestOptions) throws(LoadPlanError) {
    let lengths = PlanLengths(options.policy.policy, options.scale)
    let fit = Int(max(1, options.segmentNanoseconds / lengths.longestVisit(.plain)))
    let (most, overflow) = options.apps.multipliedReportingOverflow(by: fit)
    let perSegment = overflow ? wantedVisits(options) : min(most, wantedVisits(options))
    let (visits, isEndless) = perSegment.multipliedReportingOverflow(by: options.segments)
    guard isEndless || visits > greatestNumberOfVisits else { return }
    let share = Double(greatestNumberOfVisits) / (Double(perSegment) * Double(options.segments))
    let length = Int64(Double(options.lengthNanoseconds) * share / 1e9)
    // The rate that would be planned, not the requested rate.
    let rate = Int(Double(greatestNumberOfVisits) / Double(options.lengthNanoseconds) * 1e9)
    throw .outOfRange(
      "a run of \(DurationText.text(ofNanoseconds: options.lengthNanoseconds)) with \(HumanCount.text(options.visitsPerSecond, "visit")) a second is too large: "
        + "\(HumanCount.text(greatestNumberOfVisits)) visits can be planned; run for \(max(1, length))s at most, or with "
        + "\(HumanCount.text(max(1, rate), "visit")) a second")
  }

  /// The number of visits that a segment should have, if they fit.
  static func wantedVisits(_ options: LoadTestOptions) -> Int {
    max(1, Int(Double(options.segmentNanoseconds) / 1e9 * Double(options.visitsPerSecond)))
  }

  /// Refuses segments that are too short for a visit of some app.
  static func checkSegments(_ apps: [LoadApp], _ options: LoadTestOptions) throws(LoadPlanError) {
    let lengths = PlanLengths(options.policy.policy, options.scale)
    let needed = longestVisit(apps, lengths) + margin
    guard needed > options.segmentNanoseconds else { return }
    // Rounded up to a multiple of `unit`.
    let unit: Int64 = needed < 1_000_000_000 ? 1_000_000 : 1_000_000_000
    let (length, overflow) = ((needed + unit - 1) / unit * unit).multipliedReportingOverflow(
      by: Int64(options.segments))
    let scale = LoadTestOptions.usualScale(for: options.policy)
    let fits =
      longestVisit(apps, PlanLengths(options.policy.policy, scale)) + margin
      <= options.segmentNanoseconds
    throw .segmentTooShort(
      segment: options.segmentNanoseconds, needed: needed, grant: lengths.grant,
      length: overflow || length > longestRun ? nil : length,
      scale: fits ? scale : nil)
  }

  private static func longestVisit(_ apps: [LoadApp], _ lengths: PlanLengths) -> Int64 {
    apps.reduce(0) { max($0, lengths.longestVisit($1.role)) }
  }
}
