/// Moves deadlines within their leeway, so that deadlines of unrelated apps coincide.
enum Leeway {
  /// The units of clock time, longest first; each unit is a multiple of the next.
  private static let units: [Int64] = [
    86_400_000_000_000, 43_200_000_000_000, 21_600_000_000_000, 7_200_000_000_000,
    3_600_000_000_000,
    1_800_000_000_000, 900_000_000_000, 300_000_000_000, 60_000_000_000, 30_000_000_000,
    10_000_000_000, 5_000_000_000, 1_000_000_000,
    500_000_000, 100_000_000, 50_000_000, 10_000_000, 5_000_000, 1_000_000,
    500_000, 100_000, 50_000, 10_000, 5_000, 1_000,
  ]

  /// The roundest instant from `due` to `leeway` later: a multiple of the greatest unit that has
  /// a multiple in this range.
  ///
  /// Linux did this with the slack of its timers (`apply_slack` in kernel/timer.c, 2.6.35 to 4.7).
  /// Timers are not compared: nearby deadlines become equal because each is rounded in the same
  /// way. Linux rounds in binary digits; here the units are those that people and policies write.
  /// With a leeway of 5 s, a linger ends together with the fetches at the full minute, and with
  /// the steps of a scenario at whole seconds. The cost is that some deadlines do not coincide: if
  /// a unit is just too long for the leeway, the next unit may be only a fifth as long. In binary
  /// it is half as long.
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
