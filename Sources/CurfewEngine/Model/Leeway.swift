/// Moves deadlines within their leeway, so that deadlines of unrelated apps coincide.
enum Leeway {
  /// The units that clocks are divided by, longest first; each unit is a multiple of the next.
  private static let units: [Int64] = [
    86_400_000_000_000, 43_200_000_000_000, 21_600_000_000_000, 7_200_000_000_000,
    3_600_000_000_000,
    1_800_000_000_000, 900_000_000_000, 300_000_000_000, 60_000_000_000, 30_000_000_000,
    10_000_000_000, 5_000_000_000, 1_000_000_000,
    500_000_000, 100_000_000, 50_000_000, 10_000_000, 5_000_000, 1_000_000,
    500_000, 100_000, 50_000, 10_000, 5_000, 1_000,
  ]

  /// The roundest instant from `due` to `leeway` later: a multiple of the greatest unit that has
  /// one there.
  ///
  /// Linux did this with the slack of its timers (`apply_slack` in kernel/timer.c, 2.6.35 to 4.7).
  /// It compares no timers: nearby deadlines become equal because each is rounded in the same way.
  /// Linux rounds in binary digits; here the units are those that people and policies write.
  /// With a leeway of 5 s, a linger ends together with the fetches of the full minute, and with
  /// the steps of a scenario at whole seconds. The cost is that some deadlines do not coincide: if
  /// a unit is just too long for the leeway, the next one may be as short as a fifth of it. In
  /// binary it is half of it.
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
