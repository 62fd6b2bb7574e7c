extension WakeSchedule {
  /// The interval of fetches if the app asks for `own`: at least the policy's minimum. If neither
  /// sets an interval and there is no alignment, one second.
  func interval(askedFor own: Interval) -> Interval {
    let interval = max(minimumInterval, own)
    return interval > .zero || alignment > .zero ? interval : WakeSchedule.intervalOfNone
  }

  /// The first opportunity that is not before `earliest` and is after `now`; nil if none is left.
  func opportunity(
    notBefore earliest: Instant, after now: Instant, retryingAfter interval: Interval
  ) -> Instant? {
    let step = alignment.nanoseconds
    guard step > 0 else {
      let next = earliest > now ? earliest : now + interval
      return next > now && next < .distantFuture ? next : nil
    }
    return multiple(notBefore: max(earliest, now + .nanoseconds(1)))
  }

  /// The last opportunity at least `lead` before `use`.
  func opportunity(before use: Instant, by lead: Interval) -> Instant {
    var last = max(use - lead, .zero)
    if alignment > .zero { last.nanoseconds -= last.nanoseconds % alignment.nanoseconds }
    return last
  }

  /// The first opportunity for a request not before `earliest`. With an alignment it is after
  /// `now`, as for fetches; otherwise it is not before `now`. Nil if none is left.
  func opportunityForRequest(notBefore earliest: Instant, from now: Instant) -> Instant? {
    if alignment > .zero { return multiple(notBefore: max(earliest, now + .nanoseconds(1))) }
    let next = max(earliest, now)
    return next < .distantFuture ? next : nil
  }

  private func multiple(notBefore earliest: Instant) -> Instant? {
    let (step, from) = (alignment.nanoseconds, earliest.nanoseconds)
    let (aligned, overflow) = (from / step).addingReportingOverflow(from % step == 0 ? 0 : 1)
    let (next, tooLate) = aligned.multipliedReportingOverflow(by: step)
    return overflow || tooLate || next == .max ? nil : Instant(nanoseconds: next)
  }
}
