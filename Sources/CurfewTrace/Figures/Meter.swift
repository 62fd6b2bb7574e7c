package import CurfewEngine

/// Counts the lives of one device's apps, and the events that say more than its actions do. The
/// hosts of scenarios and of fleets feed it.
package struct Meter {
  private var lives: AppLives
  private var counts: LifeCounts

  /// Before the run of a device whose apps are of these sorts.
  package init(_ figures: Figures, sorts: [Int], policy: Policy, radioTail: Interval) {
    lives = AppLives(appCount: sorts.count, policy: policy)
    counts = LifeCounts(figures, sorts: sorts, memory: policy.memory, radioTail: radioTail)
  }

  /// The figures so far.
  package var figures: Figures { counts.figures }

  /// From now on it remembers which apps are in memory, to tell at the end how few cold launches
  /// there could have been.
  ///
  /// - Parameters:
  ///   - capacity: The device's memory in bytes; nil for the policy's.
  ///   - footprints: The apps', in bytes; nil for the policy's.
  package mutating func lookBack(capacity: Int64?, footprints: [Int64?]) {
    counts.lookBack(capacity: capacity, footprints: footprints)
  }

  /// Counts an action.
  package mutating func note(_ action: Action, at now: Instant) {
    counts.now = now
    lives.read(action, at: now, &counts)
    counts.note(action)
  }

  /// Counts an event that is about to enter the engine.
  package mutating func note(_ event: Event, at now: Instant) {
    counts.now = now
    counts.note(event, lives)
  }

  /// Counts what became of a piece of work of an app.
  package mutating func note(work: Int, of app: AppID, _ change: (inout WorkFigures) -> Void) {
    counts.note(work: work, of: app, change)
  }

  /// The run is over: spans that go on are counted up to here.
  package mutating func finish(at now: Instant, events: Int) {
    counts.now = now
    lives.finish(at: now, &counts)
    counts.finish(events: events)
  }
}
