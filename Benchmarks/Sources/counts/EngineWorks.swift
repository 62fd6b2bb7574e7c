@_spi(Seeds) import CurfewEngine
import CurfewPolicy

/// A driver that closures share.
private final class Host {
  var driver: Driver

  init(_ policy: Policy) { driver = Driver(Engine(policy: policy)) }

  /// Takes all items of this step. Every callback returns at once.
  func pull() {
    while let item = driver.pull() { if case .turn(let app) = item { driver.say(.returned(app)) } }
  }
}

/// Pairs of begin and end through the driver, with a thousand apps.
func engineTasks(pairs: Int) -> Work {
  let host = Host(PolicyFile.ios13.policy)
  let app = host.driver.addApp()
  for _ in 1..<1_000 { _ = host.driver.addApp() }
  host.driver.say(.launch(app))
  host.pull()
  return {
    for _ in 0..<pairs {
      guard case .begun(let task) = host.driver.ask(.beginTask(app, label: 0, handler: .present))
      else { return "a task was denied" }
      host.pull()
      host.driver.say(.endTask(app, task))
      host.pull()
    }
    return nil
  }
}

/// A push a minute for one app, which completes the wake, or is denied it without the mode.
func wakes(_ count: Int, areAdmitted: Bool) -> Work {
  let host = Host(PolicyFile.ios13.policy)
  let app = host.driver.addApp(Manifest(backgroundModes: areAdmitted ? .voip : []))
  return {
    var (isOpen, completed, denied) = (false, 0, 0)
    for _ in 0..<count {
      host.driver.say(.deliver(app, .voipPush))
      let next = host.driver.now + .seconds(60)
      while let item = host.driver.next(until: next) {
        switch item {
        case .action(.wakeBegan): isOpen = true
        case .action(.wakeCompleted): completed += 1
        case .action(.decision(_, _, _, let reasons, _)): if !reasons.isEmpty { denied += 1 }
        case .turn(let app) where isOpen:
          isOpen = false
          host.driver.say(.completeWake(app, WakeChoice(), .newData))
        case .turn(let app): host.driver.say(.returned(app))
        case .action, .due: break
        }
      }
      host.driver.move(to: next)
    }
    return difference("completed wakes", completed, areAdmitted ? count : 0)
      ?? difference("denied wakes", denied, areAdmitted ? 0 : count)
  }
}

/// Purges under memory pressure: the user opens apps at random, and nine tenths of all footprints
/// fit in memory.
func purges(_ goal: Int, apps: Int, checksum expected: UInt64) -> Work {
  var numbers = SplitMix64(seed: 1)
  // 20 to 83 MiB in whole MiB, so that there are ties, which are broken by the last use.
  let footprints = (0..<apps).map { _ in Int64(20 + numbers.next() % 64) << 20 }
  let opened = (0..<(1 << 16)).map { _ in UInt32(numbers.next() % UInt64(apps)) }
  var policy = Policy.canonical
  policy.foregroundLimit = 1
  policy.memory = MemoryRules(
    capacity: footprints.reduce(0, +) / 10 * 9, warningLevel: 80, resetLevel: 75,
    footprint: 50 << 20, appLimit: nil)
  let host = Host(policy)
  for footprint in footprints { _ = host.driver.addApp(Manifest(footprint: footprint)) }
  var (purges, checksum) = (0, UInt64(0))
  func open(_ app: UInt32) {
    host.driver.say(.launch(AppID(rawValue: app)), at: host.driver.now + .seconds(1))
    while let item = host.driver.next() {
      switch item {
      case .turn(let app): host.driver.say(.returned(app))
      case .action(.terminated(let app, _)):
        purges += 1
        checksum = (checksum &* 31) &+ UInt64(app.rawValue)
      case .action, .due: break
      }
    }
  }
  for app in 0..<UInt32(apps) { open(app) }
  purges = 0
  return {
    // An app that is already resident displaces no other app.
    for app in opened where purges < goal {
      if host.driver.engine.state(of: AppID(rawValue: app)) == .notRunning { open(app) }
    }
    return purges < goal
      ? difference("purges", purges, goal) : difference("checksum", checksum, expected)
  }
}
