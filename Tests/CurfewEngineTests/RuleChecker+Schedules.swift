import CurfewEngine

/// Wakes that the system starts by itself (rule W3).
extension RuleChecker {
  struct Fetch {
    /// What the app has asked for; nil for never.
    var interval: Interval?
    /// The last fetch of the system's own, or the first asking.
    var reference = Instant.zero
    var hasFetched = false
    var factor: UInt32 = 1
    /// Whether an interval has ever been accepted.
    var isKnown = false
    /// The next opportunity.
    var next: Instant?
  }

  struct KeepAlive {
    let from: Instant
    let interval: Interval
    var next: Instant
  }

  // MARK: Fetch

  mutating func applyFetchInterval(_ interval: Interval?, of kind: AssertionKind, _ app: Int) {
    guard interval == nil || standingDenials(kind, app).isEmpty else { return }
    standing[app].fetches[kind, default: Fetch()].interval = interval
    if interval != nil { standing[app].fetches[kind]?.isKnown = true }
    if interval != nil, standing[app].fetches[kind]?.hasFetched == false { standing[app].fetches[kind]?.reference = now }
    planFetch(kind, app)
  }

  /// Not before the larger of the policy's and the app's interval, pushed out by bad results, on aligned opportunities after now.
  private mutating func planFetch(_ kind: AssertionKind, _ app: Int) {
    guard let fetch = standing[app].fetches[kind] else { return }
    guard let own = fetch.interval, let schedule = policy.wakes[kind]?.schedule else {
      standing[app].fetches[kind]?.next = nil
      return
    }
    let step = schedule.alignment.nanoseconds
    // Where nobody says anything they are a second apart, lest time stand still.
    let wanted = max(schedule.minimumInterval, own)
    let interval = step == 0 && wanted == .zero ? .seconds(1) : wanted
    let (pushed, overflow) = interval.nanoseconds.multipliedReportingOverflow(by: Int64(fetch.factor))
    let earliest = fetch.reference + .nanoseconds(overflow ? .max : pushed)
    // An opportunity of this very instant that has not come yet is not lost.
    if fetch.next == now, earliest <= now { return }
    if step == 0 {
      // What was passed over is tried again after the interval.
      standing[app].fetches[kind]?.next = earliest > now ? earliest : now + interval
    } else if earliest > .distantFuture - schedule.alignment {
      standing[app].fetches[kind]?.next = nil
    } else {
      var next = now.nanoseconds / step * step
      while next <= now.nanoseconds || next < earliest.nanoseconds {
        // In large steps first, so that a life of years is not counted in quarters of an hour.
        let gap = max(0, earliest.nanoseconds - next) / step
        next += max(1, gap) * step
      }
      standing[app].fetches[kind]?.next = Instant(nanoseconds: next)
    }
  }

  mutating func noteFetch(isAllowed: Bool, of kind: AssertionKind, _ app: Int) {
    guard let next = standing[app].fetches[kind]?.next else { return demand(false, "app \(app) wants no fetch") }
    demand(isDue(next), "app \(app)'s fetch was due at \(next.text)")
    demand(!front.contains(app), "app \(app) was to fetch in front")
    if isAllowed {
      standing[app].fetches[kind]?.reference = now
      standing[app].fetches[kind]?.hasFetched = true
    }
    standing[app].fetches[kind]?.next = nil
    planFetch(kind, app)
  }

  /// "No data" and "failed" double the interval, up to the policy's factor; "new data" resets it.
  mutating func noteFetchResult(_ result: WakeResult, of kind: AssertionKind, _ app: Int) {
    guard let fetch = standing[app].fetches[kind], fetch.isKnown else { return }
    let greatest = policy.wakes[kind]?.schedule.greatestBackoff ?? 1
    standing[app].fetches[kind]?.factor = result == .newData ? 1 : min(greatest, fetch.factor * 2)
    planFetch(kind, app)
  }

  // MARK: Keep-alive

  func keepAliveDenials(_ interval: Interval, of kind: AssertionKind, _ app: Int) -> (DenialReasons, next: Instant?) {
    let denied = standingDenials(kind, app)
    guard let row = policy.wakes[kind] else { return (denied, nil) }
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(1))
    guard interval < minimum else { return (denied, nil) }
    return (denied.union(.interval), now + minimum)
  }

  mutating func applyKeepAlive(_ interval: Interval?, of kind: AssertionKind, _ app: Int) {
    guard let interval else { return standing[app].keepAlives[kind] = nil }
    guard keepAliveDenials(interval, of: kind, app).0.isEmpty else { return }
    standing[app].keepAlives[kind] = KeepAlive(from: now, interval: interval, next: now + interval)
  }

  mutating func noteKeepAlive(_ kind: AssertionKind, _ app: Int) {
    guard let next = standing[app].keepAlives[kind]?.next else { return demand(false, "app \(app) wants no keep-alive") }
    demand(isDue(next), "app \(app)'s keep-alive was due at \(next.text)")
    demand(!front.contains(app), "app \(app) was to keep alive in front")
    passKeepAlive(kind, app)
  }

  private mutating func passKeepAlive(_ kind: AssertionKind, _ app: Int) {
    while let keepAlive = standing[app].keepAlives[kind], keepAlive.next <= now {
      standing[app].keepAlives[kind]?.next = keepAlive.next + keepAlive.interval
    }
  }

  /// Whether anything comes again and again by itself.
  var hasOpportunities: Bool {
    standing.contains { $0.fetches.values.contains { $0.next != nil } || !$0.keepAlives.isEmpty || !$0.requests.isEmpty }
  }

  // MARK: Silence

  /// Rule W3: an opportunity while the app is in front is skipped, and no other is.
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
