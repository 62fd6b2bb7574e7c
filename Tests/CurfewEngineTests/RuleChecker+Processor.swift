import CurfewEngine

/// Processor use of apps in the background (rule D4), added up over the window at every check.
extension RuleChecker {
  struct Processor {
    /// The share that the app reported last.
    var share: Int64 = 0
    var until = Instant.zero
    /// The reports of this visit, and the one that held when the visit began.
    var said: [(at: Instant, share: Int64, until: Instant)] = []
    /// Whether it used too much at an instant that a late host has passed.
    var hasOverused = false

    mutating func start(_ now: Instant) { said = [(now, share, until)] }

    mutating func stop() { (said, hasOverused) = ([], false) }

    /// The use in the window that ends at `instant`, in percent of nanoseconds.
    func used(_ window: Interval, at instant: Instant) -> Int64 {
      var sum: Int64 = 0
      for index in said.indices {
        let replaced = index + 1 < said.count ? said[index + 1].at : instant
        let (from, to) = (
          max(said[index].at, instant - window), min(said[index].until, replaced, instant)
        )
        if to > from { sum += said[index].share * (to - from).nanoseconds }
      }
      return sum
    }
  }

  mutating func applyUse(_ share: UInt32, _ length: Interval, _ app: Int) {
    (apps[app].processor.share, apps[app].processor.until) = (Int64(share), now + length)
    if apps[app].state == .background {
      apps[app].processor.said.append((now, Int64(share), now + length))
    }
  }

  /// Whether use exceeds the limit just after `instant`.
  func overuses(_ processor: Processor, at instant: Instant) -> Bool {
    guard let rules = policy.cpu, !processor.said.isEmpty,
      rules.holdsWhileCharging || !device.charging
    else { return false }
    let limit = Int64(rules.share) * rules.window.nanoseconds
    return processor.used(rules.window, at: instant) >= limit
      && processor.used(rules.window, at: instant + .nanoseconds(1)) > limit
  }

  /// Use as a function of time bends only if a report begins, ends or leaves the window, so between
  /// two bends only the ends need a check.
  mutating func passProcessorTime(since before: Instant) {
    guard let rules = policy.cpu else { return }
    for app in apps.indices where !apps[app].processor.said.isEmpty {
      var bends: [Instant] = [now - .nanoseconds(1)]
      for said in apps[app].processor.said {
        for edge in [said.at, said.until] { bends += [edge, edge + rules.window] }
      }
      guard
        bends.contains(where: { $0 > before && $0 < now && overuses(apps[app].processor, at: $0) })
      else { continue }
      demand(!isPunctual, "app \(app) used too much of the processor, and was not terminated")
      apps[app].processor.hasOverused = true
    }
  }
}
