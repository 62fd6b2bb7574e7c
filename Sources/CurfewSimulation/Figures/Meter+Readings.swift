import CurfewEngine

extension Meter {
  /// An app as far as counting needs it.
  struct AppReading {
    var sort: Int
    /// Has come out of suspension, for a wake or on its way to the front: what follows tells.
    var isThawed = false
    /// Is on its way from suspension to the front.
    var isReturning = false
    var state = AppState.notRunning
    var since = Instant.zero
    /// When its content was last new; nil for never.
    var fresh: Instant?
    /// The share of a processor core that it uses, in percent, and until when.
    var share: Int64 = 0
    var shareSince = Instant.zero
    var shareEnd = Instant.zero
    /// What is on: sessions and wakes, with when they began.
    var runs: [(kind: AssertionKind, id: UInt32, since: Instant)] = []
    /// The places of its open tasks.
    var tasks: [UInt32] = []
  }

  /// A background task that is open.
  struct OpenTask {
    var since = Instant.zero
    var isExpired = false
  }
}

extension DenialReasons {
  /// Without which of several budgets deny, which no figure tells apart.
  var withoutFullBudgets: DenialReasons { DenialReasons(rawValue: rawValue, blocked: blocked, missing: missing) }
}

extension MemoryRules {
  /// In use above this, in bytes, somebody is purged.
  func purgeLevel(of capacity: Int64?) -> Double { Double(capacity ?? self.capacity) * Double(purgeAbove) / 100 }
}
