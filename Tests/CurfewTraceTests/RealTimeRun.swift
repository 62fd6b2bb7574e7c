import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewTrace
import TestSupport

/// A host as one of real time is: its clock goes on in uneven steps, what was due happens late, and apps return when they like. What it does
/// is drawn from a seed.
struct RealTimeRun: ~Copyable {
  static let apps = ["com.example.mail", "com.example.maps", "com.example.music", "com.example.chat"]
  static let texts = ["upload", "sync", "com.example.refresh", "tea", "batteryLevel", "location", "7", "8"]

  private var driver: Driver
  private var coder = TraceCoder(apps: apps, labels: texts, writesEveryReturn: true)
  private var random: SeededGenerator
  private var now = Instant.zero
  private var lines: [TraceLine] = []
  /// What each app's present process has begun, ended or not.
  private var tasks: [[BackgroundTask]] = apps.map { _ in [] }
  private let header: TraceHeader

  private init(seed: UInt64, _ file: PolicyFile) {
    random = SeededGenerator(seed: seed)
    let device = DeviceFacts(battery: 60, isCharging: seed % 2 == 0, memory: 300 << 20)
    driver = Driver(Engine(policy: file.policy, device: device, limitsCountFrom: .firstLine), pace: .late)
    var manifests: [String: AppManifest] = [:]
    for app in RealTimeRun.apps {
      let isPlain = app == RealTimeRun.apps.last
      let modes: BackgroundModes = [.audio, .fetch, .remoteNotification, .voip]
      let manifest =
        isPlain ? AppManifest() : AppManifest(backgroundModes: modes, permittedIdentifiers: ["com.example.refresh"], footprint: 100 << 20)
      if !isPlain { manifests[app] = manifest }
      _ = driver.addApp(manifest.numbered { UInt32(RealTimeRun.texts.firstIndex(of: $0)!) })
    }
    header = TraceHeader(
      name: "A run", policy: file.name, policyDigest: file.digest, seed: seed, clock: "monotonic", apps: RealTimeRun.apps,
      device: DeviceChange(differencesOf: device), manifests: manifests)
  }

  /// The trace of so many steps.
  static func trace(seed: UInt64, under file: PolicyFile, steps: Int = 400) -> Trace {
    var run = RealTimeRun(seed: seed, file)
    for _ in 0..<steps { run.step() }
    return Trace(header: run.header, lines: run.lines)
  }

  private mutating func step() {
    let pauses: [Int64] = [0, 0, 1, 20_000_000, 900_000_000, 4_000_000_000, 40_000_000_000]
    let pause = pauses[Int(draw(UInt64(pauses.count)))]
    now = now + .nanoseconds(pause + Int64(draw(UInt64(pause) + 1)))
    advance()
    for index in 0..<RealTimeRun.apps.count {
      let app = AppID(rawValue: UInt32(index))
      while driver.engine.owesReturn(app), draw(3) > 0 {
        if driver.engine.owesBegin(app) { enter(.began(app)) }
        if draw(4) > 0 { enter(.returned(app)) }
      }
    }
    for _ in 0..<draw(3) { enter(event()) }
  }

  private mutating func draw(_ count: UInt64) -> UInt64 { random.next() % count }

  private mutating func advance() {
    var isWritten = false
    while driver.step(until: now) {
      if !isWritten { lines.append(coder.advanceLine(at: now)) }
      isWritten = true
      drain()
    }
  }

  private mutating func enter(_ event: Event) {
    if let line = coder.line(entering: event, at: now) { lines.append(line) }
    driver.say(event, at: now)
    drain()
  }

  private mutating func drain() {
    while let item = driver.pull() {
      guard case .action(let action) = item else { continue }
      if let line = coder.line(for: action, at: driver.now) { lines.append(line) }
      switch action {
      case .taskBegan(let app, let task): tasks[Int(app.rawValue)].append(task)
      case .terminated(let app, _): tasks[Int(app.rawValue)] = []
      default: break
      }
    }
  }

  private mutating func event() -> Event {
    let app = AppID(rawValue: UInt32(draw(UInt64(RealTimeRun.apps.count))))
    switch draw(40) {
    case 0..<8: return .launch(app)
    case 8..<13: return .home(nil)
    case 13..<18: return .beginTask(app, label: UInt32(draw(2)), handler: draw(4) == 0 ? .absent : .present)
    case 18..<22:
      let begun = tasks[Int(app.rawValue)]
      return .endTask(app, begun.isEmpty ? .invalid(label: 0) : begun[Int(draw(UInt64(begun.count)))])
    default: return rarer(app)
    }
  }

  private mutating func rarer(_ app: AppID) -> Event {
    switch draw(27) {
    case 0, 1: return .startSession(app, .audio)
    case 2: return .stopSession(app, .audio)
    case 3, 4: return .deliver(app, draw(2) == 0 ? .remoteNotification : .newsstand)
    case 5, 6: return .completeWake(app, nil, .noData)
    case 7: return .lock
    case 8, 9: return .unlock
    case 10: return .setRefresh(draw(2) == 0 ? app : nil, draw(2) == 0 ? .available : .denied)
    case 11:
      return .setDevice(
        DeviceFacts(
          backgroundRefresh: [.available, .denied, .restricted][Int(draw(3))], lowPowerMode: draw(4) == 0, battery: UInt8(draw(101)),
          isCharging: draw(2) == 0, network: draw(2) == 0 ? .wifi : .none, memory: draw(2) == 0 ? nil : 400 << 20,
          thermal: draw(8) == 0 ? .serious : .nominal))
    case 12, 13: return .post(draw(2) == 0 ? app : nil, Post(name: 4, value: UInt32(6 + draw(2))))
    case 14: return .post(app, Post(name: 5, value: nil, manner: .queueing))
    case 15: return .setFootprint(app, Int64(draw(200) << 20))
    case 16: return .submitTask(app, TaskRequest(identifier: 2, kind: .appRefresh, earliest: .seconds(Int64(draw(20)))))
    case 17: return .setMinimumFetchInterval(app, draw(2) == 0 ? nil : .zero)
    case 18: return .scheduleNotification(app, id: 3, after: .seconds(Int64(draw(30))))
    case 19: return draw(3) == 0 ? .crash(app, .badAccess) : .probe(app)
    case 20: return draw(2) == 0 ? .forceQuit(app) : .useCPU(app, share: UInt32(draw(200)), for: .seconds(70))
    case 21: return draw(4) == 0 ? .reboot : .interrupt(nil)
    case 22: return draw(2) == 0 ? .lockFile(app) : .unlockFile(app)
    case 23: return .setKeepAlive(app, draw(2) == 0 ? nil : .seconds(600))
    case 24: return draw(2) == 0 ? .cancelTask(app, identifier: 2) : .cancelNotification(app, id: 3)
    case 25: return draw(2) == 0 ? .acceptInterruption(nil) : .ignoreInterruption(nil)
    default: return .expireTasks(draw(2) == 0 ? app : nil, .policyRevoked)
    }
  }
}
