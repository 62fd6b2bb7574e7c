import CurfewEngine

/// Wakes that the system starts by itself (rule W3).
extension RuleChecker {
  struct Fetch {
    /// The interval that the app asked for; nil for never.
    var interval: Interval?
    /// The last fetch by the system, or the app's first request.
    var reference = Instant.zero
    var hasFetched = false
    /// The backoff factor, in millionths.
    var factor: Int64 = 1_000_000
    /// Whether an interval has ever been accepted.
    var isKnown = false
    /// The next opportunity.
    var next: Instant?
  }

  struct KeepAlive {
    let interval: Interval
    /// The instant at which the next one is due.
    var due: Instant
    /// How much later it may come.
    let leeway: Interval
    var next: Instant { RuleChecker.roundest(due, leeway) }
  }

  /// The instant within the leeway that is a whole multiple of the longest clock unit.
  static func roundest(_ due: Instant, _ leeway: Interval) -> Instant {
    let seconds: [Int64] = [
      86_400, 43_200, 21_600, 7_200, 3_600, 1_800, 900, 300, 60, 30, 10, 5, 1,
    ]
    let units =
      seconds.map { $0 * 1_000_000_000 }
      + (3...8).reversed().flatMap { power in
        [5, 1].map { $0 * (0..<power).reduce(1) { product, _ in product * 10 } }
      }
    guard leeway > .zero, due < .distantFuture else { return due }
    let last = (due + leeway).nanoseconds
    return units.lazy.map { last / $0 * $0 }.first { $0 >= due.nanoseconds && $0 < .max }.map {
      first in
      // The first of several such instants.
      let unit = units.first { last / $0 * $0 >= due.nanoseconds }!
      return Instant(nanoseconds: first - (first - due.nanoseconds) / unit * unit)
    } ?? due
  }

  // MARK: Fetch

  mutating func applyFetchInterval(_ interval: Interval?, of kind: AssertionKind, _ app: Int) {
    guard interval == nil || standingDenials(kind, app).isEmpty else { return }
    standing[app].fetches[kind, default: Fetch()].interval = interval
    if interval != nil { standing[app].fetches[kind]?.isKnown = true }
    if interval != nil, standing[app].fetches[kind]?.hasFetched == false {
      standing[app].fetches[kind]?.reference = now
    }
    planFetch(kind, app)
  }

  /// Plans the next fetch: at the first aligned opportunity after now at which the interval has
  /// passed. The interval is the larger of the policy's and the app's, multiplied by the factor. If
  /// a use is predicted, the fetch is planned before that use.
  private mutating func planFetch(_ kind: AssertionKind, _ app: Int) {
    guard let fetch = standing[app].fetches[kind] else { return }
    guard let own = fetch.interval, let schedule = policy.wakes[kind]?.schedule else {
      standing[app].fetches[kind]?.next = nil
      return
    }
    // Without any interval, fetches are one second apart, or time would stand still.
    let wanted = max(schedule.minimumInterval, own)
    let interval = schedule.alignment == .zero && wanted == .zero ? .seconds(1) : wanted
    let (planned, isServedUntil) = plannedStart(of: fetch, interval, schedule, app)
    let earliest =
      fetch.reference + (planned == nil ? RuleChecker.product(interval, fetch.factor) : interval)
    let leeway = schedule.alignment == .zero ? policy.wakes[kind]?.leeway ?? .zero : .zero
    // Keeps an opportunity that is still to come at this instant or within the leeway.
    if let next = fetch.next, next >= now, earliest <= now, next <= max(now, earliest + leeway) {
      return
    }
    let next =
      planned
      ?? opportunity(notBefore: max(earliest, isServedUntil), retryingAfter: interval, schedule)
    standing[app].fetches[kind]?.next = planned ?? next.map { RuleChecker.roundest($0, leeway) }
  }

  /// The first opportunity after now. Without alignment, a missed one is retried after
  /// the interval.
  private func opportunity(
    notBefore earliest: Instant, retryingAfter interval: Interval, _ schedule: WakeSchedule
  ) -> Instant? {
    let step = schedule.alignment.nanoseconds
    if step == 0 { return earliest > now ? earliest : now + interval }
    if earliest > .distantFuture - schedule.alignment { return nil }
    var next = now.nanoseconds / step * step
    while next <= now.nanoseconds || next < earliest.nanoseconds {
      // Takes one large step first, because a run of years has too many quarters of an hour
      // to count.
      let gap = max(0, earliest.nanoseconds - next) / step
      next += max(1, gap) * step
    }
    return Instant(nanoseconds: next)
  }

  /// The start before a predicted use, and the last use that is already served. A use is predicted
  /// a day after each of the last eight. The start serves the first predicted use that the last
  /// fetch did not serve and that has an opportunity before it.
  private func plannedStart(
    of fetch: Fetch, _ interval: Interval, _ schedule: WakeSchedule, _ app: Int
  ) -> (Instant?, Instant) {
    guard let lead = schedule.leadToUse else { return (nil, .zero) }
    var served = Instant.zero
    for opening in standing[app].openings.suffix(8) {
      let use = opening + .seconds(24 * 3600)
      let wanted = (use - lead).nanoseconds
      if fetch.hasFetched,
        fetch.reference.nanoseconds >= wanted - wanted % max(1, schedule.alignment.nanoseconds)
      {
        served = use
        continue
      }
      guard
        var start = opportunity(
          notBefore: fetch.reference + interval, retryingAfter: interval, schedule)
      else { continue }
      if schedule.alignment > .zero {
        // Moves the start to the last opportunity that is early enough.
        let more = max(0, (use - lead - start).nanoseconds) / schedule.alignment.nanoseconds
        start.nanoseconds += more * schedule.alignment.nanoseconds
      } else if use - lead > now {
        start = max(use - lead, fetch.reference + interval)
      }
      if start < use { return (start, served) }
    }
    return (nil, served)
  }

  /// Rounded up to a nanosecond.
  private static func product(_ interval: Interval, _ millionths: Int64) -> Interval {
    let (millions, rest) = interval.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let (product, isMore) = millions.multipliedReportingOverflow(by: millionths)
    let (sum, isTooMuch) = product.addingReportingOverflow(
      (rest * millionths + 999_999) / 1_000_000)
    return .nanoseconds(isMore || isTooMuch ? .max : sum)
  }

  /// An app has come to the front.
  mutating func noteUse(_ app: Int) {
    standing[app].openings.append(now)
    for kind in standing[app].fetches.keys {
      guard let schedule = policy.wakes[kind]?.schedule,
        schedule.backoffReset != .newData || schedule.leadToUse != nil
      else { continue }
      if schedule.backoffReset != .newData { standing[app].fetches[kind]?.factor = 1_000_000 }
      planFetch(kind, app)
    }
  }

  private mutating func pushOut(_ kind: AssertionKind, _ app: Int) {
    guard let schedule = policy.wakes[kind]?.schedule,
      let factor = standing[app].fetches[kind]?.factor
    else { return }
    let product = factor * Int64(schedule.backoffFactor.millionths) / 1_000_000
    standing[app].fetches[kind]?.factor = min(product, Int64(schedule.greatestBackoff) * 1_000_000)
  }

  mutating func noteFetch(isAllowed: Bool, of kind: AssertionKind, _ app: Int) {
    guard let next = standing[app].fetches[kind]?.next else {
      return demand(false, "app \(app) has requested no fetch")
    }
    demand(isDue(next), "app \(app)'s fetch was due at \(next.text)")
    demand(!front.contains(app), "app \(app) got a fetch in front")
    if isAllowed {
      standing[app].fetches[kind]?.reference = now
      standing[app].fetches[kind]?.hasFetched = true
      if policy.wakes[kind]?.schedule.backoffGrowth == .runs { pushOut(kind, app) }
    }
    standing[app].fetches[kind]?.next = nil
    planFetch(kind, app)
  }

  /// "No data" and "failed" multiply the interval, up to the policy's greatest; "new data" resets
  /// it. Policies that go by runs or by use do neither.
  mutating func noteFetchResult(_ result: WakeResult, of kind: AssertionKind, _ app: Int) {
    guard standing[app].fetches[kind]?.isKnown == true else { return }
    if result != .newData {
      if policy.wakes[kind]?.schedule.backoffGrowth == .results { pushOut(kind, app) }
    } else if policy.wakes[kind]?.schedule.backoffReset != .use {
      standing[app].fetches[kind]?.factor = 1_000_000
    }
    planFetch(kind, app)
  }

  // MARK: Keep-alive

  func keepAliveDenials(_ interval: Interval, of kind: AssertionKind, _ app: Int) -> (
    DenialReasons, next: Instant?
  ) {
    let denied = standingDenials(kind, app)
    guard let row = policy.wakes[kind] else { return (denied, nil) }
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(1))
    guard interval < minimum else { return (denied, nil) }
    return (denied.union(.interval), now + minimum)
  }

  mutating func applyKeepAlive(_ interval: Interval?, of kind: AssertionKind, _ app: Int) {
    guard let interval else { return standing[app].keepAlives[kind] = nil }
    guard let row = policy.wakes[kind], keepAliveDenials(interval, of: kind, app).0.isEmpty else {
      return
    }
    standing[app].keepAlives[kind] = KeepAlive(
      interval: interval, due: now + interval,
      leeway: row.schedule.alignment == .zero ? row.leeway : .zero)
  }

  mutating func noteKeepAlive(_ kind: AssertionKind, _ app: Int) {
    guard let next = standing[app].keepAlives[kind]?.next else {
      return demand(false, "app \(app) has requested no keep-alive")
    }
    demand(isDue(next), "app \(app)'s keep-alive was due at \(next.text)")
    demand(!front.contains(app), "app \(app) got a keep-alive in front")
    passKeepAlive(kind, app)
  }

  private mutating func passKeepAlive(_ kind: AssertionKind, _ app: Int) {
    while let keepAlive = standing[app].keepAlives[kind], keepAlive.due <= now {
      standing[app].keepAlives[kind]?.due = keepAlive.due + keepAlive.interval
    }
  }

  /// Whether any opportunity repeats by itself.
  var hasOpportunities: Bool {
    standing.contains {
      $0.fetches.values.contains { $0.next != nil } || !$0.keepAlives.isEmpty
        || !$0.requests.isEmpty
    }
      || apps.contains {
        $0.sessions.contains { policy.sessions[$0.kind].map { $0.deferral > .zero } ?? false }
      }
  }

  // MARK: Silence

  /// Rule W3: only opportunities while the app is in front are skipped.
  mutating func passOverOpportunities(_ app: Int) {
    let wasInFront = front.contains(app) || standing[app].leftFront == now
    for (kind, fetch) in standing[app].fetches {
      guard let next = fetch.next, next <= now else { continue }
      demand(wasInFront, "app \(app)'s fetch was forgotten")
      standing[app].fetches[kind]?.next = nil
      planFetch(kind, app)
    }
    for (kind, keepAlive) in standing[app].keepAlives where keepAlive.next <= now {
      demand(wasInFront, "app \(app)'s keep-alive was forgotten")
      passKeepAlive(kind, app)
    }
  }
}
