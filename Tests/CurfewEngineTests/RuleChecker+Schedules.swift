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

  mutating func applyFetchInterval(_ interval: Interval?, _ app: Int) {
    guard interval == nil || standingDenials(.fetch, app).isEmpty else { return }
    standing[app].fetch.interval = interval
    if interval != nil { standing[app].fetch.isKnown = true }
    if interval != nil, !standing[app].fetch.hasFetched { standing[app].fetch.reference = now }
    planFetch(app)
  }

  /// Not before the larger of the policy's and the app's interval, pushed out by bad results, on aligned opportunities after now.
  private mutating func planFetch(_ app: Int) {
    let fetch = standing[app].fetch
    guard let own = fetch.interval, let schedule = policy.wakes[.fetch]?.schedule else { return standing[app].fetch.next = nil }
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
      standing[app].fetch.next = earliest > now ? earliest : now + interval
    } else if earliest > .distantFuture - schedule.alignment {
      standing[app].fetch.next = nil
    } else {
      var next = now.nanoseconds / step * step
      while next <= now.nanoseconds || next < earliest.nanoseconds {
        // In large steps first, so that a life of years is not counted in quarters of an hour.
        let gap = max(0, earliest.nanoseconds - next) / step
        next += max(1, gap) * step
      }
      standing[app].fetch.next = Instant(nanoseconds: next)
    }
  }

  mutating func noteFetch(isAllowed: Bool, _ app: Int) {
    guard let next = standing[app].fetch.next else { return demand(false, "app \(app) wants no fetch") }
    demand(isDue(next), "app \(app)'s fetch was due at \(next.text)")
    demand(!front.contains(app), "app \(app) was to fetch in front")
    if isAllowed { (standing[app].fetch.reference, standing[app].fetch.hasFetched) = (now, true) }
    standing[app].fetch.next = nil
    planFetch(app)
  }

  /// "No data" and "failed" double the interval, up to the policy's factor; "new data" resets it.
  mutating func noteFetchResult(_ result: WakeResult, _ app: Int) {
    guard standing[app].fetch.isKnown else { return }
    let greatest = policy.wakes[.fetch]?.schedule.greatestBackoff ?? 1
    standing[app].fetch.factor = result == .newData ? 1 : min(greatest, standing[app].fetch.factor * 2)
    planFetch(app)
  }

  // MARK: Keep-alive

  func keepAliveDenials(_ interval: Interval, _ app: Int) -> (DenialReasons, next: Instant?) {
    let denied = standingDenials(.voipKeepAlive, app)
    guard let row = policy.wakes[.voipKeepAlive] else { return (denied, nil) }
    let minimum = max(row.schedule.minimumInterval, .nanoseconds(1))
    guard interval < minimum else { return (denied, nil) }
    return (denied.union(.interval), now + minimum)
  }

  mutating func applyKeepAlive(_ interval: Interval?, _ app: Int) {
    guard let interval else { return standing[app].keepAlive = nil }
    guard keepAliveDenials(interval, app).0.isEmpty else { return }
    standing[app].keepAlive = KeepAlive(from: now, interval: interval, next: now + interval)
  }

  mutating func noteKeepAlive(_ app: Int) {
    guard let next = standing[app].keepAlive?.next else { return demand(false, "app \(app) wants no keep-alive") }
    demand(isDue(next), "app \(app)'s keep-alive was due at \(next.text)")
    demand(!front.contains(app), "app \(app) was to keep alive in front")
    passKeepAlive(app)
  }

  private mutating func passKeepAlive(_ app: Int) {
    while let keepAlive = standing[app].keepAlive, keepAlive.next <= now {
      standing[app].keepAlive?.next = keepAlive.next + keepAlive.interval
    }
  }

  /// Whether anything comes again and again by itself.
  var hasOpportunities: Bool { standing.contains { $0.fetch.next != nil || $0.keepAlive != nil || !$0.requests.isEmpty } }

  // MARK: Silence

  /// Rule W3: an opportunity while the app is in front is skipped, and no other is.
  mutating func passOverOpportunities(_ app: Int) {
    let wasInFront = front.contains(app) || standing[app].leftFront == now
    if let next = standing[app].fetch.next, next <= now {
      demand(wasInFront, "app \(app)'s fetch was forgotten")
      standing[app].fetch.next = nil
      planFetch(app)
    }
    if let next = standing[app].keepAlive?.next, next <= now {
      demand(wasInFront, "app \(app)'s keep-alive was forgotten")
      passKeepAlive(app)
    }
  }
}
