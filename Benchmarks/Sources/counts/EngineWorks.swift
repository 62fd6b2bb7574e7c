@_spi(Seeds) import CurfewEngine
import CurfewPolicy

/// Pairs of begin and end through the driver, with a thousand apps.
final class EngineTasks: Work {
  private var driver: Driver
  private let app: AppID
  private let pairs: Int
  private var begun = 0

  init(pairs: Int) {
    driver = Driver(Engine(policy: PolicyFile.ios13.policy, device: DeviceFacts(memory: 1 << 50)))
    app = driver.addApp()
    for _ in 1..<1_000 { _ = driver.addApp() }
    self.pairs = pairs
    driver.say(.launch(app))
    pull()
  }

  func run() {
    for _ in 0..<pairs {
      guard case .begun(let task) = driver.ask(.beginTask(app, label: 0, handler: .present)) else {
        return
      }
      begun += 1
      pull()
      driver.say(.endTask(app, task))
      pull()
    }
  }

  private func pull() {
    while let item = driver.pull() { if case .turn(let app) = item { driver.say(.returned(app)) } }
  }

  var mistake: String? { difference("begun tasks", begun, pairs) }
}

/// Wakes by a push a minute, which an app completes and a second app, without the mode, is denied.
final class Wakes: Work {
  private var driver: Driver
  private let app: AppID
  private let count: Int
  private let areAdmitted: Bool
  private var isOpen = false
  private var completed = 0
  private var denied = 0

  init(_ count: Int, areAdmitted: Bool) {
    driver = Driver(Engine(policy: PolicyFile.ios13.policy, device: DeviceFacts(memory: 1 << 50)))
    app = driver.addApp(Manifest(backgroundModes: areAdmitted ? .voip : []))
    (self.count, self.areAdmitted) = (count, areAdmitted)
  }

  func run() {
    for _ in 0..<count {
      driver.say(.deliver(app, .voipPush))
      let next = driver.now + .seconds(60)
      while let item = driver.next(until: next) { take(item) }
      driver.move(to: next)
    }
  }

  private func take(_ item: Driver.Item) {
    switch item {
    case .action(.wakeBegan): isOpen = true
    case .action(.wakeCompleted): completed += 1
    case .action(.decision(_, _, _, let reasons, _)): if !reasons.isEmpty { denied += 1 }
    case .turn(let app):
      if isOpen {
        isOpen = false
        driver.say(.completeWake(app, WakeChoice(), .newData))
      } else {
        driver.say(.returned(app))
      }
    case .action, .due: break
    }
  }

  var mistake: String? {
    difference("completed wakes", completed, areAdmitted ? count : 0)
      ?? difference("denied wakes", denied, areAdmitted ? 0 : count)
  }
}

/// Purges under memory pressure: the user opens apps at random, and nine tenths of all footprints
/// fit in memory.
final class Purges: Work {
  private let opened: [UInt32]
  private let goal: Int
  private let expected: UInt64
  private var driver: Driver
  private var step = 0
  private var purges = 0
  private var checksum: UInt64 = 0

  init(apps: Int, purges: Int, expected: UInt64) {
    var numbers = SplitMix64(seed: 1)
    // 20 to 83 MiB in whole MiB, so that there are ties, which are broken by the last use.
    let footprints = (0..<apps).map { _ in Int64(20 + numbers.next() % 64) << 20 }
    opened = (0..<(1 << 14)).map { _ in UInt32(numbers.next() % UInt64(apps)) }
    let capacity = footprints.reduce(0, +) / 10 * 9
    driver = Driver(Engine(policy: .phone(capacity: capacity), minimumCapacity: apps))
    (goal, self.expected) = (purges, expected)
    for footprint in footprints { _ = driver.addApp(Manifest(footprint: footprint)) }
    for app in 0..<UInt32(apps) { open(AppID(rawValue: app)) }
    (self.purges, checksum) = (0, 0)
  }

  func run() {
    while purges < goal, step < opened.count {
      let app = AppID(rawValue: opened[step])
      step += 1
      // An app that is already resident displaces no other app.
      if driver.engine.state(of: app) == .notRunning { open(app) }
    }
  }

  private func open(_ app: AppID) {
    driver.say(.launch(app), at: driver.now + .seconds(1))
    while let item = driver.next() {
      switch item {
      case .turn(let app): driver.say(.returned(app))
      case .action(.terminated(let app, _)):
        purges += 1
        checksum = (checksum &* 31) &+ UInt64(app.rawValue)
      case .action, .due: break
      }
    }
  }

  var mistake: String? {
    purges < goal
      ? difference("purges", purges, goal)
      : difference("the checksum of the victims", checksum, expected)
  }
}
