package import CurfewEngine
import CurfewPolicy
import CurfewUV

/// How a visit goes when everything happens at its planned instant and every callback returns at
/// once. Instants are engine time from the start of the run.
package struct VisitOutcome: Hashable, Sendable {
  /// How a visit ends.
  package enum Ending: UInt8, Hashable, Sendable, CaseIterable {
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
  package var warning: Instant?
  /// How many handlers were called.
  package var handlers = 0
  /// When the last task was ended by the app.
  package var lastEnd: Instant?
  /// When the app was suspended after its tasks.
  package var suspension: Instant?
  /// When the process ended, if it did.
  package var death: Instant?
  /// Why.
  package var deathReason: TerminationReason?
  /// The wakes that the app completed.
  package var wakes = 0
  /// The smallest distance between a step of the visit and a deadline of its app, in wall
  /// nanoseconds; nil where no deadline was near any step.
  package var nearest: Int64?

  /// How it ended.
  package var ending: Ending {
    if let deathReason { return deathReason == .backgroundTaskAssertionTimeout ? .killed : .died }
    guard suspension != nil, lastEnd != nil else { return .open }
    return warning == nil ? .finished : .warned
  }

  /// What of it an embedder has to see again: the ending and the handlers' number,
  /// not the instants.
  func endsLike(_ other: VisitOutcome) -> Bool {
    ending == other.ending && handlers == other.handlers && wakes == other.wakes
  }

  /// Whether a host that is so many nanoseconds late, and no more, must let it end the same way.
  package func isClear(of nanoseconds: Int64) -> Bool { nearest.map { $0 > nanoseconds } ?? true }

  mutating func noteDistance(_ nanoseconds: Int64) { nearest = min(nearest ?? .max, nanoseconds) }
}

/// The call of a task's expiration handler as it is planned, in wall nanoseconds from the start
/// of its segment.
package struct PlannedWarning: Hashable, Sendable {
  /// When it is due.
  package var due: Int64
  /// When the grant ends that it warns of. A handler whose first line is not reached by then has
  /// missed its purpose.
  package var end: Int64
}

/// What a plan leads to.
package struct PlannedOutcomes: Sendable {
  /// By the visits' place in `LoadPlan.visits`.
  package internal(set) var visits: [VisitOutcome]
  /// By the tasks' place in `LoadPlan.tasks`; nil for a task whose handler is not expected to be
  /// called. Empty for what a real run led to.
  package internal(set) var warnings: [PlannedWarning?] = []
  /// Steps that made no sense where they stood; 0 for a sound plan.
  package internal(set) var illegalSteps = 0

  /// Expiration handlers called; a warning calls those of all tasks that are open.
  package var handlers: Int { visits.reduce(0) { $0 + $1.handlers } }
  /// Grants that ran out.
  package var kills: Int { visits.count { $0.ending == .killed } }
}

/// How a run's visits fared beside the plan in virtual time.
///
/// Visits, not apps: whatever happens in one is over before the next of the same app begins, so
/// a step that lies close to a deadline in one says nothing of the others.
package struct OutcomeComparison: Hashable, Sendable {
  /// So close to a deadline either way is right: 5 ms, in nanoseconds.
  package static let usualMargin: Int64 = 5_000_000

  /// How many visits had to end the same way.
  package var compared = 0
  /// Those of them that did not, by their apps, in order.
  package var different: [AppID] = []
  /// How many had a step so close to a deadline that either way is right.
  package var leftOut = 0
  /// How many had a step that was made later than planned by more than that, or were told so much
  /// later that they had left the foreground: their plan was not what was run. The next visit
  /// of the same app counts as well, in which something of this one may go on.
  package var late = 0

  /// None yet.
  package init() {}

  /// All visits that were looked at.
  package var visits: Int { compared + leftOut + late }
}

extension LoadPlan {
  /// Whether a host that is late by the usual margin, and no more, is still sure to make of every
  /// visit what the plan does: whether all that an app has time for inside a visit, between its
  /// warning and its end or in a callback, takes longer at this scale.
  package func isComparable() -> Bool {
    let policy = options.policy.policy
    let warning = Interval(
      nanoseconds: policy.tasks.grant.nanoseconds - policy.tasks.warning.nanoseconds)
    let shortest = min(
      warning, policy.tasks.warning, policy.limits.launch, policy.limits.didEnterBackground)
    return options.scale.length(shortest) > OutcomeComparison.usualMargin
  }

  /// Compares how visits went with how they should have, for those of which no step is within
  /// the usual margin of a deadline.
  ///
  /// - Parameter late: Visits, by their place in `visits`, for which something of the plan was
  ///   later than that.
  package func compare(
    _ real: PlannedOutcomes, with expected: PlannedOutcomes, late: Set<Int> = []
  ) -> OutcomeComparison {
    var comparison = OutcomeComparison()
    for (place, visit) in visits.enumerated() {
      let isAfterLate = place > 0 && visits[place - 1].app == visit.app && late.contains(place - 1)
      if !expected.visits[place].isClear(of: OutcomeComparison.usualMargin) {
        comparison.leftOut += 1
      } else if isAfterLate || late.contains(place) {
        comparison.late += 1
      } else {
        comparison.compared += 1
        if !expected.visits[place].endsLike(real.visits[place]) {
          comparison.different.append(visit.app)
        }
      }
    }
    return comparison
  }

  /// Runs the plan in virtual time: each segment at `LoadTestOptions.segmentNanoseconds` after
  /// the one before, all returns at once.
  ///
  /// - Complexity: O(steps).
  package func expectedOutcomes() -> PlannedOutcomes {
    var rehearsal = Rehearsal(self)
    return rehearsal.run()
  }
}
