public import CurfewEngine

// Operators are looked for in modules, not in types, and of the engine's module only types come along with this one. These are its own sums again; where both are there, the
// engine's are taken.

extension Instant {
  /// `start` moved by `interval`; saturates.
  @_disfavoredOverload public static func + (start: Instant, interval: Interval) -> Instant { start.moved(by: interval) }
  /// `end` moved back by `interval`; saturates.
  @_disfavoredOverload public static func - (end: Instant, interval: Interval) -> Instant { end.moved(backBy: interval) }
  /// The time from `start` to `end`; saturates.
  @_disfavoredOverload public static func - (end: Instant, start: Instant) -> Interval { end.interval(since: start) }
}
