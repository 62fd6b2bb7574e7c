import CurfewEngine
import CurfewPolicy

extension Workload {
  /// The errors that a program has made in this workload, one sentence each. A workload that was
  /// read from a file has none.
  public var flaws: [String] {
    var flaws: [String] = []
    func check(_ isSound: Bool, _ sentence: @autoclosure () -> String) {
      if !isSound { flaws.append(sentence()) }
    }
    func share(_ value: Double, _ what: String) {
      check((0...1).contains(value), "\(what) is \(value); a share must be from 0 to 1")
    }
    func rate(_ value: Double, _ what: String) {
      check((0...1_000_000).contains(value), "\(what) is \(value); it must be from 0 to a million")
    }
    check(!apps.isEmpty, "there is no app")
    check(
      apps.reduce(0) { $0 + max(0, $1.count) } <= FleetPlan.mostApps,
      "there are more than \(FleetPlan.mostApps) apps")
    check(Set(apps.map(\.name)).count == apps.count, "two sorts of app have the same name")
    rate(user.unlocks, "'unlocks'")
    check(
      user.rhythm.isEmpty || user.rhythm.count == 24,
      "'rhythm' has \(user.rhythm.count) numbers; it must have 24, or none")
    check(
      user.rhythm.allSatisfy { $0 >= 0 && $0.isFinite },
      "'rhythm' has a number that is not a weight")
    check(
      (1...1_000).contains(user.visits), "'visits' is \(user.visits); it must be from 1 to 1000")
    rate(user.recencyExponent, "'recencyExponent'")
    for (value, what) in [
      (user.recency, "'recency'"), (user.locks, "'locks'"), (user.interruptions, "'interruptions'"),
      (user.accepted, "'accepted'"),
      (user.forceQuits, "'forceQuits'"), (device.refreshOff, "the device's 'refreshOff'"),
    ] { share(value, what) }
    for change in device.daily {
      share(change.chance, "a daily change's 'chance'")
      check(
        change.at >= .zero && change.at < .seconds(86_400),
        "a daily change is at \(change.at); it must be a time of the day, under 24h")
      check(
        change.jitter >= .zero && change.jitter < .seconds(43_200),
        "a daily change's 'jitter' is \(change.jitter); it must be under 12h")
    }
    if let battery = device.battery {
      check(
        min(battery.lasts, battery.charges) >= .seconds(100),
        "a battery must last and charge for at least 100s")
    }
    if let recording {
      check(
        apps.indices.contains(recording.others),
        "'others' is \(recording.others), but there are \(apps.count) sorts of app")
    }
    for app in apps { flaws += app.flaws(under: policy.policy).map { "'\(app.name)': \($0)" } }
    return flaws
  }
}

extension WorkloadApp {
  fileprivate func flaws(under policy: Policy) -> [String] {
    var flaws: [String] = []
    func check(_ isSound: Bool, _ sentence: @autoclosure () -> String) {
      if !isSound { flaws.append(sentence()) }
    }
    func share(_ value: Double, _ what: String) {
      check((0...1).contains(value), "\(what) is \(value); a share must be from 0 to 1")
    }
    check(count >= 1, "'count' is \(count); it must be at least 1")
    share(self.share, "'share'")
    share(refreshOff, "'refreshOff'")
    check(
      (0...1_000_000).contains(popularity),
      "'popularity' is \(popularity); it must be from 0 to a million")
    check(processor ?? 0 <= 6_400, "'processor' is \(processor ?? 0); it must be at most 6400")
    for task in tasks {
      share(task.chance, "'chance'")
      share(task.withoutHandler, "'withoutHandler'")
      share(task.leaks, "'leaks'")
    }
    for session in sessions {
      share(session.chance, "'chance'")
      check(
        policy.names.class(of: session.kind) == .session,
        "the policy has no session '\(session.kind)'")
    }
    check(
      wakes.count <= WorkloadApp.mostWakes,
      "\(wakes.count) sorts of wake; the limit is \(WorkloadApp.mostWakes)")
    check(Set(wakes.map(\.kind)).count == wakes.count, "two of its wakes have the same kind")
    for wake in wakes {
      share(wake.newData, "'newData'")
      check(
        (0...1_000_000).contains(wake.perDay),
        "'perDay' is \(wake.perDay); it must be from 0 to a million")
      check(policy.names.class(of: wake.kind) == .wake, "the policy has no wake '\(wake.kind)'")
      check(
        wake.earliest.map { $0 > .zero } ?? true,
        "'earliest' must be more than 0s, or one request would start the next at once")
      check(wake.interval.map { $0 >= .zero } ?? true, "'interval' is negative")
    }
    return flaws
  }
}
