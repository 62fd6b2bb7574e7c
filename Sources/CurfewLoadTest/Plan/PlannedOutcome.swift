package import CurfewEngine
import CurfewPolicy
import CurfewUV

/// The outcome of a visit. A planned outcome is that of a run in which everything happens at its
/// planned instant and every callback returns at once. Instants are engine time from the start
/// of the run.
package struct VisitOutcome: Hashable, Sendable {
  /// How a visit ends.
  package enum Ending: UInt8, Hashable, Sendable, CaseIterable {
    /// Its tasks ended before the warning, and the app was suspended.
    case finished
    /// Its tasks ended after the warning, in the handler or later, and the app was suspended.
    case warned
    /// The grant ran out with a task open, and the app was terminated.
    case killed
    /// The process ended for another reason, such as the watchdog, on a host with slow callbacks.
    case died
    /// None of these: no task was begun, or the run ended before.
    case open
  }

  /// The instant at which the expiration handlers were due; nil if they were never due.
  package var warning: Instant?
  /// The number of handlers called.
  package var handlers = 0
  /// The instant at which the app ended its last task.
  package var lastEnd: Instant?
  /// The instant at which the app was suspended after its tasks.
  package var suspension: Instant?
  /// The instant at which the process ended; nil if it did not.
  package var death: Instant?
  /// The reason for that end.
  package var deathReason: TerminationReason?
  /// The number of wakes that the app completed.
  package var wakes = 0
  /// The smallest distance between a step of the visit and a deadline of its app, in wall
  /// nanoseconds; nil if no deadline was near any step.
  package var nearest: Int64?

  /// The ending that these values amount to.
  package var ending: Ending {
    if let deathReason { return deathReason == .backgroundTaskAssertionTimeout ? .killed : .died }
    guard suspension != nil, lastEnd != nil else { return .open }
    return warning == nil ? .finished : .warned
  }

  /// Whether a real outcome matches this one: compares the ending and the numbers of handlers
  /// and wakes, but not the instants.
  func endsLike(_ other: VisitOutcome) -> Bool {
    ending == other.ending && handlers == other.handlers && wakes == other.wakes
  }

  /// Whether a host that is at most `nanoseconds` late must let the visit end the same way.
  package func isClear(of nanoseconds: Int64) -> Bool { nearest.map { $0 > nanoseconds } ?? true }

  mutating func noteDistance(_ nanoseconds: Int64) { nearest = min(nearest ?? .max, nanoseconds) }
}

/// The planned call of a task's expiration handler, in wall nanoseconds from the start of
/// its segment.
package struct PlannedWarning: Hashable, Sendable {
  /// The instant at which it is due.
  package var due: Int64
  /// The end of the grant that it warns of. A handler whose first line is not reached by then
  /// is missed.
  package var end: Int64
}

/// The outcomes of a plan.
package struct PlannedOutcomes: Sendable {
  /// The outcomes, by the visits' index in `LoadPlan.visits`.
  package internal(set) var visits: [VisitOutcome]
  /// The planned warnings, by the tasks' index in `LoadPlan.tasks`; nil if the handler is not
  /// expected to be called. Empty for the outcomes of a real run.
  package internal(set) var warnings: [PlannedWarning?] = []
  /// The number of illegal steps; 0 for a sound plan.
  package internal(set) var illegalSteps = 0

  /// The number of expiration handlers called; a warning calls those of all open tasks.
  package var handlers: Int { visits.reduce(0) { $0 + $1.handlers } }
  /// The number of grants that ran out.
  package var kills: Int { visits.count { $0.ending == .killed } }
}

/// A comparison of a run's visits with the plan in virtual time.
///
/// Compares visits, not apps. Each visit is over before the next visit of the same app begins, so
/// a step close to a deadline affects only its own visit.
package struct OutcomeComparison: Hashable, Sendable {
  /// The distance to a deadline within which both outcomes are right: 5 ms, in nanoseconds.
  package static let usualMargin: Int64 = 5_000_000

  /// The number of visits that had to end the same way.
  package var compared = 0
  /// The apps of the visits that ended differently, in order.
  package var different: [AppID] = []
  /// The number of visits with a step so close to a deadline that both outcomes are right.
  package var leftOut = 0
  /// The number of visits in which the host made a step later than the margin. Includes the next
  /// visit of the same app, because the late visit may extend into it.
  package var late = 0

  /// Creates an empty comparison.
  package init() {}

  /// The number of all visits examined.
  package var visits: Int { compared + leftOut + late }
}

extension LoadPlan {
  /// Whether every visit must end as planned on a host that is late by at most the usual margin.
  /// True if each limit of an app within a visit, from its warning to its end or in a callback,
  /// is longer than the margin at this scale.
  package func isComparable() -> Bool {
    let policy = options.policy.policy
    let warning = Interval(
      nanoseconds: policy.tasks.grant.nanoseconds - policy.tasks.warning.nanoseconds)
    let shortest = min(
      warning, policy.tasks.warning, policy.limits.launch, policy.limits.didEnterBackground)
    return options.scale.length(shortest) > OutcomeComparison.usualMargin
  }

  /// Compares real visits with their planned outcomes, leaving out visits with a step within
  /// the usual margin of a deadline.
  ///
  /// - Parameter late: The indices in `visits` of the visits with a step that the host
  ///   made late.
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

  /// Runs the plan in virtual time, each segment `LoadTestOptions.segmentNanoseconds` after the one
  /// before. All callbacks return at once.
  ///
  /// - Complexity: O(steps).
  package func expectedOutcomes() -> PlannedOutcomes {
    var rehearsal = Rehearsal(self)
    return rehearsal.run()
  }
}
