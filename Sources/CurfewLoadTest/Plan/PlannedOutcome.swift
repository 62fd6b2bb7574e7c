public import CurfewEngine
import CurfewFiles
import CurfewUV

/// How a visit goes when everything happens at its planned instant and every callback returns at once. Instants are engine time from the
/// start of the run.
public struct VisitOutcome: Hashable, Sendable {
  /// How a visit ends.
  public enum Ending: UInt8, Hashable, Sendable, CaseIterable {
    /// Its tasks ended before the warning, and the app was suspended.
    case finished
    /// Its tasks ended after the warning, in the handler or later, and the app was suspended.
    case warned
    /// The grant ran out with a task open, and the app was killed.
    case killed
    /// The process ended for another reason: a watchdog's, on a host whose callbacks take long.
    case died
    /// None of these: no task was begun, or the run was over before.
    case open
  }

  /// When the expiration handlers were due, if they were.
  public var warning: Instant?
  /// How many handlers were called.
  public var handlers = 0
  /// When the last task was ended by the app.
  public var lastEnd: Instant?
  /// When the app was suspended after its tasks.
  public var suspension: Instant?
  /// When the process ended, if it did.
  public var death: Instant?
  /// Why.
  public var deathReason: TerminationReason?
  /// The wakes that the app completed.
  public var wakes = 0
  /// The smallest distance between a step of the visit and a deadline of its app, in wall nanoseconds; nil where no deadline was near any step.
  public var nearest: Int64?

  /// How it ended.
  public var ending: Ending {
    if let deathReason { return deathReason == .backgroundTaskAssertionTimeout ? .killed : .died }
    guard suspension != nil, lastEnd != nil else { return .open }
    return warning == nil ? .finished : .warned
  }

  /// What of it an embedder has to see again: the ending and the handlers' number, not the instants.
  public func endsLike(_ other: VisitOutcome) -> Bool { ending == other.ending && handlers == other.handlers && wakes == other.wakes }

  mutating func noteDistance(_ nanoseconds: Int64) { nearest = min(nearest ?? .max, nanoseconds) }
}

/// How one app goes through a plan: its visits in order.
public struct AppOutcome: Hashable, Sendable {
  /// As in `LoadPlan.visits(of:)`.
  public var visits: [VisitOutcome]

  /// The smallest distance between a step and a deadline in any visit, in wall nanoseconds.
  public var nearest: Int64? { visits.compactMap(\.nearest).min() }

  /// Whether a host that is so many nanoseconds late, and no more, must let the app end the same way.
  public func isClear(of nanoseconds: Int64) -> Bool { nearest.map { $0 > nanoseconds } ?? true }
}

/// What a plan leads to.
public struct PlannedOutcomes: Sendable {
  /// By the visits' place in `LoadPlan.visits`.
  public internal(set) var visits: [VisitOutcome]
  /// Steps that made no sense where they stood; 0 for a sound plan.
  public internal(set) var illegalSteps = 0

  /// Expiration handlers called; a warning calls those of all tasks that are open.
  public var handlers: Int { visits.reduce(0) { $0 + $1.handlers } }
  /// Grants that ran out.
  public var kills: Int { visits.count { $0.ending == .killed } }
}

/// How a run's apps fared beside the plan in virtual time.
public struct OutcomeComparison: Hashable, Sendable {
  /// So close to a deadline either way is right: 5 ms, in nanoseconds.
  public static let usualMargin: Int64 = 5_000_000

  /// How many apps had to end the same way.
  public var compared = 0
  /// Those of them that did not, in order.
  public var different: [AppID] = []
  /// Those with a step so close to a deadline that either way is right.
  public var leftOut: [AppID] = []
  /// Those with a step that was made later than planned by more than that, or that were told so much later that they had left the foreground:
  /// their plan was not what was run.
  public var late: [AppID] = []

  /// None yet.
  public init() {}
}

extension LoadPlan {
  /// Whether a host that is so many wall nanoseconds late, and no more, is still sure to make of every app what the plan does: whether all that an app
  /// has time for inside a visit, between its warning and its end or in a callback, takes longer at this scale.
  public func isComparable(within nanoseconds: Int64 = OutcomeComparison.usualMargin) -> Bool {
    let policy = options.policy.policy
    let warning = Interval(nanoseconds: policy.tasks.grant.nanoseconds - policy.tasks.warning.nanoseconds)
    let shortest = min(warning, policy.tasks.warning, policy.limits.launch, policy.limits.didEnterBackground)
    return options.scale.length(shortest) > nanoseconds
  }

  /// Compares how visits went with how they should have, for the apps of which no step is within `margin` wall
  /// nanoseconds of a deadline. Apps without a visit count for nothing.
  ///
  /// - Parameter late: Apps for which something of the plan was later than `margin`.
  public func compare(
    _ real: PlannedOutcomes, with expected: PlannedOutcomes, margin: Int64 = OutcomeComparison.usualMargin, late: Set<AppID> = []
  ) -> OutcomeComparison {
    var comparison = OutcomeComparison()
    for index in apps.indices where firstVisits[index] < firstVisits[index + 1] {
      let app = AppID(rawValue: UInt32(index))
      let plan = outcome(of: app, in: expected)
      guard plan.isClear(of: margin) else {
        comparison.leftOut.append(app)
        continue
      }
      guard !late.contains(app) else {
        comparison.late.append(app)
        continue
      }
      comparison.compared += 1
      if !zip(plan.visits, outcome(of: app, in: real).visits).allSatisfy({ $0.endsLike($1) }) { comparison.different.append(app) }
    }
    return comparison
  }

  /// Runs the plan in virtual time: each segment at `LoadTestOptions.segmentNanoseconds` after the one before, all returns at once.
  ///
  /// - Complexity: O(steps).
  public func expectedOutcomes() -> PlannedOutcomes {
    var rehearsal = Rehearsal(self)
    return rehearsal.run()
  }

  /// What `outcomes`, the plan's own or a real run's, say about an app.
  public func outcome(of app: AppID, in outcomes: PlannedOutcomes) -> AppOutcome {
    AppOutcome(visits: Array(outcomes.visits[firstVisits[Int(app.rawValue)]..<firstVisits[Int(app.rawValue) + 1]]))
  }
}
