/// How late a deadline may come, so that those of apps which know nothing of each other meet.
enum Leeway {
  /// Lengths of time that clocks are divided by, each a whole number of the next.
  private static let units: [Int64] = [
    86_400_000_000_000, 43_200_000_000_000, 21_600_000_000_000, 7_200_000_000_000,
    3_600_000_000_000,
    1_800_000_000_000, 900_000_000_000, 300_000_000_000, 60_000_000_000, 30_000_000_000,
    10_000_000_000, 5_000_000_000, 1_000_000_000,
    500_000_000, 100_000_000, 50_000_000, 10_000_000, 5_000_000, 1_000_000,
    500_000, 100_000, 50_000, 10_000, 5_000, 1_000,
  ]

  /// The roundest instant from `due` on to `leeway` later: a whole number of the greatest unit
  /// of which there is one.
  ///
  /// Linux did so with the slack of its timers (`apply_slack` in kernel/timer.c, 2.6.35 to 4.7):
  /// looking at no other timer, deadlines that are near each other become the same, because
  /// both are moved to what is round in the same way. There round is in binary digits. Here it
  /// is in what people and policies write: with a leeway of 5 s what lingers ends with the fetches
  /// of the full minute, and with what a scenario does at a whole second. That costs some meetings:
  /// where a unit is just too long for the leeway, the next is a fifth of it at the least, and half
  /// of it in binary.
  ///
  /// - Complexity: O(1).
  static func roundest(from due: Instant, within leeway: Interval) -> Instant {
    guard leeway > .zero, due < .distantFuture else { return due }
    for unit in units {
      let rest = due.nanoseconds % unit
      let wait = rest == 0 ? 0 : unit - rest
      if wait <= leeway.nanoseconds {
        let (round, isTooLate) = due.nanoseconds.addingReportingOverflow(wait)
        if !isTooLate, round < .max { return Instant(nanoseconds: round) }
      }
    }
    return due
  }
}
