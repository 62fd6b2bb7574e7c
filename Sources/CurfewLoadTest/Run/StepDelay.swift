/// The cause of the delays of the thread that makes the plan's steps.
///
/// A delay is the host's if the thread woke up late or lost its core to another thread, or if
/// the process stood still. A delay is the product's if a call into the device did not return in
/// time. A later step is late for the same cause until the thread has caught up and waits again.
/// Only the host's delays excuse a visit from the comparison with the plan.
struct StepDelay {
  /// The delay above which a step is late.
  private let margin: Int64
  /// Whether the thread is working off a delay of the host's.
  private var isBehind = false

  init(margin: Int64) { self.margin = margin }

  /// Notes a step, and returns whether it is late because of the host.
  ///
  /// - Parameters:
  ///   - wanted: The planned instant.
  ///   - began: The instant at which the call began.
  ///   - ended: The instant at which the call returned.
  ///   - hasWaited: Whether the thread waited for the planned instant, which means that it had
  ///     caught up.
  ///   - wasPreempted: Whether the thread lost its core since the step before, and did not spend
  ///     the time itself.
  ///   - standstill: The time for which the process stood still between two instants.
  mutating func isLate(
    wanted: Int64, began: Int64, ended: Int64, hasWaited: Bool,
    wasPreempted: @autoclosure () -> Bool,
    standstill: (_ from: Int64, _ to: Int64) -> Int64
  ) -> Bool {
    if hasWaited { isBehind = false }
    guard ended - wanted > margin else { return false }
    if hasWaited, began - wanted > margin { isBehind = true }
    if ended - began > margin, wasPreempted() { isBehind = true }
    if !isBehind { isBehind = standstill(wanted, ended) > margin }
    return isBehind
  }
}
