import CurfewEngine

/// The activity of a day, hour by hour, and the times of random events that follow it.
struct Rhythm: Sendable {
  /// The expected number of events in each hour, at a rate of one per day.
  private let hours: [Double]
  private static let hour = 3_600_000_000_000.0

  /// A rhythm of these weights; all hours are equal if there are none.
  init(_ weights: [Double]) {
    let sum = weights.reduce(0, +)
    hours = sum > 0 ? weights.map { $0 / sum } : Array(repeating: 1.0 / 24, count: 24)
  }

  /// The next event of a Poisson process with `perDay` events a day, distributed by the rhythm;
  /// `distantFuture` if there is none.
  ///
  /// Exactly one number is drawn, at any rate: the sum of the hourly rates up to the event, which
  /// is exponentially distributed.
  /// - Complexity: O(hours of a day), independent of the number of days that pass.
  func next(after now: Instant, perDay: Double, _ stream: inout RandomStream) -> Instant {
    let wait = Rhythm.exponential(&stream)
    guard perDay > 0 else { return .distantFuture }
    var left = wait / perDay
    guard left < 100_000 else { return .distantFuture }
    let days = left.rounded(.down)
    left -= days
    var at = Double(now.nanoseconds) + days * 24 * Rhythm.hour
    guard at < 0x1p62 else { return .distantFuture }
    // The search covers two days, because the event may fall into the hour of the day in which
    // the search began.
    for _ in 0...48 {
      let hour = Int((at / Rhythm.hour).rounded(.down))
      let rate = hours[hour % 24]
      let end = Double(hour + 1) * Rhythm.hour
      let capacity = rate * (end - at) / Rhythm.hour
      if capacity >= left, rate > 0 {
        return Rhythm.instant(at + left / rate * Rhythm.hour, notBefore: now)
      }
      left -= capacity
      at = end
    }
    return Rhythm.instant(at, notBefore: now)
  }

  private static func instant(_ nanoseconds: Double, notBefore now: Instant) -> Instant {
    nanoseconds < 0x1p62 ? max(now, Instant(nanoseconds: Int64(nanoseconds))) : .distantFuture
  }

  private static func exponential(_ stream: inout RandomStream) -> Double {
    Distribution(.exponential(mean: 1)).draw(&stream)
  }
}
