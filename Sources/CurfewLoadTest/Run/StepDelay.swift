/// A step of the plan as it was made, in wall nanoseconds since the device's start, and the time
/// for which the host held up its call.
struct TimedStep {
  /// The planned instant.
  var wanted: Int64
  /// The instants at which the call began and returned.
  var began: Int64
  var ended: Int64
  /// The part of the call in which the process stood still.
  var standstill: Int64 = 0
  /// The part of the call in which another process had the thread's core.
  var preempted: Int64 = 0
}

/// The cause of the delays of the thread that makes the plan's steps.
///
/// A delay is the host's if the thread woke up late or lost its core to another process, or if the
/// process stood still. A delay is the product's if a call into the device took the time itself.
/// Only the host's delays excuse a visit from the comparison with the plan. Both are amounts: the
/// steps are timed a second time on a host that is never late and on which each call takes the
/// product's part of its time. The distance between the two is the host's share. It shrinks when
/// the thread catches up, and a long call does not lengthen it.
struct StepDelay {
  /// The delay above which a step is late.
  private let margin: Int64
  /// The instant at which the last step would have ended on a host that is never late.
  private var punctualEnd = Int64.min

  init(margin: Int64) { self.margin = margin }

  /// Notes a step, and returns whether it is late because of the host: the host's share is longer
  /// than the margin, and without it the step would have been in time.
  mutating func isLate(_ step: TimedStep) -> Bool {
    let heldUp = max(step.standstill, step.preempted)
    punctualEnd = max(step.wanted, punctualEnd) + max(0, step.ended - step.began - heldUp)
    return step.ended - punctualEnd > margin && punctualEnd - step.wanted <= margin
  }
}

/// The host's delays since the thread that makes the steps last had nothing to do, by cause.
/// A second account of what `StepDelay` excuses: it adds up delays and knows no punctual host. Both
/// use the same readings of the clocks.
struct HostDelays {
  /// The time for which the thread was late to wake up, or was late between two calls.
  private(set) var wakes: Int64 = 0
  /// The time in calls for which the process stood still.
  private(set) var standstills: Int64 = 0
  /// The time in calls for which another process had the thread's core.
  private(set) var switches: Int64 = 0
  /// The end of the last step.
  private var last = Int64.min

  /// Notes a step.
  mutating func note(_ step: TimedStep) {
    if last <= step.wanted { (wakes, standstills, switches) = (0, 0, 0) }
    wakes += step.began - max(step.wanted, last)
    standstills += step.standstill
    switches += step.preempted
    last = step.ended
  }

  /// Whether these delays can have made the step noted last more than `margin` late.
  func explain(_ step: TimedStep, margin: Int64) -> Bool {
    step.ended - step.wanted > margin && wakes + standstills + switches > margin
  }
}
