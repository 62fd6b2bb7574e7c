import CurfewEngine

extension LifeCounts {
  /// The values of an app that its life does not contain.
  struct AppReading {
    var sort: Int
    /// The instant of the app's last new content; nil for never.
    var fresh: Instant?
    /// The share of a processor core that the app uses, in percent, with its beginning and end.
    var share: Int64 = 0
    var shareSince = Instant.zero
    var shareEnd = Instant.zero
  }

  /// The time of a radio that is on while a wake runs, and for a tail after the last wake.
  struct RadioTime {
    private let tail: Interval
    private var users = 0
    private var since = Instant.zero
    private var end = Instant.zero
    private var total: Int64 = 0

    init(tail: Interval) { self.tail = tail }

    mutating func begin(at now: Instant) {
      if users == 0 {
        add(from: since, to: min(now, end))
        since = now
      }
      users += 1
    }

    mutating func end(at now: Instant) {
      users -= 1
      guard users == 0 else { return }
      add(from: since, to: now)
      (since, end) = (now, now + tail)
    }

    /// The time for which the radio was on until the run's end, when all wakes have ended.
    func total(at now: Instant) -> Int64 { total + max(0, (min(now, end) - since).nanoseconds) }

    private mutating func add(from start: Instant, to end: Instant) {
      total += max(0, (end - start).nanoseconds)
    }
  }
}

extension DenialReasons {
  /// The reasons without the list of used-up budgets, which no figure distinguishes.
  var withoutFullBudgets: DenialReasons {
    DenialReasons(rawValue: rawValue, blocked: blocked, missing: missing)
  }
}

extension MemoryRules {
  /// The use of memory in bytes above which apps are purged.
  func purgeLevel(of capacity: Int64?) -> Double {
    Double(capacity ?? self.capacity) * Double(purgeAbove) / 100
  }
}
