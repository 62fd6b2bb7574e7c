@_spi(Seeds) import CurfewEngine

/// The footprints of the apps, and the order in which the user opens them, drawn before
/// the measurement.
struct Draws {
  let footprints: [Int64]
  private let opened: [UInt32]

  init(apps: Int, seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    // 20 to 83 MiB in whole MiB, so that there are ties, which are broken by the last use.
    footprints = (0..<apps).map { _ in Int64(20 + numbers.next() % 64) << 20 }
    opened = (0..<(1 << 16)).map { _ in UInt32(numbers.next() % UInt64(apps)) }
  }

  func app(_ step: Int) -> UInt32 { opened[step & 0xffff] }
}

/// The engine: one app after another enters the foreground, the previous app is suspended, and nine
/// tenths of all footprints fit in memory.
struct EnginePhone: ~Copyable {
  private let draws: Draws
  private var driver: Driver
  private var step = 0

  private(set) var purges = 0
  private(set) var checksum: UInt64 = 0

  init(_ draws: Draws, capacity: Int64) {
    self.draws = draws
    driver = Driver(
      Engine(policy: .phone(capacity: capacity), minimumCapacity: draws.footprints.count))
    for footprint in draws.footprints { _ = driver.addApp(Manifest(footprint: footprint)) }
    for app in 0..<UInt32(draws.footprints.count) { open(app) }
  }

  mutating func run(purges count: Int) {
    let goal = purges + count
    while purges < goal {
      let app = draws.app(step)
      step += 1
      // An app that is already resident displaces no other app.
      if driver.engine.state(of: AppID(rawValue: app)) == .notRunning { open(app) }
    }
  }

  /// Every callback returns at once.
  private mutating func open(_ app: UInt32) {
    driver.say(.launch(AppID(rawValue: app)), at: driver.now + .seconds(1))
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
}

/// The rival: only the choice of victims, each found by a scan of all apps.
struct ScanningPhone {
  private let draws: Draws
  private let capacity: Int64
  private var isResident: [Bool]
  private var lastInFront: [Int]
  private var front: Int?
  private var inUse: Int64 = 0
  private var clock = 0
  private var step = 0

  private(set) var purges = 0
  private(set) var checksum: UInt64 = 0

  init(_ draws: Draws, capacity: Int64) {
    self.draws = draws
    self.capacity = capacity
    isResident = Array(repeating: false, count: draws.footprints.count)
    lastInFront = Array(repeating: 0, count: draws.footprints.count)
  }

  mutating func run(purges count: Int) {
    let goal = purges + count
    while purges < goal {
      let app = Int(draws.app(step))
      step += 1
      if !isResident[app] { open(app) }
    }
  }

  /// Opens each app once.
  mutating func fill() {
    for app in draws.footprints.indices { open(app) }
  }

  private mutating func open(_ app: Int) {
    guard app != front else { return }
    if let front {
      clock += 1
      lastInFront[front] = clock
    }
    front = app
    if !isResident[app] {
      isResident[app] = true
      inUse += draws.footprints[app]
    }
    while inUse > capacity { purge() }
  }

  private mutating func purge() {
    var victim: Int?
    for app in isResident.indices where isResident[app] && app != front {
      guard let best = victim else {
        victim = app
        continue
      }
      let (own, its) = (draws.footprints[app], draws.footprints[best])
      if own > its || (own == its && lastInFront[app] < lastInFront[best]) { victim = app }
    }
    guard let victim else { fatalError("nothing left to purge") }
    isResident[victim] = false
    inUse -= draws.footprints[victim]
    purges += 1
    checksum = (checksum &* 31) &+ UInt64(victim)
  }
}

extension Policy {
  /// A policy with one app in the foreground and the others suspended at once; only memory matters.
  fileprivate static func phone(capacity: Int64) -> Policy {
    Policy(
      multitasking: true, foregroundLimit: 1, hasBackgroundRefresh: true, hasLowPowerMode: true,
      suspendDelay: .zero,
      limits: CallbackLimits(
        launch: .seconds(20), launchWarning: .seconds(5), didEnterBackground: .seconds(5),
        willTerminate: .seconds(5), code: nil),
      tasks: TaskRules(
        grant: .seconds(30), grantAfterWake: .seconds(30), warning: .seconds(5), limit: 1000,
        limitCode: nil, code: nil, ageWarning: nil,
        lateBegin: .valid, refreshGate: .open),
      sessions: [:], wakes: [:],
      memory: MemoryRules(
        capacity: capacity, warningLevel: 80, resetLevel: 75, footprint: 50 << 20, appLimit: nil))
  }
}
