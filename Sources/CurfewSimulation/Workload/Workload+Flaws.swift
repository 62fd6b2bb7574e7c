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
      check((0...1).contains(value), "\(what) is \(value); a share is from 0 to 1")
    }
    func rate(_ value: Double, _ what: String) {
      check((0...1_000_000).contains(value), "\(what) is \(value); it is from 0 to a million")
    }
    check(!apps.isEmpty, "there is no app")
    check(
      apps.reduce(0) { $0 + max(0, $1.count) } <= FleetPlan.mostApps,
      "there are more than \(FleetPlan.mostApps) apps")
    check(Set(apps.map(\.name)).count == apps.count, "two sorts of app have one name")
    rate(user.unlocks, "'unlocks'")
    check(
      user.rhythm.isEmpty || user.rhythm.count == 24,
      "'rhythm' has \(user.rhythm.count) numbers; it has 24, or none")
    check(
      user.rhythm.allSatisfy { $0 >= 0 && $0.isFinite }, "'rhythm' has a number that is no weight")
    check((1...1_000).contains(user.visits), "'visits' is \(user.visits); it is from 1 to 1000")
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
        "a daily change is at \(change.at); it is at a time of the day")
      check(
        change.jitter >= .zero && change.jitter < .seconds(43_200),
        "a daily change's 'jitter' is \(change.jitter); it is under 12h")
    }
    if let battery = device.battery {
      check(
        min(battery.lasts, battery.charges) >= .seconds(100),
        "a battery lasts and charges 100s at least")
    }
    if let recording {
      check(
        apps.indices.contains(recording.others),
        "'others' is \(recording.others), and there are \(apps.count) sorts of app")
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
      check((0...1).contains(value), "\(what) is \(value); a share is from 0 to 1")
    }
    check(count >= 1, "'count' is \(count); it is 1 at least")
    share(self.share, "'share'")
    share(refreshOff, "'refreshOff'")
    check(
      (0...1_000_000).contains(popularity),
      "'popularity' is \(popularity); it is from 0 to a million")
    check(processor ?? 0 <= 6_400, "'processor' is \(processor ?? 0); it is 6400 at most")
    for task in tasks {
      share(task.chance, "'chance'")
      share(task.withoutHandler, "'withoutHandler'")
      share(task.leaks, "'leaks'")
    }
    for session in sessions {
      share(session.chance, "'chance'")
      check(
        policy.names.class(of: session.kind) == .session,
        "the policy knows no session '\(session.kind)'")
    }
    check(
      wakes.count <= WorkloadApp.mostWakes,
      "\(wakes.count) sorts of wake; \(WorkloadApp.mostWakes) at most")
    check(Set(wakes.map(\.kind)).count == wakes.count, "two of its wakes are of one kind")
    for wake in wakes {
      share(wake.newData, "'newData'")
      check(
        (0...1_000_000).contains(wake.perDay),
        "'perDay' is \(wake.perDay); it is from 0 to a million")
      check(policy.names.class(of: wake.kind) == .wake, "the policy knows no wake '\(wake.kind)'")
      check(
        wake.earliest.map { $0 > .zero } ?? true,
        "'earliest' is no time at all: one request would start the next at once")
      check(wake.interval.map { $0 >= .zero } ?? true, "'interval' is negative")
    }
    return flaws
  }
}
