import CurfewEngine

extension LifeCounts {
  /// An app, as far as its life does not say it.
  struct AppReading {
    var sort: Int
    /// The instant at which its content was last new; nil for never.
    var fresh: Instant?
    /// The share of a processor core that it uses, in percent, from when until when.
    var share: Int64 = 0
    var shareSince = Instant.zero
    var shareEnd = Instant.zero
  }

  /// A radio that is on while a wake runs, and for a tail after the last.
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

    /// The time that it was on, up to the run's end; its wakes have ended.
    func total(at now: Instant) -> Int64 { total + max(0, (min(now, end) - since).nanoseconds) }

    private mutating func add(from start: Instant, to end: Instant) {
      total += max(0, (end - start).nanoseconds)
    }
  }
}

extension DenialReasons {
  /// Without which of several budgets deny, which no figure tells apart.
  var withoutFullBudgets: DenialReasons {
    DenialReasons(rawValue: rawValue, blocked: blocked, missing: missing)
  }
}

extension MemoryRules {
  /// In use above this, in bytes, somebody is purged.
  func purgeLevel(of capacity: Int64?) -> Double {
    Double(capacity ?? self.capacity) * Double(purgeAbove) / 100
  }
}
