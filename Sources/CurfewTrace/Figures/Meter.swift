package import CurfewEngine

/// Counts the figures of one device: from the engine's actions, and from events that contain more
/// than the actions do. The hosts of scenarios and of fleets feed it.
package struct Meter {
  private var lives: AppLives
  private var counts: LifeCounts

  /// Creates a meter for the run of a device whose apps are of these sorts.
  package init(_ figures: Figures, sorts: [Int], policy: Policy, radioTail: Interval) {
    lives = AppLives(appCount: sorts.count, policy: policy)
    counts = LifeCounts(figures, sorts: sorts, memory: policy.memory, radioTail: radioTail)
  }

  /// The figures of a run that has ended.
  package var figures: Figures { counts.figures }

  /// Starts to remember which apps are in memory, to compute the fewest possible cold launches at
  /// the end.
  ///
  /// - Parameters:
  ///   - capacity: The device's memory in bytes; nil for the policy's capacity.
  ///   - footprints: The footprints of the apps in bytes; nil for the policy's footprint.
  package mutating func lookBack(capacity: Int64?, footprints: [Int64?]) {
    counts.lookBack(capacity: capacity, footprints: footprints)
  }

  /// Counts an action.
  package mutating func note(_ action: Action, at now: Instant) {
    counts.now = now
    lives.read(action, at: now, &counts)
    counts.note(action)
  }

  /// Counts a change of state, the most frequent action, without a look at its kind.
  package mutating func noteState(
    of app: AppID, from: AppState, to: AppState, at now: Instant
  ) {
    counts.now = now
    lives.move(app, from, to, at: now, &counts)
  }

  /// Counts the delivery of a callback, the next most frequent action.
  package mutating func note(_ callback: Callback, of app: AppID, at now: Instant) {
    counts.now = now
    lives.call(app, callback, &counts)
  }

  /// Counts an event that is about to enter the engine.
  package mutating func note(_ event: Event, at now: Instant) {
    counts.now = now
    counts.note(event, lives)
  }

  /// Counts a change in a piece of an app's work.
  package mutating func note(work: Int, of app: AppID, _ change: (inout WorkFigures) -> Void) {
    counts.note(work: work, of: app, change)
  }

  /// Ends the run: open spans are counted up to now.
  package mutating func finish(at now: Instant, events: Int) {
    counts.now = now
    lives.finish(at: now, &counts)
    counts.finish(events: events)
  }
}
